"""Labelled rows, test cases and scores of `hookline guard`."""
