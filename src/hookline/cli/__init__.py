"""The command line: each public module of this package is one command."""

from hookline.cli._main import main

__all__ = ["main"]
