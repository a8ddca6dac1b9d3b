"""The result of reading a command line: the simple commands it would run, and the parts not parsed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

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
    script: str = ""
    """Contents of the files that its arguments name, if the line wrote them."""
    in_script: bool = False
    """True if it is in a file that existed before the line."""


Action: TypeAlias = Literal[
    "read", "use", "list", "inspect", "copy", "send", "link", "create", "write", "append", "truncate",
    "edit", "mode", "move", "delete", "run",
]  # fmt: skip
"""Kinds of effects.

`read` prints the content, and `list` prints names. `use` opens a file without printing it, for example to
hash it; `inspect` looks at the existence, mode or date. `create` makes an empty file or folder, or changes
the date. `write` replaces the content, `append` adds to it, `edit` changes it, and `truncate` empties the
file. `mode` changes permissions or owners.
"""


class Effect(Struct, frozen=True, kw_only=True):
    """One thing that a command does to a file or folder."""

    action: Action
    path: Word
    """The path as far as it is known: unknown parts are `UNKNOWN`, and a glob stands for several paths."""
    recursive: bool = False
    """True if everything below the path is affected."""
    forced: bool = False
    """True for a deletion that asks nothing and ignores missing files."""
    bounded: bool = False
    """True for a read that prints a limited part of the content."""
    certain: bool = True
    """False if the program is unknown: it may also write to the path, or not open it at all."""
    content: Literal["", "copied", "streamed", "printed"] = ""
    """The origin of the content that is written, if known: the other files of the command, or its input.

    A file whose content is `streamed` is emptied before that is read, and also one for `printed` output.
    """
    derived: bool = False
    """True if the path is composed of a target folder and the name of a source."""
    command: int = -1
    """Index of the command in the reading."""
    cwd: str | None = None
    """The working directory of the command; None if it is unknown."""


class Facts(NamedTuple):
    """Facts from outside the line, looked up only when a command depends on them."""

    read_script: Callable[[str], str | None] = lambda path: None
    """Returns the content of an existing script by its absolute path."""
    git_setting: Callable[[str, str], str | None] = lambda cwd, name: None
    """Returns a setting of git in a folder, by its name in lower case."""


NO_FACTS = Facts()
TOO_LONG = "line is too long"


class Problem(Struct, frozen=True, kw_only=True):
    """A part of the line that was not read, and the reason; never a reason to allow the line."""

    reason: str
    text: str
    span: Span
    by_words: bool = False
    """True if only the words in *text* matter: a shell rejects it as well, or it is a file that is too long.

    Any other problem hides commands, whatever its words are.
    """

    @property
    def is_whole_line(self) -> bool:
        """True if nothing of the line was read, because it is too long: any command may be in it."""
        return self.reason == TOO_LONG


class Reading(Struct, frozen=True, kw_only=True):
    """The result of reading one command line."""

    commands: tuple[SimpleCommand, ...]
    problems: tuple[Problem, ...]
    effects: tuple[Effect, ...] = ()
    """The files that the commands read, write, move, delete, send or run, in order."""
    fork_bombs: tuple[Span, ...] = ()
    """Spans that start processes without end."""
