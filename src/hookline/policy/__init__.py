"""Configuration files, trust in a project, and permissions that a person grants."""
