"""Long runs of letters and digits: tokens without a separator in them, and base64 that holds something."""

from __future__ import annotations

import re
from binascii import a2b_base64
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cache
from itertools import accumulate

from hookline.redact._text_views import Span, stands_apart
from hookline.redact._tokens import HEADS, token_at

LEAST = 24
"""Characters of a run that is worth a look."""
_BETWEEN = "\n\0\n"
_CUT_OFF = frozenset({"", "...", "…"})
"""What may stand where a text was cut off."""
_ESCAPES = frozenset("\\%[;")
_SIGNED = frozenset({"+ASt", "+ABa", "+ACD", "+AMC", "+ARm", "+AIo"})
"""What Azure writes into its keys, four characters at their seventy-sixth, so that they can be told."""


def runs(text: str, spans: Callable[[str], list[Span]]) -> Iterator[Span]:
    """Secrets that are runs, or that *spans* finds in what runs of base64 say."""
    stretches: list[tuple[tuple[int, int], str]] = []
    for skipped in _to_run().finditer(text):
        found = skipped[1]
        if len(found) >= LEAST:
            start = skipped.start(1)
            if found[:2] in HEADS or found[76:80] in _SIGNED or text[start - 1 : start] in _ESCAPES:
                yield from _tokens(text, start, found)
            if _says_something().match(found) and (plain := _decoded(found)):
                stretches.append(((start, skipped.end() + _padding(text, skipped.end())), plain))
    if stretches:
        yield from _inside(stretches, spans, "" if text[stretches[-1][0][1] :] in _CUT_OFF else _BETWEEN)


def _padding(text: str, end: int) -> int:
    return 2 if text.startswith("==", end) else int(text.startswith("=", end))


def _inside(
    stretches: list[tuple[tuple[int, int], str]], spans: Callable[[str], list[Span]], behind: str
) -> Iterator[Span]:
    # Judged together: one look, however many there are. What ends there was cut off only if the text was.
    begins = [0, *accumulate(len(plain) + len(_BETWEEN) for _, plain in stretches)]
    for start, end, kind, _ in spans(_BETWEEN.join(plain for _, plain in stretches) + behind):
        for place in range(bisect_right(begins, start) - 1, bisect_right(begins, end - 1)):
            yield Span(*stretches[place][0], kind)


def _tokens(text: str, start: int, run: str) -> Iterator[Span]:
    if run[76:80] in _SIGNED and text.startswith("==", start + 86):
        yield Span(start, start + 88, "azure-key")
    yield from token_at(text, start)
    if text[max(0, start - 1) : start] in _ESCAPES:
        # The run begins with the rest of an escape: the word is behind it.
        behind = next((place for place in range(start + 1, start + 11) if stands_apart(text, place)), None)
        yield from token_at(text, behind) if behind else ()


def _decoded(stretch: str) -> str:
    whole = stretch[: len(stretch) - (len(stretch) % 4 == 1)]
    data = a2b_base64(whole + "=" * (-len(whole) % 4))
    return data.decode("ascii") if data.isascii() and not data.translate(None, _text_bytes()) else ""


@cache
def _text_bytes() -> bytes:
    return bytes([9, 10, 13, *range(32, 127)])


@cache
def _to_run() -> re.Pattern[str]:
    # Skips whole words at once, which a search for a long run does not; every stretch is seen once.
    run = "[A-Za-z0-9+/]"
    other = "[^A-Za-z0-9+/]"
    return re.compile(f"{other}*+(?:{run}{{1,{LEAST - 1}}}+{other}++)*+({run}*+)")


@cache
def _says_something() -> re.Pattern[str]:
    # Four characters of base64 are three of text: those of ASCII have gaps, to which chance rarely keeps.
    first, second = "[CDI-Za-f]", "[A-HQ-Xg-nw-z0-3]"
    third = "[ABEFIJMNQRUVYZcdghklopstwx014589]"
    return re.compile(f"(?:{first}{second}{third}[A-Za-z0-9+/]){{6}}")
