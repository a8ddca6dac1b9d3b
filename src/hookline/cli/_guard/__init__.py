"""Expectations, labelled rows and scores of `hookline guard`."""
