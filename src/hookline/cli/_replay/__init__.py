"""The steps of `hookline replay`."""
