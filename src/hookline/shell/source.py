"""A cursor over shell text, and the limits that keep reading it linear."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import copy
from typing import NamedTuple, TypeAlias

from msgspec import Struct, field

from hookline.shell.syntax import Span, Steps

MAX_NESTING = 32
"""Constructs inside each other. People stay under fifteen; each costs ten of Python's thousand frames."""

MAX_FAILURES = 8
"""Stretches that may fail to parse before the rest of the text is given up as one."""

_BLANK = re.compile(r"(?:[ \t]|\\\n|\r(?=\n))*(?:#[^\n]*)?")
_SKIPPED = " \t\\\r#"
"""What it can begin with; it is tried at the end of every word."""


MANY = 1_000_000


class Unparsed(Exception):
    """The text is no shell grammar from here on, or goes deeper than we follow."""


class Failure(NamedTuple):
    """A stretch that did not parse."""

    reason: str
    text: str
    span: Span


class Source(Struct, kw_only=True):
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
    left: list[int] = field(default_factory=lambda: [MANY])
    """How many simple commands may still be read; one count for all sources of a line."""
    spare: list[int] = field(default_factory=lambda: [0])
    """How many characters may still be looked at twice; one count for all sources of a line."""
    failures: list[Failure] = field(default_factory=list)
    """Stretches that did not parse, though what is around them did; one list for all sources of a line."""


Pending: TypeAlias = Callable[[Source], None]
"""Reads the body of a here-document once its line has ended."""


def inside(src: Source, start: int, end: int) -> Source:
    """The stretch of *src* from *start* to *end* as a source of its own."""
    part = copy(src)
    part.pos, part.end, part.pending = start, end, []
    return part


def apart(src: Source, text: str, span: Span) -> Source:
    """*text* that was made out of *span* of *src* and no longer lines up with it."""
    part = copy(src)
    part.text, part.pos, part.end, part.offset = text, 0, len(text), 0
    part.fixed, part.pending = mark(src, span), []
    return part


def mark(src: Source, span: Span) -> Span:
    """*span* of this source as a span of the original line."""
    return src.fixed or (span[0] + src.offset, span[1] + src.offset)


def fail(src: Source, reason: str, start: int) -> None:
    """Note that the stretch from *start* to the cursor did not parse."""
    src.failures.append(Failure(reason, src.text[start : src.pos], mark(src, (start, src.pos))))


def deeper(src: Source) -> None:
    src.depth += 1
    if src.depth > MAX_NESTING:
        raise Unparsed(f"nested more than {MAX_NESTING} deep")


def blanks(src: Source) -> None:
    """Skip blanks, line continuations and a comment."""
    if src.pos < src.end and src.text[src.pos] in _SKIPPED:
        found = _BLANK.match(src.text, src.pos, src.end)
        src.pos = found.end() if found is not None else src.pos


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
