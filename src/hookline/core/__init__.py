"""Pure values and rules: events, responses, the chain, and contracts of hooks, hosts, stores and sinks."""
