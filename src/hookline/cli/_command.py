"""The `Command` type, and argument helpers that several commands share."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable

from msgspec import Struct

EXITS = "0 on success, 1 on failure, 2 for invalid arguments"
"""Exit codes of a command that does not define its own."""


class Command(Struct, frozen=True, kw_only=True):
    """A subcommand of `hookline`; each public module of this package defines one as `COMMAND`."""

    about: str
    """One sentence for the list of commands."""
    examples: str
    """Command lines, one per line, each with a short description."""
    run: Callable[[Namespace], int]
    """Function that runs the command and returns its exit code."""
    arguments: Callable[[ArgumentParser], None] = lambda parser: None
    exits: str = EXITS
    person_only: tuple[str, ...] = ()
    """Subcommands that an agent must not run, as in `PERSON_ONLY`; "" stands for the command itself."""


def parse_positive_int(text: str) -> int:
    """Return *text* as an integer of at least 1; raise `ArgumentTypeError` otherwise."""
    if not text.isdecimal() or not int(text):
        raise ArgumentTypeError(f"invalid number {text!r}: expected 1 or more")
    return int(text)


def add_run_argument(parser: ArgumentParser) -> None:
    """Add the argument that selects a run of the engine."""
    parser.add_argument(
        "name",
        nargs="?",
        default="",
        metavar="RUN",
        help="run id or prefix, or target (default: the newest run)",
    )
