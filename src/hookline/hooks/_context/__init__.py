"""What sessions, their prompts and their helpers are told of where they are."""
