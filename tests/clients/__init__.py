"""Tests of real agent clients, run offline against a scripted model."""
