"""The embedded agent: it changes values that are marked in the code, and learns from the journal."""
