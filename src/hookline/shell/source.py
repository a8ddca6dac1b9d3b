"""The parser's cursor over shell text, and the limits that keep parsing linear."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import NamedTuple, TypeAlias

from msgspec import Struct, field

from hookline.lazy import re
from hookline.shell.syntax import Span, Steps

MAX_LINE = 1_048_576
"""Maximum characters of a line; most of a line this long must be data, because work is limited as well."""
MAX_NESTING = 32
"""Maximum nesting of constructs, at ten Python frames of a thousand each; people stay under fifteen."""

MAX_FAILURES = 8
"""Maximum parts that may fail to parse before the rest of the text is skipped as one."""

_BLANK = re.compile(r"(?:[ \t]|\\\n|\r(?=\n))*(?:#[^\n]*)?")
_BLANK_LINES = re.compile(r"(?:(?:[ \t\r]|\\\n)*+(?:#[^\n]*)?+\n)*+")
_BLANK_INITIALS = " \t\\\r#"
"""First characters of blanks; checked at the end of every word before the pattern is tried."""


MAX_WORK = 200_000
"""Units of work for a text of any length, at about a microsecond each in all guards."""


class ParseError(Exception):
    """The text from here on is not valid shell grammar."""


class LimitError(ParseError):
    """The text from here on is nested too deep, or takes too much work."""


class Failure(NamedTuple):
    """A part that did not parse."""

    reason: str
    text: str
    span: Span
    is_limit: bool = False
    """True if the text may be valid, and was not parsed because of a limit."""


class Source(Struct, kw_only=True):
    """A cursor over a text; the text from *pos* to *end* is still to be parsed."""

    text: str
    pos: int
    end: int
    read_steps: Callable[[Source, frozenset[str]], Steps]
    """Parses commands; passed in because words contain commands and commands contain words."""
    depth: int = 0
    offset: int = 0
    fixed_span: Span | None = None
    """The span of this whole text, if its characters have no position of their own in the line."""
    pending: list[Pending] = field(default_factory=list)
    work_left: list[int] = field(default_factory=lambda: [MAX_WORK])
    """Units of work that may still be spent; shared by all sources of a line."""
    failures: list[Failure] = field(default_factory=list)
    """Parts that did not parse inside others that did; shared by all sources of a line."""


Pending: TypeAlias = Callable[[Source], None]
"""Reads the body of a here-document once its line has ended."""


def narrow_source(src: Source, start: int, end: int) -> Source:
    """Return a source for the part of *src* from *start* to *end*."""
    source = copy(src)
    source.pos, source.end, source.pending = start, end, []
    return source


def detach_source(src: Source, text: str, span: Span) -> Source:
    """Return a source for *text*, which was made from *span* of *src* and has other positions."""
    source = copy(src)
    source.text, source.pos, source.end, source.offset = text, 0, len(text), 0
    source.fixed_span, source.pending = to_line_span(src, span), []
    return source


def to_line_span(src: Source, span: Span) -> Span:
    """Return *span* of this source as a span of the original line."""
    return src.fixed_span or (span[0] + src.offset, span[1] + src.offset)


def add_failure(src: Source, error: ParseError, start: int) -> None:
    """Record that the text from *start* to the cursor did not parse."""
    span = to_line_span(src, (start, src.pos))
    src.failures.append(Failure(str(error), src.text[start : src.pos], span, isinstance(error, LimitError)))


def enter_nesting(src: Source) -> None:
    src.depth += 1
    if src.depth > MAX_NESTING:
        raise LimitError(f"nesting exceeds {MAX_NESTING} levels")


def skip_blanks(src: Source) -> None:
    """Skip blanks, line continuations and a comment."""
    if src.pos < src.end and src.text[src.pos] in _BLANK_INITIALS:
        match = _BLANK.match(src.text, src.pos, src.end)
        src.pos = match.end() if match is not None else src.pos


def skip_newlines(src: Source) -> None:
    """Skip blank lines and comments, and read the here-documents due at the end of a line."""
    skip_blanks(src)
    while src.pos < src.end and src.text[src.pos] == "\n":
        src.pos += 1
        heredocs, src.pending = src.pending, []
        for read_heredoc in heredocs:
            read_heredoc(src)
        match = _BLANK_LINES.match(src.text, src.pos, src.end)
        src.pos = match.end() if match is not None else src.pos
        skip_blanks(src)


def peek(src: Source) -> str:
    return src.text[src.pos] if src.pos < src.end else ""


def take(src: Source, literal: str) -> bool:
    """Skip *literal* if it is next, and return whether it was."""
    if not src.text.startswith(literal, src.pos, src.end):
        return False
    src.pos += len(literal)
    return True


def expect(src: Source, literal: str) -> None:
    if not take(src, literal):
        raise ParseError(f"expected {literal!r}")


def spend_work(src: Source, units: int) -> None:
    src.work_left[0] -= units
    if src.work_left[0] < 0:
        raise LimitError("too complex to parse")


def spend_rescan(src: Source, characters: int) -> None:
    """Count *characters* that are scanned twice."""
    spend_work(src, characters >> 4)
