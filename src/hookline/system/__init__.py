"""What touches the machine, around the path of an event."""
