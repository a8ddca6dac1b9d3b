"""Test cases, labelled rows and scores of `hookline guard`."""
