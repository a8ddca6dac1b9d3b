"""The command line: one file a command, found by being there."""

from hookline.cli._main import main

__all__ = ["main"]
