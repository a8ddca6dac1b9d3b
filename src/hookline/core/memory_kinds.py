"""Kinds of memories and of relations between them, without the modules that store them."""

KINDS = ("fact", "decision", "preference", "convention", "blocker")
RELATIONS = ("supports", "contradicts", "refines")
"""Relations of one memory to another."""
