"""The notes that one session leaves to the next."""
