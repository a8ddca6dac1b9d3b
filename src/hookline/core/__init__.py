"""Pure values and rules: events, responses, the chain, and what a hook, host, kind, store and sink is."""
