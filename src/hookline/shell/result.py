"""The result of reading a command line: the simple commands it would run, and the parts not parsed."""

from __future__ import annotations

from msgspec import Struct

from hookline.shell.syntax import Span

UNKNOWN = "\0"
"""Placeholder in a text for a part known only at run time; a shell string cannot contain a NUL."""


class Word(Struct, frozen=True, kw_only=True):
    """One word after expansion; *span* is its position in the line."""

    text: str
    span: Span
    glob: bool = False
    """True if an unquoted `*`, `?` or `[` in it matches file names."""
    origins: tuple[int, ...] = ()
    """Indices of the commands that printed a part of it, or wrote the file that it names."""
    unset: bool = False
    """True if a variable in it is set nowhere in the line, and may be empty."""

    def with_text(self, text: str, origins: tuple[int, ...]) -> Word:
        """Return a copy with *text* and *origins*."""
        return Word(text=text, span=self.span, glob=self.glob, origins=origins, unset=self.unset)

    @property
    def dynamic(self) -> bool:
        """True if a part of it is known only at run time; such parts are `UNKNOWN` in the text."""
        return UNKNOWN in self.text


class Redirect(Struct, frozen=True, kw_only=True):
    """A redirection after expansion."""

    op: str
    fd: str
    target: Word


class SimpleCommand(Struct, frozen=True, kw_only=True):
    """One simple command: a program, its arguments and its redirections."""

    name: str
    """The program without its folder; empty if it is known only at run time."""
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]
    assignments: tuple[tuple[str, str], ...]
    span: Span
    via: tuple[str, ...]
    """The wrappers that run it, outermost first."""
    cwd: str | None
    """Its working directory; None if it is known only at run time."""
    stdin: str = ""
    """Its standard input, as far as it is known."""
    stdin_origins: tuple[int, ...] = ()
    """Indices of the commands that printed a part of its standard input."""


TOO_LONG = "line is too long"


class Problem(Struct, frozen=True, kw_only=True):
    """A part of the line that was not read, and the reason; never a reason to allow the line."""

    reason: str
    text: str
    span: Span

    @property
    def is_whole_line(self) -> bool:
        """True if nothing of the line was read, because it is too long: any command may be in it."""
        return self.reason == TOO_LONG


class Reading(Struct, frozen=True, kw_only=True):
    """The result of reading one command line."""

    commands: tuple[SimpleCommand, ...]
    problems: tuple[Problem, ...]
    fork_bombs: tuple[Span, ...] = ()
    """Spans that start processes without end."""
