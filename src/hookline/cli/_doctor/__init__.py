"""The checks of `hookline doctor`."""
