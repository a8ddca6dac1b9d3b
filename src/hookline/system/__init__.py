"""Access to files, processes, git and the network."""
