"""Autoresearch: one measurable thing in a repository, improved experiment by experiment."""
