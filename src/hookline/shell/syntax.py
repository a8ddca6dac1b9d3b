"""The syntax tree of a command line: words made of parts, commands made of words."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from msgspec import Struct

Span: TypeAlias = tuple[int, int]
"""Start and end of a part of the line, in characters."""


class Quoted(NamedTuple):
    """Quoted text, which is not split, globbed or expanded."""

    text: str


class Double(NamedTuple):
    """A double-quoted part, whose content is expanded but not split."""

    parts: tuple[Part, ...]


class Param(NamedTuple):
    """`$name` or `${name…}`; *arg* and *other* are the operands of the operator."""

    name: str
    op: str = ""
    arg: tuple[Part, ...] = ()
    other: tuple[Part, ...] = ()
    subscript: tuple[Part, ...] = ()


class Code(NamedTuple):
    """Commands inside a word; *kind* is the opening of `$(…)`, a backtick, `<(…)` or `>(…)`."""

    body: Steps
    kind: str


class Arith(NamedTuple):
    """Arithmetic: `$((…))`, `((…))` or `$[…]`."""

    parts: tuple[Part, ...]
    text: str


class Array(NamedTuple):
    """The parenthesised value of `name=(…)`."""

    items: tuple[Term, ...]


Part: TypeAlias = str | Quoted | Double | Param | Code | Arith | Array


class Term(NamedTuple):
    """One word as written, before expansion."""

    parts: tuple[Part, ...]
    span: Span
    plain: bool = False
    """True if nothing in it can expand; its only part is then its value."""


class Heredoc(Struct, kw_only=True, eq=False):
    """The body of a here-document, set when its line has ended."""

    parts: tuple[Part, ...] = ()


class Redirection(NamedTuple):
    """A redirection as written."""

    op: str
    fd: str
    target: Term
    body: Heredoc | None = None
    """The here-document of `<<` and `<<-`; None for other operators."""


class Assignment(NamedTuple):
    """`name=value`, `name+=value` or `name[subscript]=value`."""

    name: str
    append: bool
    subscript: str
    parts: tuple[Part, ...]
    span: Span


class Command(NamedTuple):
    """A simple command."""

    assignments: tuple[Assignment, ...]
    words: tuple[Term, ...]
    redirections: tuple[Redirection, ...]
    span: Span


class Pipe(NamedTuple):
    """A pipeline of two or more commands."""

    stages: tuple[Node, ...]


class Compound(NamedTuple):
    """A command with a keyword or parenthesis; *bodies* run in order, *words* are only expanded."""

    kind: str
    bodies: tuple[Steps, ...]
    words: tuple[Term, ...] = ()
    name: str = ""
    redirections: tuple[Redirection, ...] = ()


class Function(NamedTuple):
    """A function definition."""

    name: str
    body: Node


class Step(NamedTuple):
    """One pipeline of a command list."""

    op: str
    """The operator before it: `;`, `&&` or `||`."""
    node: Node
    background: bool = False
    """True if `&` follows, so that the shell does not wait for it."""


class Steps(NamedTuple):
    """A command list."""

    items: tuple[Step, ...]


Node: TypeAlias = Command | Pipe | Compound | Function
