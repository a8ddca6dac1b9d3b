"""Fuzz tests: random inputs, checked against properties that hold for every input."""
