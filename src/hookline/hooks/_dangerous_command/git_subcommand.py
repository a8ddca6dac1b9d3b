"""Types of the rules about git subcommands: the options, and the function that judges them."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from hookline.hooks._dangerous_command.rule import Place
from hookline.shell.options import Options


class Git(NamedTuple):
    """A call of git: its own options, those of the subcommand, and the place where it runs."""

    outer: Options
    inner: Options
    place: Place


class Subcommand(NamedTuple):
    judge: Callable[[Git], Iterator[str]]
    """Function that yields the rules broken by a call."""
    values: frozenset[str]
    """Options that take a value."""
    names: frozenset[str]
    """All long options, which may be abbreviated as long as they stay unique."""


def last(given: Options, on: tuple[str, ...], off: str) -> bool:
    """Return whether the last of the options *on* and *off* is one of *on*."""
    states = [name in on for name, _ in given.options if name in on or name == off]
    return bool(states) and states[-1]
