"""Secrets in long runs of letters and digits: tokens without a separator, and base64-encoded text."""

from __future__ import annotations

import re
from binascii import a2b_base64
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from hookline.redact._text_views import Span, starts_word
from hookline.redact._tokens import RUN_HEADS, find_token_at

MIN_RUN = 24
"""Minimum characters of a run that is examined."""
_MIN_WRAPPED = 40
"""Minimum characters of a line of base64 that continues on the next."""
_MIN_PASSWORD = 4
_NO_TEXT = -1
_SEPARATOR = "\n\0\n"
_STANDARD_ALPHABET = str.maketrans("-_", "+/")
_TRUNCATION_MARKS = frozenset({"", "...", "…"})
"""Texts at the end of a truncated text."""
_ESCAPE_STARTS = frozenset("\\%[;")
_AZURE_SIGNATURES = frozenset({"+ASt", "+ABa", "+ACD", "+AMC", "+ARm", "+AIo"})
"""Signatures that Azure puts into its keys, at characters 76 to 80."""


class EncodedLine(NamedTuple):
    """A line of base64, and the text in it: a character for each byte."""

    start: int
    end: int
    text: str


def find_runs(text: str, find_spans: Callable[[str], list[Span]]) -> Iterator[Span]:
    """Yield runs that are tokens, and base64 whose decoded text contains secrets by *find_spans*."""
    blocks: list[list[EncodedLine]] = []
    end = 0
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
            offset = _find_text(run) if start >= end else _NO_TEXT
            block = _decode_block(text, start + offset, match.end()) if offset != _NO_TEXT else None
            if block:
                end = block[-1].end
                blocks.append(block)
    if blocks:
        is_truncated = text[end:] in _TRUNCATION_MARKS
        yield from _find_in_blocks(blocks, find_spans, is_truncated=is_truncated)
        # Lines of the same length are one text or several.
        lines = [[line] for block in blocks if len(block) > 1 for line in block]
        yield from _find_in_blocks(lines, find_spans, is_truncated=is_truncated) if lines else ()


def find_basic_credentials(text: str) -> Iterator[Span]:
    """Yield the base64 of a user name and a password after the word "Basic"."""
    for match in _basic_pattern().finditer(text):
        user, _, password = _decode(match[1]).partition(":")
        if user.isprintable() and len(password) >= _MIN_PASSWORD:
            yield Span(*match.span(1), "authorization")


def _find_text(run: str) -> int:
    """Return where base64 of text begins in a run: at its start, or after the path before it."""
    start = 0
    while not _ascii_base64_pattern().match(run, start):
        start = run.find("/", start) + 1
        if not start:
            return _NO_TEXT
    return start


def _decode_block(text: str, start: int, run_end: int) -> list[EncodedLine]:
    """Return the lines of base64 text from *start* on; all but the last have the same length."""
    extended = _line_pattern().match(text, start)
    ends = (extended.end(), run_end) if extended else (run_end,)
    lines = [EncodedLine(start, end, decoded) for end in ends if (decoded := _decode(text[start:end]))][:1]
    width = lines[0].end - start if lines else 0
    while width >= _MIN_WRAPPED and width % 4 == 0 and lines[-1].end - lines[-1].start == width:
        match = _next_line_pattern().match(text, lines[-1].end)
        if not match or len(match[1]) > width or not (decoded := _decode(match[1])):
            break
        lines.append(EncodedLine(*match.span(1), decoded))
    return lines


def _find_in_blocks(
    blocks: list[list[EncodedLine]], find_spans: Callable[[str], list[Span]], *, is_truncated: bool
) -> Iterator[Span]:
    # All are searched at once. A token at the end counts as truncated only if the text is.
    lines = [line for block in blocks for line in (*block, EncodedLine(0, 0, _SEPARATOR))]
    lines = lines[:-1] if is_truncated else lines
    starts = [0, *accumulate(len(line.text) for line in lines)]
    for start, end, kind, continued in find_spans("".join(line.text for line in lines)):
        first, last = (bisect_right(starts, position) - 1 for position in (start, end - 1))
        for number, line in enumerate(lines[first : last + 1]):
            if line.end:
                yield Span(line.start, line.end, kind, continued=continued or number > 0)


def _find_run_tokens(text: str, start: int, run: str) -> Iterator[Span]:
    if run[76:80] in _AZURE_SIGNATURES and text.startswith("==", start + 86):
        yield Span(start, start + 88, "azure-key")
    yield from find_token_at(text, start)
    if text[max(0, start - 1) : start] in _ESCAPE_STARTS:
        # The run begins with the rest of an escape sequence; the token follows it.
        position = next((index for index in range(start + 1, start + 11) if starts_word(text, index)), None)
        yield from find_token_at(text, position) if position else ()


def _decode(line: str) -> str:
    """Return the text in a line of base64, with one character for each byte; empty if it is not text."""
    complete = line.rstrip("=").translate(_STANDARD_ALPHABET)
    complete = complete[: len(complete) - (len(complete) % 4 == 1)]
    data = a2b_base64(complete + "=" * (-len(complete) % 4))
    return "" if data.translate(None, _text_bytes()) else data.decode("ascii", "replace")


@cache
def _text_bytes() -> bytes:
    return bytes([9, 10, 13, *range(32, 127), *range(128, 256)])


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


@cache
def _line_pattern() -> re.Pattern[str]:
    return re.compile("[A-Za-z0-9+/_-]+={0,2}")


@cache
def _next_line_pattern() -> re.Pattern[str]:
    return re.compile(r"\r?\n[ \t]{0,40}([A-Za-z0-9+/_-]+={0,2})")


@cache
def _basic_pattern() -> re.Pattern[str]:
    return re.compile(r"asic(?<=[Bb]asic)(?<![A-Za-z][Bb]asic) {1,4}([A-Za-z0-9+/_-]{8,400}+={0,2})")
