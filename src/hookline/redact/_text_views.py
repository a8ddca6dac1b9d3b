"""Views of a text with some parts removed or replaced, and the mapping of positions back to the text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

MAX_CONTEXT = 2000
"""Maximum characters of a long line that a view contains on either side of a replacement."""
_NEARBY = 200
"""Characters on either side of a replacement whose lines a view contains."""
_GAP = "\x1f"
_STAYING = frozenset("\"'`\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
"""Quotes and line breaks."""


class Replacement(NamedTuple):
    """A part of the text that a view omits, and the *text* that takes its place."""

    start: int
    end: int
    text: str = ""


class Span(NamedTuple):
    """The position and kind of a secret."""

    start: int
    end: int
    kind: str
    continued: bool = False
    """True if it continues the span before it, on another line or in another string; its mark has no kind."""


class Piece(NamedTuple):
    """A part of a view, and the part of the source text that it shows."""

    start: int
    length: int
    source_start: int
    source_end: int
    copied: bool = False
    """True if it is the source itself."""
    stays: bool = False
    """True if its source has a line break or a quote, which no span includes."""


class View(NamedTuple):
    """Some lines of a text, with replacements."""

    text: str
    pieces: list[Piece]
    starts: list[int]
    """The start of each piece in the view."""

    def to_source(self, spans: Iterable[Span]) -> Iterator[Span]:
        """Yield the parts of the source text that *spans* show; the parts of one span continue its first."""
        for start, end, kind, continued in spans:
            parts = self._split(start, self._find_string_end(start, end))
            for number, (source_start, source_end) in enumerate(parts):
                yield Span(source_start, source_end, kind, continued=continued or number > 0)

    def _find_string_end(self, start: int, end: int) -> int:
        """Return the first quote in a span that is escaped in the view but not in the source, or *end*."""
        position = self.text.find('"', start, end)
        while position >= 0:
            piece = self.pieces[bisect_right(self.starts, position) - 1]
            if piece.copied and (position == piece.start or self.text[position - 1] != "\\"):
                return position
            position = self.text.find('"', position + 1, end)
        return end

    def _split(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        if start >= end:
            return
        first, last = (bisect_right(self.starts, position) - 1 for position in (start, end - 1))
        part_start = _scale(self.pieces[first], start, round_up=False)
        for piece in self.pieces[first : last + 1]:
            if piece.stays:
                if part_start < piece.source_start:
                    yield part_start, piece.source_start
                part_start = piece.source_end
        source_end = _scale(self.pieces[last], end, round_up=True)
        if part_start < source_end:
            yield part_start, source_end


def _scale(piece: Piece, position: int, *, round_up: bool) -> int:
    """Return the source of a *position* in a piece; all of its characters show equally much of the source."""
    distance = (position - piece.start) * (piece.source_end - piece.source_start)
    return piece.source_start + (-(-distance // piece.length) if round_up else distance // piece.length)


def build_view(text: str, replacements: Iterable[Replacement]) -> View:
    """Return a view of the lines with *replacements*, which are in order, and of some lines around each."""
    texts: list[str] = []
    pieces: list[Piece] = []
    length = 0

    def show(start: int, end: int, replacement: str | None = None) -> None:
        nonlocal length
        source = text[start:end]
        shown = source if replacement is None else replacement
        stays = replacement is not None and not _STAYING.isdisjoint(source)
        if shown or stays:
            pieces.append(Piece(length, len(shown), start, end, replacement is None, stays))
            texts.append(shown)
            length += len(shown)

    source_end = end = 0
    for replacement in replacements:
        if replacement.start >= end:
            show(source_end, end)
            source_end = _find_context_start(text, end, replacement.start)
            show(end, source_end, _GAP if source_end > end else None)
        show(source_end, replacement.start)
        show(*replacement)
        source_end = replacement.end
        end = _find_context_end(text, source_end) if source_end >= end - MAX_CONTEXT else end
    show(source_end, end)
    return View("".join(texts), pieces, [piece.start for piece in pieces])


def _find_context_start(text: str, after: int, position: int) -> int:
    if position - _NEARBY <= after:
        return after
    line_start = text.find("\n", position - _NEARBY, position) + 1
    start = max(after, position - MAX_CONTEXT)
    return line_start or max(start, text.rfind("\n", start, position) + 1)


def _find_context_end(text: str, position: int) -> int:
    """Return the end of a line after the one at *position*: a token may continue there."""
    limit = min(len(text), position + MAX_CONTEXT)
    line_end = text.find("\n", position, limit)
    end = text.find("\n", max(line_end + 1, position + _NEARBY), limit) if line_end >= 0 else -1
    return end + 1 if end >= 0 else limit


def starts_word(text: str, start: int, word_characters: str = "") -> bool:
    """Return whether a word begins at *start*; *word_characters* belong to words besides letters and digits.

    Escape sequences end in a letter or a digit but are not part of the word: `\\n`, `\\u0026`, `%3D`, or the
    `m` of a colour.
    """
    if start == 0:
        return True
    before = text[start - 1]
    if not (before.isascii() and before.isalnum()) and before not in word_characters:
        return True
    return bool(_escape_pattern().search(text, max(0, start - 12), start))


@cache
def _escape_pattern() -> re.Pattern[str]:
    escapes = (
        r"\\[abefnrtv0]",
        r"\\u[0-9A-Fa-f]{4}",
        r"\\x[0-9A-Fa-f]{2}",
        r"%[0-9A-Fa-f]{2}",
        r"\[[0-9;]{0,10}m",
    )
    return re.compile(rf"(?:{'|'.join(escapes)})\Z")
