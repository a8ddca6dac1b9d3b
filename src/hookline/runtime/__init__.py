"""One payload in, one reply out: the runtime that connects hosts, hooks, stores and sinks."""
