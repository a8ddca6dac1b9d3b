"""The command line: one file a command, found by being there."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress

from hookline.family import Family

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookline.cli._command import Command

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
        # The one that every tool call waits for: nothing else is imported for it.
        return _answer_host(words[1:]) if argv is None else _answer(words[1:])
    from hookline.cli._main import run  # noqa: PLC0415

    if argv is None:
        gc.enable()
    return run(words)


def _answer_host(words: Sequence[str]) -> int:
    """In a process of its own."""
    from hookline.system import bundle, late_site  # noqa: PLC0415 -- who calls from within has imported most

    gc.set_threshold(SELDOM)
    gc.enable()  # clients start us without: nothing that was imported so far is garbage
    modules = bundle.use()
    late_site.use()
    code = _answer(words, last=True)
    modules.keep()
    return _end(code)


def _answer(words: Sequence[str], *, last: bool = False) -> int:
    from hookline.cli.hook import main as answer  # noqa: PLC0415 -- other commands do without

    return answer(words, last=last)


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
