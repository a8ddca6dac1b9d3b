"""The command line: each public module runs one command, whose arguments are in `_arguments`."""

from hookline.cli._main import main

__all__ = ["main"]
