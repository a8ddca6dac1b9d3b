"""What is known while a line is followed: variables, functions, files it wrote, what it has run so far."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from hookline.bash.reading import UNKNOWN, Problem, Simple, Word
from hookline.bash.source import MAX_NESTING
from hookline.bash.syntax import Code, Node, Span, Steps

MAX_WRAPPERS = 8
"""Programs that run programs, inside each other. Real lines stay under five."""
MAX_TEXT = 65_536
"""Characters of one value. Doubling a variable forty times must not fill the memory."""
MAX_ALTERNATIVES = 16
"""Values of one variable that are followed: the items of a loop, the outcomes of a branch."""
MAX_COMMANDS = 10_000
"""Simple commands of one line, at some fifty microseconds each."""
MAX_PROBLEMS = 16
"""Problems that are kept; one is enough to be asked about, a page of them helps nobody."""


@dataclass(slots=True)
class World:
    line: str
    home: str
    work: int
    """Units of work left; linear in the line, so that following it is."""
    follow: Callable[[World, Steps, str], str]
    """Runs commands; handed in because words contain commands and commands contain words."""
    known: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Each variable's possible values; an empty tuple is known to be unset. Arrays end in `[]`."""
    log: list[tuple[str, tuple[str, ...] | None]] = field(default_factory=list)
    """What each name was before it was set, so that a subshell can be undone in the time it took."""
    functions: dict[str, Node] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    """What files written by this line hold, by absolute path."""
    sinks: dict[str, Code] = field(default_factory=dict)
    """The commands that read what is written to a `>(…)`, by its path."""
    commands: list[Simple] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    scopes: list[dict[str, tuple[str, ...]]] = field(default_factory=list)
    """For each function being followed, what its local variables were outside."""
    via: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    """Functions and aliases being followed, so that none is followed inside itself."""
    depth: int = 0
    wrapped: int = 0
    maybe: int = 0
    """Above zero inside a branch that may not be taken: what it sets is one more possibility."""
    choice: int = 0
    """Which possibility of every many-valued variable is being followed."""
    widest: int = 1
    """The largest number of possibilities met since it was last set to one."""


class Inner(NamedTuple):
    """A command line or argument list that some program would run."""

    via: str
    span: Span
    argv: tuple[Word, ...] = ()
    code: str | None = None
    stdin: str = ""
    args: tuple[str, ...] | None = None
    """The positional parameters of *code*, from `$0` on."""
    subshell: bool = True
    settings: tuple[tuple[str, str], ...] = ()
    """Variables that hold inside."""


class Result(NamedTuple):
    """What a program prints, or what it runs in turn."""

    out: str = UNKNOWN
    inner: tuple[Inner, ...] = ()


class Call(NamedTuple):
    """A program about to be run, its name first in *argv*."""

    argv: tuple[Word, ...]
    stdin: str
    span: Span


def put(world: World, name: str, value: str) -> None:
    """Set a variable; where that may not happen, add a possibility."""
    old = world.known.get(name)
    new: tuple[str, ...] = (value if len(value) <= MAX_TEXT else UNKNOWN,)
    if world.maybe and old:
        new = tuple(dict.fromkeys(new + old))[:MAX_ALTERNATIVES]
    place(world, name, new)


def place(world: World, name: str, values: tuple[str, ...]) -> None:
    """Set the possible values of *name*, or the items of an array, and remember the old ones."""
    world.log.append((name, world.known.get(name)))
    world.known[name] = values


def rollback(world: World, to: int) -> None:
    """Undo everything set since the log had *to* entries: a subshell has ended."""
    while len(world.log) > to:
        name, old = world.log.pop()
        if old is None:
            world.known.pop(name, None)
        else:
            world.known[name] = old


def look(world: World, name: str) -> str | None:
    """The value of *name* in the possibility being followed; None if it is unset."""
    values = world.known.get(name)
    if values is None:
        return UNKNOWN
    if len(values) > 1:
        world.widest = max(world.widest, len(values))
        return values[min(world.choice, len(values) - 1)]
    return values[0] if values else None


def cwd(world: World) -> str:
    return look(world, "PWD") or UNKNOWN


def resolve(world: World, path: str) -> str:
    """*path* as an absolute path without dots, as far as it is known."""
    return posixpath.normpath(posixpath.join(cwd(world), path))


def spend(world: World, units: int) -> bool:
    """Take *units* of work; False, and one problem, when there are none left."""
    if world.work < 0:
        return False
    world.work -= units
    if len(world.commands) >= MAX_COMMANDS:
        world.work = -1
    if world.work < 0:
        trouble(world, "too much to follow", world.line, (0, len(world.line)))
    return world.work >= 0


def trouble(world: World, reason: str, text: str, span: Span) -> None:
    if len(world.problems) < MAX_PROBLEMS:
        world.problems.append(Problem(reason=reason, text=text, span=span))


def too_deep(world: World) -> bool:
    return world.depth >= MAX_NESTING or world.wrapped >= MAX_WRAPPERS
