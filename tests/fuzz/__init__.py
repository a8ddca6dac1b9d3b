"""Inputs that nobody would write, by the million, against what must hold for every input."""
