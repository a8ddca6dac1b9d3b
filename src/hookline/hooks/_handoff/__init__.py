"""What sessions hand on, and how the next one gets it."""
