"""Shared parts of the path guards: files that a call would open, secret and ignored paths, approvals."""
