"""Several experiments at once, on this machine or on a Ray cluster."""
