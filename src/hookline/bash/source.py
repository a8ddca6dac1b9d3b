"""A cursor over shell text, and the limits that keep reading it linear."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from hookline.bash.syntax import Span, Steps

MAX_NESTING = 32
"""Constructs inside each other. People stay under fifteen; each costs ten of Python's thousand frames."""

_BLANK = re.compile(r"(?:[ \t]|\\\n|\r(?=\n))*(?:#[^\n]*)?")


class Unparsed(Exception):
    """The text is no shell grammar from here on, or goes deeper than we follow."""


@dataclass(slots=True)
class Source:
    text: str
    pos: int
    end: int
    grammar: Callable[[Source, frozenset[str]], Steps]
    """Reads commands; handed in because words contain commands and commands contain words."""
    depth: int = 0
    offset: int = 0
    fixed: Span | None = None
    """Where all of this text came from, when its characters have no place of their own in the line."""
    pending: list[Pending] = field(default_factory=list)
    spare: list[int] = field(default_factory=lambda: [0])
    """How many characters may still be looked at twice; one count for all sources of a line."""


Pending: TypeAlias = Callable[[Source], None]
"""Reads the body of a here-document once its line has ended."""


def inside(src: Source, start: int, end: int) -> Source:
    """The stretch of *src* from *start* to *end* as a source of its own."""
    return Source(src.text, start, end, src.grammar, src.depth, src.offset, src.fixed, spare=src.spare)


def apart(src: Source, text: str, span: Span) -> Source:
    """*text* that was made out of *span* of *src* and no longer lines up with it."""
    return Source(text, 0, len(text), src.grammar, src.depth, 0, mark(src, span), spare=src.spare)


def mark(src: Source, span: Span) -> Span:
    """*span* of this source as a span of the original line."""
    return src.fixed or (span[0] + src.offset, span[1] + src.offset)


def deeper(src: Source) -> None:
    src.depth += 1
    if src.depth > MAX_NESTING:
        raise Unparsed(f"nested more than {MAX_NESTING} deep")


def blanks(src: Source) -> None:
    """Skip blanks, line continuations and a comment."""
    found = _BLANK.match(src.text, src.pos, src.end)
    if found is not None:
        src.pos = found.end()


def newlines(src: Source) -> None:
    """Skip blank lines and comments, and read the here-documents that a line's end sets off."""
    blanks(src)
    while src.pos < src.end and src.text[src.pos] == "\n":
        src.pos += 1
        waiting, src.pending = src.pending, []
        for body in waiting:
            body(src)
        blanks(src)


def peek(src: Source) -> str:
    return src.text[src.pos] if src.pos < src.end else ""


def take(src: Source, literal: str) -> bool:
    """Step over *literal* if it is next."""
    if not src.text.startswith(literal, src.pos, src.end):
        return False
    src.pos += len(literal)
    return True


def expect(src: Source, literal: str) -> None:
    if not take(src, literal):
        raise Unparsed(f"expected {literal!r}")


def spend(src: Source, characters: int) -> None:
    src.spare[0] -= characters
    if src.spare[0] < 0:
        raise Unparsed("too tangled to read in one pass")
