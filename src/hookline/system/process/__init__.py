"""Starting, observing and ending processes."""
