"""The daemon and its clients: the same answers as a process of its own, whatever dies."""
