"""The `Command` type, and argument helpers that several commands share."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, _SubParsersAction
from collections.abc import Callable, Mapping
from typing import NamedTuple

EXITS: Mapping[int, str] = {0: "success", 1: "failure", 2: "invalid arguments"}
"""Meanings of the exit codes of a command that does not define its own."""


class Command(NamedTuple):
    """A subcommand of `hookline`; each module of `_arguments` defines one as `COMMAND`.

    Its function `run` is in the module of the same name in `hookline.cli`, which only a call imports.
    """

    about: str
    """One sentence for the list of commands."""
    examples: str
    """Command lines, one per line, each with a short description."""
    arguments: Callable[[ArgumentParser], None] = lambda parser: None
    exits: Mapping[int, str] = EXITS
    person_only: tuple[str, ...] = ()
    """Subcommands that an agent must not run, as in `PERSON_ONLY`; "" stands for the command itself."""


def add_action(
    subparsers: _SubParsersAction[ArgumentParser], name: str, about: str, function: str
) -> ArgumentParser:
    """Add an action of a command, which calls *function* of the command's module instead of `run`."""
    parser = subparsers.add_parser(name, help=about, description=about)
    parser.set_defaults(run=function)
    return parser


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
