"""Views of a text with some parts removed or replaced, and the mapping of positions back to the text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

MAX_CONTEXT = 2000
"""Maximum characters of a long line that a view contains on either side of a replacement."""
_GAP = "\x1f"


class Replacement(NamedTuple):
    """A part of the text that a view omits, and the *text* that takes its place."""

    start: int
    end: int
    text: str = ""


class View(NamedTuple):
    """Some lines of a text, with replacements."""

    text: str
    starts: list[int]
    """The start of each piece in the view."""
    offsets: list[int]
    """The difference between the position of each piece in the source text and in the view."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the same span in the source text."""
        return self._to_source(start), self._to_source(end - 1) + 1

    def _to_source(self, position: int) -> int:
        return position + self.offsets[bisect_right(self.starts, position) - 1]


def build_view(text: str, replacements: Iterable[Replacement]) -> View:
    """Return a view of the lines with *replacements*, which are in order, and of the line after each."""
    pieces: list[str] = []
    starts, offsets, length = [0], [0], 0

    def show(source_start: int, piece: str) -> None:
        nonlocal length
        if piece:
            starts.append(length)
            offsets.append(source_start - length)
            pieces.append(piece)
            length += len(piece)

    source_end = end = 0
    for replacement in replacements:
        if replacement.start >= end:
            show(source_end, text[source_end:end])
            source_end = _find_line_start(text, end, replacement.start)
            show(end, _GAP if source_end > end else "")
        show(source_end, text[source_end : replacement.start])
        show(replacement.start, replacement.text)
        source_end = replacement.end
        end = _find_next_line_end(text, source_end) if source_end >= end - MAX_CONTEXT else end
    show(source_end, text[source_end:end])
    return View("".join(pieces), starts, offsets)


def _find_line_start(text: str, after: int, position: int) -> int:
    start = max(after, position - MAX_CONTEXT)
    return max(start, text.rfind("\n", start, position) + 1)


def _find_next_line_end(text: str, position: int) -> int:
    """Return the end of the line after the one at *position*: a token may continue there."""
    limit = min(len(text), position + MAX_CONTEXT)
    end = text.find("\n", position, limit)
    after = text.find("\n", end + 1, limit) if end >= 0 else -1
    return after + 1 if after >= 0 else limit


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


class Span(NamedTuple):
    """The position and kind of a secret."""

    start: int
    end: int
    kind: str
    continued: bool = False
    """Whether it continues the span before it, on another line or in another string; its mark has no kind."""
