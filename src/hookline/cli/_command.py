"""The `Command` type, and argument helpers that several commands share."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable

from msgspec import Struct


class Command(Struct, frozen=True, kw_only=True):
    """A subcommand of `hookline`; each public module of this package defines one as `COMMAND`."""

    about: str
    """One sentence for the list of commands."""
    examples: str
    """Command lines to type, one per line, each with its result."""
    run: Callable[[Namespace], int]
    """Function that runs the command and returns its exit code."""
    arguments: Callable[[ArgumentParser], None] = lambda parser: None
    exits: str = "0 when it worked, 1 when it did not, 2 when it was called wrongly"


def parse_positive_int(text: str) -> int:
    """Return *text* as an integer of at least 1; raise `ArgumentTypeError` otherwise."""
    if not text.isdecimal() or not int(text):
        raise ArgumentTypeError(f"{text!r} is no number from 1 up")
    return int(text)


def add_run_argument(parser: ArgumentParser) -> None:
    """Add the argument that selects a run of the engine."""
    parser.add_argument(
        "name",
        nargs="?",
        default="",
        metavar="RUN",
        help="how its name begins, or a target for its newest run; else the newest",
    )
