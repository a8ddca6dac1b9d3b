"""Views of a text with some parts removed or replaced, and the mapping of positions back to the text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

NEAR = 2000
"""Characters on either side of a stretch that are shown, where its line is longer."""
_APART = "\x1f"


class Stretch(NamedTuple):
    """What is not shown, and what is instead."""

    start: int
    end: int
    instead: str = ""


class View(NamedTuple):
    text: str
    begins: list[int]
    """Where each piece begins in the view."""
    gaps: list[int]
    """How far its place in the whole text is from that."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The same stretch in the whole text."""
        return self._place(start), self._place(end - 1) + 1

    def _place(self, there: int) -> int:
        return there + self.gaps[bisect_right(self.begins, there) - 1]


def view(text: str, stretches: Iterable[Stretch]) -> View:
    """The lines of *text* that have any of the *stretches*, which are in order, and the lines behind them."""
    shown: list[str] = []
    begins, gaps, length = [0], [0], 0

    def show(place: int, piece: str) -> None:
        nonlocal length
        if piece:
            begins.append(length)
            gaps.append(place - length)
            shown.append(piece)
            length += len(piece)

    done = end = 0
    for stretch in stretches:
        if stretch.start >= end:
            show(done, text[done:end])
            done = _line_begins(text, end, stretch.start)
            show(end, _APART if done > end else "")
        show(done, text[done : stretch.start])
        show(stretch.start, stretch.instead)
        done = stretch.end
        end = _line_end(text, done) if done >= end - NEAR else end
    show(done, text[done:end])
    return View("".join(shown), begins, gaps)


def _line_begins(text: str, after: int, place: int) -> int:
    start = max(after, place - NEAR)
    return max(start, text.rfind("\n", start, place) + 1)


def _line_end(text: str, place: int) -> int:
    """Behind the line after the one of *place*: a token may go on there."""
    most = min(len(text), place + NEAR)
    end = text.find("\n", place, most)
    after = text.find("\n", end + 1, most) if end >= 0 else -1
    return after + 1 if after >= 0 else most


def stands_apart(text: str, start: int, inside: str = "") -> bool:
    """Whether what begins at *start* is not the rest of a word; *inside* are more characters of such words.

    Escapes end in a letter or a digit and are no part of the word: `\\n`, `\\u0026`, `%3D`, a colour's `m`.
    """
    if start == 0:
        return True
    before = text[start - 1]
    if not (before.isascii() and before.isalnum()) and before not in inside:
        return True
    return bool(_escape().search(text, max(0, start - 12), start))


@cache
def _escape() -> re.Pattern[str]:
    escapes = (
        r"\\[abefnrtv0]",
        r"\\u[0-9A-Fa-f]{4}",
        r"\\x[0-9A-Fa-f]{2}",
        r"%[0-9A-Fa-f]{2}",
        r"\[[0-9;]{0,10}m",
    )
    return re.compile(rf"(?:{'|'.join(escapes)})\Z")


class Span(NamedTuple):
    start: int
    end: int
    kind: str
    more: bool = False
    """Goes on from the one before, on another line or in another string: cut without a mark of its own."""
