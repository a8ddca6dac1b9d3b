"""The shape of a command line once it is read: words made of parts, commands made of words."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from msgspec import Struct

Span: TypeAlias = tuple[int, int]


class Quoted(NamedTuple):
    """Text that quoting keeps from being split, globbed or expanded."""

    text: str


class Double(NamedTuple):
    """A double-quoted stretch; what is inside expands but never splits."""

    parts: tuple[Part, ...]


class Param(NamedTuple):
    """`$name` or `${name…}`; *arg* and *other* are the operands of the operator."""

    name: str
    op: str = ""
    arg: tuple[Part, ...] = ()
    other: tuple[Part, ...] = ()
    subscript: tuple[Part, ...] = ()


class Code(NamedTuple):
    """Commands inside a word: `$(…)`, backticks, `<(…)` or `>(…)`, told apart by *kind*."""

    body: Steps
    kind: str


class Arith(NamedTuple):
    parts: tuple[Part, ...]
    text: str


class Array(NamedTuple):
    """The parenthesised value of `name=(…)`."""

    items: tuple[Term, ...]


Part: TypeAlias = str | Quoted | Double | Param | Code | Arith | Array


class Term(NamedTuple):
    """One word as it was written."""

    parts: tuple[Part, ...]
    span: Span
    plain: bool = False
    """Nothing in it can expand: its only part is its value."""


class Heredoc(Struct, kw_only=True, eq=False):
    """The body of a here-document, filled in when its line has ended."""

    parts: tuple[Part, ...] = ()


class Redirection(NamedTuple):
    op: str
    fd: str
    target: Term
    body: Heredoc | None = None
    """None for every operator but `<<` and `<<-`."""


class Assignment(NamedTuple):
    name: str
    append: bool
    subscript: str
    parts: tuple[Part, ...]
    span: Span


class Command(NamedTuple):
    assignments: tuple[Assignment, ...]
    words: tuple[Term, ...]
    redirections: tuple[Redirection, ...]
    span: Span


class Pipe(NamedTuple):
    stages: tuple[Node, ...]


class Compound(NamedTuple):
    """Everything with a keyword; *bodies* are run in order, *words* only expanded."""

    kind: str
    bodies: tuple[Steps, ...]
    words: tuple[Term, ...] = ()
    name: str = ""
    redirections: tuple[Redirection, ...] = ()


class Function(NamedTuple):
    name: str
    body: Node


class Step(NamedTuple):
    op: str
    """What stands before it: one of `;`, `&&`, `||`."""
    node: Node
    behind: bool = False
    """It is followed by `&`: nobody waits for it."""


class Steps(NamedTuple):
    items: tuple[Step, ...]


Node: TypeAlias = Command | Pipe | Compound | Function
