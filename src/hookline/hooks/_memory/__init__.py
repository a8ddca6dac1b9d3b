"""What memory wants learnt of a session."""
