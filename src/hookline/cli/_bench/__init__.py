"""The measurements of `hookline bench`."""
