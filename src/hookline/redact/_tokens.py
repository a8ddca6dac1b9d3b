"""Tokens of known formats, found without trying every format at every position.

Most prefixes end in `_`, `-`, `.` or `~`, called pivots. A search for a pivot between word characters leaves
few positions, and the three characters up to it select the formats. Other prefixes are searched by their
first letter.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from functools import cache

from hookline.redact._text_views import Span, starts_word
from hookline.redact._token_formats import FORMATS, Format
from hookline.redact._values import is_placeholder, looks_random

PrefixFormats = tuple[tuple[str, tuple[int, ...]], ...]
"""Each prefix with the indices of its formats."""
_PIVOTS = "_-.~"
"""Last characters of most prefixes."""
_KEY_LENGTH = 3
"""Characters at the end of a prefix that select its formats; one prefix with a pivot is shorter."""
_MAX_JUDGED = 600
"""Maximum characters of a token that are judged; the rest of it is redacted with them."""
_MIN_TRUNCATED = 8
"""Minimum characters of a truncated token."""
_ELLIPSIS = "..."
_RUN_PREFIXES = frozenset(
    {"SK", "dapi", "dose", "ATBB", "AKCp", "EZAK", "EZTK", "LTAI", "oy2", "cio", "cmVmd", "ABSK", "EXO"}
)
"""Prefixes without a pivot, of tokens that are long runs of letters and digits."""
RUN_HEADS = frozenset(prefix[:2] for prefix in _RUN_PREFIXES)
"""The first two characters of such runs."""


def find_tokens(text: str) -> Iterator[Span]:
    """Yield the tokens of known formats in *text*, except for those that are long runs."""
    for pivot in _PIVOTS:
        if pivot in text:
            yield from _find_at_pivots(text, pivot)
    for first, pattern in _plain_prefix_patterns().items():
        end = 0
        for match in pattern.finditer(text) if first in text else ():
            if match.end() > end:
                end = yield from _find_token(
                    text, match.end(), ((match[0], _formats_without_pivot()[match[0]]),)
                )


def find_token_at(text: str, position: int) -> Iterator[Span]:
    """Yield the token that the run of letters and digits at *position* is, if any."""
    for length in (2, 3, 4, 5):
        prefix = text[position : position + length]
        if prefix in _run_formats():
            yield from _find_token(text, position + length, ((prefix, _run_formats()[prefix]),))


def _find_at_pivots(text: str, pivot: str) -> Iterator[Span]:
    token_end, by_end = 0, _prefixes_by_end(pivot)
    for match in _pivot_pattern(pivot).finditer(text):
        end = match.end()
        prefixes = by_end.get(text[max(0, end - _KEY_LENGTH) : end]) or by_end.get(text[end - 2 : end])
        if prefixes and end > token_end:
            token_end = yield from _find_token(text, end, prefixes)


def _find_token(text: str, body: int, prefixes: PrefixFormats) -> Generator[Span, None, int]:
    """Yield the token whose body begins at *body*, if any; return its end, or 0."""
    for prefix, formats in prefixes:
        start = body - len(prefix)
        if start >= 0 and text.startswith(prefix, start) and starts_word(text, start):
            for index in formats:
                if pieces := _match_body(text, body, index):
                    yield Span(start, pieces[0][1], FORMATS[index].kind)
                    for piece in pieces[1:]:
                        yield Span(*piece, FORMATS[index].kind, continued=True)
                    return pieces[-1][1]
    return 0


def _match_body(text: str, position: int, index: int) -> list[tuple[int, int]]:
    """Return the span of each line of a token's body, or nothing if it is not a token."""
    format_ = FORMATS[index]
    match = _body_pattern(index).match(text, position, position + _MAX_JUDGED)
    if match is None or len(match[0]) < format_.min_length:
        truncated_end = _find_truncated_end(text, position, format_)
        if truncated_end:
            return [(position, truncated_end)]
    if match is None:
        return []
    if format_.usual_length > len(match[0]):
        return _join_lines(text, match, index)
    if not _is_token(text, match, format_):
        return []
    whole = _body_pattern(index).match(text, position)
    return [(position, _trim_full_stops(text, position, whole.end() if whole else match.end()))]


def _find_truncated_end(text: str, position: int, format_: Format) -> int:
    """Return the end of a token that was truncated with its text, or 0; most of a secret is secret too."""
    if format_.exact or format_.random or len(text) - position > _MAX_JUDGED + len(_ELLIPSIS):
        return 0
    body = text[position:].removesuffix("...").removesuffix("…")
    is_body = _MIN_TRUNCATED <= len(body) < format_.min_length and re.compile(
        f"[{format_.chars}]+"
    ).fullmatch(body)
    return position + len(body) if is_body and looks_random(body) else 0


def _is_token(text: str, match: re.Match[str], format_: Format) -> bool:
    body = match[0]
    if len(body) < format_.min_length or (format_.exact and _is_longer(text, match, format_)):
        return False
    return not (is_placeholder(body) or (format_.random and not looks_random(body)))


def _is_longer(text: str, match: re.Match[str], format_: Format) -> bool:
    return len(match[0]) > format_.min_length or text[match.end() : match.end() + 1].isalnum()


def _trim_full_stops(text: str, start: int, end: int) -> int:
    """Return *end* without the full stops of a sentence."""
    while end > start and text[end - 1] == ".":
        end -= 1
    return end


def _join_lines(text: str, match: re.Match[str], index: int) -> list[tuple[int, int]]:
    """Return the lines of a token that was wrapped, or its first line if that is a token itself."""
    format_, pieces, body = FORMATS[index], [match.span()], match[0]
    while len(body) < format_.usual_length and (
        next_line := _next_line_pattern(index).match(text, pieces[-1][1])
    ):
        pieces.append(next_line.span(1))
        body += next_line[1]
    if len(pieces) > 1 and len(body) == format_.usual_length and looks_random(body):
        return pieces
    return [(match.start(), _trim_full_stops(text, *match.span()))] if _is_token(text, match, format_) else []


@cache
def _body_pattern(index: int) -> re.Pattern[str]:
    format_ = FORMATS[index]
    min_length = min(4, format_.min_length) if format_.usual_length else format_.min_length
    return re.compile(f"[{format_.chars}]{{{min_length},}}")


@cache
def _next_line_pattern(index: int) -> re.Pattern[str]:
    format_ = FORMATS[index]
    return re.compile(
        rf"\r?\n[ \t]{{0,40}}([{format_.chars}]{{1,{format_.usual_length}}})(?![{format_.chars}])"
    )


@cache
def _pivot_pattern(pivot: str) -> re.Pattern[str]:
    return re.compile(rf"{_escape_literal(pivot)}(?<=[A-Za-z0-9_].)(?=[A-Za-z0-9_+/=.%-]{{4}})")


def _escape_literal(text: str) -> str:
    """Return *text* escaped as by `re.escape`, for the characters of prefixes."""
    return "".join(char if char.isalnum() else f"\\{char}" for char in text)


@cache
def _prefixes_by_end(pivot: str) -> dict[str, PrefixFormats]:
    """Return the prefixes with their formats by their last three characters, longer prefixes first."""
    by_end: dict[str, dict[str, list[int]]] = {}
    for index, format_ in enumerate(FORMATS):
        for prefix in format_.prefixes.split():
            if prefix[-1] == pivot:
                by_end.setdefault(prefix[-_KEY_LENGTH:], {}).setdefault(prefix, []).append(index)
    return {
        end: tuple((prefix, tuple(formats[prefix])) for prefix in sorted(formats, key=len, reverse=True))
        for end, formats in by_end.items()
    }


@cache
def _formats_without_pivot() -> dict[str, tuple[int, ...]]:
    formats: dict[str, tuple[int, ...]] = {}
    for index, format_ in enumerate(FORMATS):
        for prefix in format_.prefixes.split():
            if prefix[-1] not in _PIVOTS:
                formats[prefix] = (*formats.get(prefix, ()), index)
    return formats


@cache
def _plain_prefix_patterns() -> dict[str, re.Pattern[str]]:
    """Return a pattern for each first letter of a prefix; searching for one literal is fast."""
    prefixes = sorted(_formats_without_pivot().keys() - _RUN_PREFIXES)
    endings_by_first: dict[str, list[str]] = {}
    for prefix in prefixes:
        endings_by_first.setdefault(prefix[0], []).append(_escape_literal(prefix[1:]))
    return {
        first: re.compile(f"{_escape_literal(first)}(?:{'|'.join(endings)})")
        for first, endings in endings_by_first.items()
    }


@cache
def _run_formats() -> dict[str, tuple[int, ...]]:
    return {
        prefix: formats for prefix, formats in _formats_without_pivot().items() if prefix in _RUN_PREFIXES
    }
