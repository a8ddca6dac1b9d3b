"""Secrets in long runs of letters and digits: tokens without a separator, and base64-encoded text."""

from __future__ import annotations

import re
from binascii import a2b_base64
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cache
from itertools import accumulate

from hookline.redact._text_views import Span, starts_word
from hookline.redact._tokens import RUN_HEADS, find_token_at

MIN_RUN = 24
"""Minimum characters of a run that is examined."""
_SEPARATOR = "\n\0\n"
_TRUNCATION_MARKS = frozenset({"", "...", "…"})
"""Texts at the end of a truncated text."""
_ESCAPE_STARTS = frozenset("\\%[;")
_AZURE_SIGNATURES = frozenset({"+ASt", "+ABa", "+ACD", "+AMC", "+ARm", "+AIo"})
"""Signatures that Azure puts into its keys, at characters 76 to 80."""


def find_runs(text: str, find_spans: Callable[[str], list[Span]]) -> Iterator[Span]:
    """Yield runs that are tokens, and base64 runs whose decoded text contains secrets by *find_spans*."""
    decoded_runs: list[tuple[tuple[int, int], str]] = []
    for match in _run_pattern().finditer(text):
        run = match[1]
        if len(run) >= MIN_RUN:
            start = match.start(1)
            if (
                run[:2] in RUN_HEADS
                or run[76:80] in _AZURE_SIGNATURES
                or text[start - 1 : start] in _ESCAPE_STARTS
            ):
                yield from _find_run_tokens(text, start, run)
            if _ascii_base64_pattern().match(run) and (decoded := _decode(run)):
                decoded_runs.append(((start, match.end() + _padding_length(text, match.end())), decoded))
    if decoded_runs:
        yield from _find_in_decoded(
            decoded_runs,
            find_spans,
            "" if text[decoded_runs[-1][0][1] :] in _TRUNCATION_MARKS else _SEPARATOR,
        )


def _padding_length(text: str, end: int) -> int:
    return 2 if text.startswith("==", end) else int(text.startswith("=", end))


def _find_in_decoded(
    decoded_runs: list[tuple[tuple[int, int], str]], find_spans: Callable[[str], list[Span]], suffix: str
) -> Iterator[Span]:
    # All are searched at once. A token at the end counts as truncated only if the text is.
    starts = [0, *accumulate(len(decoded) + len(_SEPARATOR) for _, decoded in decoded_runs)]
    for start, end, kind, _ in find_spans(_SEPARATOR.join(decoded for _, decoded in decoded_runs) + suffix):
        for index in range(bisect_right(starts, start) - 1, bisect_right(starts, end - 1)):
            yield Span(*decoded_runs[index][0], kind)


def _find_run_tokens(text: str, start: int, run: str) -> Iterator[Span]:
    if run[76:80] in _AZURE_SIGNATURES and text.startswith("==", start + 86):
        yield Span(start, start + 88, "azure-key")
    yield from find_token_at(text, start)
    if text[max(0, start - 1) : start] in _ESCAPE_STARTS:
        # The run begins with the rest of an escape sequence; the token follows it.
        position = next((index for index in range(start + 1, start + 11) if starts_word(text, index)), None)
        yield from find_token_at(text, position) if position else ()


def _decode(run: str) -> str:
    complete = run[: len(run) - (len(run) % 4 == 1)]
    data = a2b_base64(complete + "=" * (-len(complete) % 4))
    return data.decode("ascii") if data.isascii() and not data.translate(None, _text_bytes()) else ""


@cache
def _text_bytes() -> bytes:
    return bytes([9, 10, 13, *range(32, 127)])


@cache
def _run_pattern() -> re.Pattern[str]:
    # Skips whole words at once, unlike a search for a long run; each character is scanned once.
    run = "[A-Za-z0-9+/]"
    other = "[^A-Za-z0-9+/]"
    return re.compile(f"{other}*+(?:{run}{{1,{MIN_RUN - 1}}}+{other}++)*+({run}*+)")


@cache
def _ascii_base64_pattern() -> re.Pattern[str]:
    # Four characters of base64 encode three of text; ASCII text uses only some of them, random data all.
    first, second = "[CDI-Za-f]", "[A-HQ-Xg-nw-z0-3]"
    third = "[ABEFIJMNQRUVYZcdghklopstwx014589]"
    return re.compile(f"(?:{first}{second}{third}[A-Za-z0-9+/]){{6}}")
