"""A syntax tree that the parsers of all languages produce.

Statements and expressions share one type, because most of the languages use either in place of the other.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

Body: TypeAlias = "tuple[Node, ...]"


class Literal(NamedTuple):
    value: str | float | None


class Name(NamedTuple):
    name: str


class Module(NamedTuple):
    """An imported module, or a member of one: `os.path`."""

    name: str


class Attribute(NamedTuple):
    target: Node
    name: str


class Index(NamedTuple):
    target: Node
    key: Node


class Slice(NamedTuple):
    start: Node | None
    stop: Node | None
    step: Node | None


class Call(NamedTuple):
    function: Node
    arguments: Body
    keywords: tuple[tuple[str, Node], ...] = ()


class Spread(NamedTuple):
    """An argument, item or target that stands for several."""

    value: Node


class Binary(NamedTuple):
    operator: str
    left: Node
    right: Node


class Unary(NamedTuple):
    operator: str
    operand: Node


class ListDisplay(NamedTuple):
    items: Body


class MapDisplay(NamedTuple):
    pairs: tuple[tuple[Node, Node], ...]


class Template(NamedTuple):
    """A string with expressions in it."""

    parts: Body


class Conditional(NamedTuple):
    test: Node
    then: Node
    otherwise: Node


class Comprehension(NamedTuple):
    element: Node
    clauses: tuple[tuple[Node, Node, Body], ...]
    """Target, iterable and conditions of each `for`."""


class Parameter(NamedTuple):
    name: str
    default: Node | None = None
    kind: str = ""
    """`*` for the rest of the arguments, `**` for the rest of the keywords."""


class Function(NamedTuple):
    name: str
    parameters: tuple[Parameter, ...]
    body: Body
    decorated: bool = False
    """True if other code may call it."""


class Class(NamedTuple):
    name: str
    bases: Body
    body: Body


class Assign(NamedTuple):
    target: Node
    value: Node
    declares: bool = True
    """False if a variable of an outer function is assigned."""


class If(NamedTuple):
    test: Node
    then: Body
    otherwise: Body


class Loop(NamedTuple):
    target: Node | None
    """The variable of the loop; None for a loop with a condition."""
    source: Node
    """The iterable, or the condition."""
    body: Body


class Return(NamedTuple):
    value: Node


class Yield(NamedTuple):
    value: Node


class Stop(NamedTuple):
    """The end of a branch: break, continue, raise."""


class Block(NamedTuple):
    """Parts of which each may run: try, except, finally."""

    parts: tuple[Body, ...]


class Failure(NamedTuple):
    """A part that could not be parsed."""

    reason: str
    text: str


Node: TypeAlias = (
    Literal | Name | Module | Attribute | Index | Slice | Call | Spread | Binary | Unary | ListDisplay
    | MapDisplay | Template | Conditional | Comprehension | Function | Class | Assign | If | Loop | Return
    | Yield | Stop | Block | Failure
)  # fmt: skip
NOTHING = Literal(None)


def choose_case(subject: Node, cases: list[tuple[Body, Body]]) -> Body:
    """Return the conditions for *cases*: the values of each (none for the default), and its body."""
    rest: Body = next((body for values, body in cases if not values), ())
    for values, body in reversed([case for case in cases if case[0]]):
        test: Node = Binary("==", subject, values[0])
        for value in values[1:]:
            test = Binary("or", test, Binary("==", subject, value))
        rest = (If(test, body, rest),)
    return rest
