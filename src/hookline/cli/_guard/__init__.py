"""The scores of `hookline guard`."""
