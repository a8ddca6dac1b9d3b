"""The command line: one file a command, found by being there."""

import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from hookline.cli._command import Command
from hookline.family import Family

FAMILY = Family(package=__name__, noun="command", constant="COMMAND")
SELDOM = 200_000
"""Objects between two looks for garbage: the process of one call seldom lives to see one."""


def names() -> tuple[str, ...]:
    return FAMILY.names()


def load(name: str) -> Command:
    command: Command = FAMILY.load(name)
    return command


def main(argv: Sequence[str] | None = None) -> int:
    """Run `hookline ...`; the exit code."""
    words = [*(sys.argv[1:] if argv is None else argv)]  # `list` is a command here, once it is loaded
    if words[:1] == ["hook"]:
        if argv is None:
            gc.set_threshold(SELDOM)
        # The one that every tool call waits for: nothing else is imported for it.
        from hookline.cli.hook import main as answer_host  # noqa: PLC0415

        code = answer_host(words[1:], last=argv is None)
        return code if argv is not None else _end(code)
    from hookline.cli._main import run  # noqa: PLC0415

    return run(words)


def _end(code: int) -> int:
    """Leave without taking every module apart first, which takes longer than judging a call.

    Where threads are known there may be more to end than what is closed already: that is left to Python.
    """
    if "threading" in sys.modules:
        return code
    for stream in filter(None, (sys.stdout, sys.stderr)):
        with suppress(OSError, ValueError):  # closed, or nobody is left to read it
            stream.flush()
    os._exit(code)
