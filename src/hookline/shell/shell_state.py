"""What is known while a line is followed: variables, functions, files it wrote, what it has run so far."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple

from msgspec import Struct, field

from hookline.shell.result import UNKNOWN, Problem, Simple, Word
from hookline.shell.source import MAX_NESTING
from hookline.shell.syntax import Code, Node, Span, Steps

MAX_WRAPPERS = 8
"""Programs that run programs, inside each other. Real lines stay under five."""
MAX_TEXT = 131_072
"""Characters of one value: as many as a line has. Doubling one forty times must not fill the memory."""
MAX_ALTERNATIVES = 16
"""Values of one variable that are followed: the items of a loop, the outcomes of a branch."""
MAX_COMMANDS = 1_000
"""Simple commands of one line, at some twenty-five microseconds each, read and followed. Nobody writes more
by hand; what comes after them is not read, and asked about if it looks dangerous."""
MAX_PROBLEMS = 16
"""Problems that are kept; one is enough to be asked about, a page of them helps nobody."""
_MARKS = 0xF0000
UNSET = UNKNOWN + "\U000ffffd"
"""What a variable gives that nothing in the line sets: it may well be empty."""
HOLE = "\U000ffffc"
"""Stands for an item of an array that is not set, where a later one is."""
_MARKED = re.compile("[\U000f0000-\U000ffffd]+")
_UNMARKED = re.compile("\0(?![\U000f0000-\U000ffffd])")


class World(Struct, kw_only=True):
    line: str
    home: str
    work: int
    """Units of work left; linear in the line, so that following it is."""
    left: list[int]
    """How many simple commands may still be read, shared with whoever reads."""
    follow: Callable[[World, Steps, str], str]
    """Runs commands; handed in because words contain commands and commands contain words."""
    known: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Each variable's possible values; an empty tuple is known to be unset. Arrays end in `[]`."""
    log: list[tuple[str, tuple[str, ...] | None]] = field(default_factory=list)
    """What each name was before it was set, so that a subshell can be undone in the time it took."""
    refs: dict[str, str] = field(default_factory=dict)
    """Names that stand for another: `declare -n`."""
    functions: dict[str, Node] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    """What files written by this line hold, by absolute path."""
    names: set[str] = field(default_factory=set)
    """The names of those files without their folders: most words are not among them."""
    sinks: dict[str, Code] = field(default_factory=dict)
    """The commands that read what is written to a `>(…)`, by its path."""
    commands: list[Simple] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    bombs: list[Span] = field(default_factory=list)
    runners: Mapping[str, Callable[[World, Call], Result]] = field(default_factory=dict)
    """Programs that run their arguments, besides those that are known anyway."""
    scopes: list[dict[str, tuple[str, ...]]] = field(default_factory=list)
    """For each function being followed, what its local variables were outside."""
    via: tuple[str, ...] = ()
    calls: tuple[Node | str, ...] = ()
    """Bodies of functions and texts of aliases being followed, so that none is followed inside itself."""
    behind: int = 0
    """How many of the commands around run in the background, or in a pipe."""
    entered: dict[str, int] = field(default_factory=dict)
    """For each function being followed, how many did when it was called."""
    depth: int = 0
    wrapped: int = 0
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


def mark(world: World) -> str:
    """What the command that was noted last prints, if that is unknown: unknown, but by whom is not."""
    return UNKNOWN + chr(_MARKS + len(world.commands) - 1)


def marked(text: str, mark: str) -> str:
    """*text* with everything unknown in it laid to the command of *mark*, unless it is someone else's."""
    if text == UNKNOWN:
        return mark
    return _UNMARKED.sub(mark, text) if UNKNOWN in text else text


def unmarked(world: World, text: str) -> tuple[str, tuple[int, ...]]:
    """*text* without its marks, and the commands that they stand for."""
    found = [] if text.isascii() else _MARKED.findall(text)
    if not found:
        return text, ()
    places = dict.fromkeys(ord(char) - _MARKS for char in "".join(found))
    return _MARKED.sub("", text), tuple(one for one in places if one < len(world.commands))


def put(world: World, name: str, value: str) -> None:
    """Set a variable; every further possibility that is followed adds to what the first one set."""
    name = world.refs.get(name, name) if world.refs else name
    old = world.known.get(name)
    new: tuple[str, ...] = (value if len(value) <= MAX_TEXT else UNKNOWN,)
    if world.choice and old:
        new = tuple(dict.fromkeys(new + old))[:MAX_ALTERNATIVES]
    place(world, name, new)


def place(world: World, name: str, values: tuple[str, ...]) -> None:
    """Set the possible values of *name*, or the items of an array, and remember the old ones."""
    world.log.append((name, world.known.get(name)))
    world.known[name] = values


def branch(world: World, since: int) -> None:
    """A branch that may not be taken has ended: what was set since then may still be what it was before."""
    before: dict[str, tuple[str, ...] | None] = {}
    for name, old in world.log[since:]:
        before.setdefault(name, old)
    spend(world, len(before))
    for name, old in before.items():
        new = world.known.get(name)
        if old and new and old != new and not name.endswith("[]"):
            place(world, name, tuple(dict.fromkeys(new + old))[:MAX_ALTERNATIVES])


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


def store(world: World, path: str, content: str) -> None:
    """Remember what the file at the absolute *path* holds."""
    world.files[path] = content if len(content) <= MAX_TEXT else UNKNOWN
    world.names.add(posixpath.basename(path))


def written(world: World, pattern: str, names: Iterable[str] = ("*",)) -> list[str]:
    """The files written by this line that *pattern* finds, and one of *names*."""
    if UNKNOWN in pattern or not spend(world, len(world.files)):
        return []
    whole = resolve(world, pattern)
    return [
        path
        for path in world.files
        if fnmatchcase(path, whole) and any(fnmatchcase(posixpath.basename(path), name) for name in names)
    ][:MAX_ALTERNATIVES]


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
