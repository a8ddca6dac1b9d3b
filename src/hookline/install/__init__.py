"""Edits of hosts' settings files: install, uninstall, convert, and inspections for `hookline doctor`."""
