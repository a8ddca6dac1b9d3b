"""Secrets that are not seen as one piece: cut up by colours or invisible characters, or in base64."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cache
from itertools import accumulate
from typing import NamedTuple

_BETWEEN = "\n\0\n"
_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad"


class View(NamedTuple):
    """A text with something left out, and where its places are in the whole."""

    text: str
    begins: list[int]
    """Where each kept piece begins in the view."""
    gaps: list[int]
    """How much was left out before it."""

    def place(self, there: int) -> int:
        return there + self.gaps[bisect_right(self.begins, there) - 1]


def views(text: str) -> Iterator[View]:
    """*text* without colours, invisible characters and escaped slashes, if it has any."""
    if any(mark in text for mark in ("\x1b", "\\u001b", "\\x1b", "\\033", "\\/", *_INVISIBLE)):
        yield _without(text, _noise())


def encoded(text: str, spans: Callable[[str], list[tuple[int, int, str]]]) -> Iterator[tuple[int, int, str]]:
    """The stretches of base64 in *text* in which *spans* finds something once they are decoded."""
    stretches = [(found.span(), plain) for found in _base64().finditer(text) if (plain := _decoded(found[0]))]
    if not stretches:
        return
    # Judged together: one look, however many there are.
    begins = [0, *accumulate(len(plain) + len(_BETWEEN) for _, plain in stretches)]
    for start, end, kind in spans(_BETWEEN.join(plain for _, plain in stretches)):
        for place in range(bisect_right(begins, start) - 1, bisect_right(begins, end - 1)):
            yield *stretches[place][0], kind


def _decoded(stretch: str) -> str:
    from binascii import a2b_base64  # noqa: PLC0415 -- few texts hold base64

    whole = stretch.rstrip("=")
    whole = whole[: len(whole) - (len(whole) % 4 == 1)]
    if not _printable(a2b_base64(whole[:24])):
        return ""  # an image or a hash, not worth decoding
    data = a2b_base64(whole + "=" * (-len(whole) % 4))
    return data.decode("ascii") if _printable(data) else ""


def _printable(data: bytes) -> bool:
    return data.isascii() and not data.translate(None, _text_bytes())


@cache
def _text_bytes() -> bytes:
    return bytes([9, 10, 13, *range(32, 127)])


def _without(text: str, noise: re.Pattern[str]) -> View:
    pieces, begins, gaps = [], [0], [0]
    kept = done = 0
    for found in noise.finditer(text):
        pieces.append(text[done : found.start()])
        kept, done = kept + found.start() - done, found.end()
        begins.append(kept)
        gaps.append(done - kept)
    return View("".join([*pieces, text[done:]]), begins, gaps)


@cache
def _noise() -> re.Pattern[str]:
    escape = r"(?:\x1b|\\u001[bB]|\\x1[bB]|\\033)"
    return re.compile(rf"(?:{escape}\[[0-9;]{{0,32}}[A-Za-z]|[{_INVISIBLE}]|\\(?=/))+")


@cache
def _base64() -> re.Pattern[str]:
    return re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{24,}={0,2}")
