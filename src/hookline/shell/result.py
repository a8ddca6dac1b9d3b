"""What reading a command line yields: the simple commands it would run, and what could not be read."""

from __future__ import annotations

from msgspec import Struct

from hookline.shell.syntax import Span

UNKNOWN = "\0"
"""Stands in a text for what only running would tell; no shell string can hold a NUL, so it is never one."""


class Word(Struct, frozen=True, kw_only=True):
    """One word after expansion; *span* is where in the line it was written."""

    text: str
    span: Span
    glob: bool = False
    """An unquoted `*`, `?` or `[` in it still matches file names."""
    origins: tuple[int, ...] = ()
    """Which commands of the reading printed a part of it, or wrote the file that it names."""
    unset: bool = False
    """A variable in it is set nowhere in the line, and may well be empty."""

    def with_text(self, text: str, origins: tuple[int, ...]) -> Word:
        """Return a copy with another text of other origins."""
        return Word(text=text, span=self.span, glob=self.glob, origins=origins, unset=self.unset)

    @property
    def dynamic(self) -> bool:
        """Part of it is known only at run time; those parts are `UNKNOWN` in the text."""
        return UNKNOWN in self.text


class Redirect(Struct, frozen=True, kw_only=True):
    op: str
    fd: str
    target: Word


class Simple(Struct, frozen=True, kw_only=True):
    """One simple command: a program and its arguments."""

    name: str
    """The program without its folder; empty when only running would tell."""
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]
    assignments: tuple[tuple[str, str], ...]
    span: Span
    via: tuple[str, ...]
    """The wrappers that lead to it, outermost first."""
    cwd: str | None
    """Where it would run; None when only running would tell."""
    stdin: str = ""
    """What it reads from its standard input, as far as the line tells."""
    fed: tuple[int, ...] = ()
    """Which commands of the reading printed a part of that."""


class Problem(Struct, frozen=True, kw_only=True):
    """A stretch of the line that was not read, and why; never a reason to allow it."""

    reason: str
    text: str
    span: Span


class Reading(Struct, frozen=True, kw_only=True):
    commands: tuple[Simple, ...]
    problems: tuple[Problem, ...]
    bombs: tuple[Span, ...] = ()
    """Stretches that start processes without end."""
