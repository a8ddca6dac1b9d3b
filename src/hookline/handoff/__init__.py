"""Handoffs: the notes that one session leaves to the next."""
