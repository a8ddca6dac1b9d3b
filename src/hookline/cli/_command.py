"""What a command is."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable

from msgspec import Struct


class Command(Struct, frozen=True, kw_only=True):
    """One file of this room."""

    about: str
    """One sentence, for the list of commands."""
    examples: str
    """What to type, a line each, with what it gives."""
    run: Callable[[Namespace], int]
    """The exit code."""
    arguments: Callable[[ArgumentParser], None] = lambda parser: None
    exits: str = "0 when it worked, 1 when it did not, 2 when it was called wrongly"


def positive(text: str) -> int:
    """A number that an option is given."""
    if not text.isdecimal() or not int(text):
        raise ArgumentTypeError(f"{text!r} is no number from 1 up")
    return int(text)


def of_run(parser: ArgumentParser) -> None:
    """Which run of the engine is meant, for commands that look at one."""
    parser.add_argument(
        "name",
        nargs="?",
        default="",
        metavar="RUN",
        help="how its name begins, or a target for its newest run; else the newest",
    )
