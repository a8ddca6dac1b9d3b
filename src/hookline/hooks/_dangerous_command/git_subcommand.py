"""How a rule about one git subcommand looks: its options, and the judgement on them."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from hookline.hooks._dangerous_command.rule import Place
from hookline.shell.options import Options


class Git(NamedTuple):
    """One call of git: its own options, the subcommand's, and where it runs."""

    outer: Options
    inner: Options
    place: Place


class Subcommand(NamedTuple):
    judge: Callable[[Git], Iterator[str]]
    """The rules that it breaks."""
    values: frozenset[str]
    """Options that take a value."""
    names: frozenset[str]
    """All long options, which may be shortened as long as they stay unique."""


def last(given: Options, on: tuple[str, ...], off: str) -> bool:
    """Whether the last word on the matter is yes."""
    states = [name in on for name, _ in given.options if name in on or name == off]
    return bool(states) and states[-1]
