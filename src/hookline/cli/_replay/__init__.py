"""Reading, judging and reporting recorded sessions for `hookline replay`."""
