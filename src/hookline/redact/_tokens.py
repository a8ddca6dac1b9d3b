"""Find tokens of known formats, without trying every format at every place.

Most prefixes end in `_`, `-`, `.` or `~`: a search for that one character, followed by enough of a word,
leaves few places, and three characters before it tell which formats it can be. The others are looked for by
their first letter.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from functools import cache

from hookline.redact._formats import FORMATS, Format
from hookline.redact._text_views import Span, stands_apart
from hookline.redact._values import placeholder, random

Prefixes = tuple[tuple[str, tuple[int, ...]], ...]
"""Each with the numbers of its formats."""
_PIVOTS = "_-.~"
_KEY = 3
"""Characters of a prefix's end that choose its formats; no prefix with a pivot is shorter, but for one."""
_LOOK = 600
"""Characters of a token that are judged before the rest of it is taken."""
_MOST_OF = 8
"""Characters of a token that was cut off, from which it is taken for one."""
_DOTS = "..."
_RUNS = frozenset(
    {"SK", "dapi", "dose", "ATBB", "AKCp", "EZAK", "EZTK", "LTAI", "oy2", "cio", "cmVmd", "ABSK", "EXO"}
)
"""Prefixes without a pivot, of tokens that are long runs of letters and digits: looked for at runs' heads."""
HEADS = frozenset(prefix[:2] for prefix in _RUNS)
"""How such a run begins."""


def tokens(text: str) -> Iterator[Span]:
    """The tokens of known formats in *text*, but for those that `_runs` finds."""
    for pivot in _PIVOTS:
        if pivot in text:
            yield from _at_pivots(text, pivot)
    for first, pattern in _plain().items():
        done = 0
        for found in pattern.finditer(text) if first in text else ():
            if found.end() > done:
                done = yield from _judged(text, found.end(), ((found[0], _without_pivot()[found[0]]),))


def token_at(text: str, place: int) -> Iterator[Span]:
    """The token that a run of letters and digits at *place* is, if it is one."""
    for length in (2, 3, 4, 5):
        prefix = text[place : place + length]
        if prefix in _at_runs():
            yield from _judged(text, place + length, ((prefix, _at_runs()[prefix]),))


def _at_pivots(text: str, pivot: str) -> Iterator[Span]:
    done, chosen = 0, _by_end(pivot)
    for found in _pivot(pivot).finditer(text):
        end = found.end()
        prefixes = chosen.get(text[max(0, end - _KEY) : end]) or chosen.get(text[end - 2 : end])
        if prefixes and end > done:
            done = yield from _judged(text, end, prefixes)


def _judged(text: str, body: int, prefixes: Prefixes) -> Generator[Span, None, int]:
    """The token whose body begins at *body*, if there is one; returns where it ends, else 0."""
    for prefix, formats in prefixes:
        start = body - len(prefix)
        if start >= 0 and text.startswith(prefix, start) and stands_apart(text, start):
            for number in formats:
                if pieces := _body(text, body, number):
                    yield Span(start, pieces[0][1], FORMATS[number].kind)
                    for more in pieces[1:]:
                        yield Span(*more, FORMATS[number].kind, more=True)
                    return pieces[-1][1]
    return 0


def _body(text: str, place: int, number: int) -> list[tuple[int, int]]:
    """Where the body of a token lies, line by line; nothing if it is none."""
    format_ = FORMATS[number]
    found = _chars(number).match(text, place, place + _LOOK)
    if found is None or len(found[0]) < format_.least:
        cut_off = _cut_off(text, place, format_)
        if cut_off:
            return [(place, cut_off)]
    if found is None:
        return []
    if format_.usual > len(found[0]):
        return _unwrapped(text, found, number)
    if not _good(text, found, format_):
        return []
    whole = _chars(number).match(text, place)
    return [(place, _trimmed(text, place, whole.end() if whole else found.end()))]


def _cut_off(text: str, place: int, format_: Format) -> int:
    """Where a token ends that was cut off with the text it was in: most of a secret is one too."""
    if format_.exact or format_.odd or len(text) - place > _LOOK + len(_DOTS):
        return 0
    body = text[place:].removesuffix("...").removesuffix("…")
    some = _MOST_OF <= len(body) < format_.least and re.compile(f"[{format_.chars}]+").fullmatch(body)
    return place + len(body) if some and random(body) else 0


def _good(text: str, found: re.Match[str], format_: Format) -> bool:
    body = found[0]
    if len(body) < format_.least or (format_.exact and _longer(text, found, format_)):
        return False
    return not (placeholder(body) or (format_.odd and not random(body)))


def _longer(text: str, found: re.Match[str], format_: Format) -> bool:
    return len(found[0]) > format_.least or text[found.end() : found.end() + 1].isalnum()


def _trimmed(text: str, start: int, end: int) -> int:
    """Without the full stop of a sentence."""
    while end > start and text[end - 1] == ".":
        end -= 1
    return end


def _unwrapped(text: str, found: re.Match[str], number: int) -> list[tuple[int, int]]:
    """The lines of a token that a terminal or an editor broke; else the one line, if that is enough."""
    format_, pieces, body = FORMATS[number], [found.span()], found[0]
    while len(body) < format_.usual and (more := _next_line(number).match(text, pieces[-1][1])):
        pieces.append(more.span(1))
        body += more[1]
    if len(pieces) > 1 and len(body) == format_.usual and random(body):
        return pieces
    return [(found.start(), _trimmed(text, *found.span()))] if _good(text, found, format_) else []


@cache
def _chars(number: int) -> re.Pattern[str]:
    format_ = FORMATS[number]
    enough = min(4, format_.least) if format_.usual else format_.least
    return re.compile(f"[{format_.chars}]{{{enough},}}")


@cache
def _next_line(number: int) -> re.Pattern[str]:
    format_ = FORMATS[number]
    return re.compile(rf"\r?\n[ \t]{{0,40}}([{format_.chars}]{{1,{format_.usual}}})(?![{format_.chars}])")


@cache
def _pivot(pivot: str) -> re.Pattern[str]:
    return re.compile(rf"{_literal(pivot)}(?<=[A-Za-z0-9].)(?=[A-Za-z0-9_+/=.%-]{{4}})")


def _literal(text: str) -> str:
    """As `re.escape`, for what tokens are made of."""
    return "".join(char if char.isalnum() else f"\\{char}" for char in text)


@cache
def _by_end(pivot: str) -> dict[str, Prefixes]:
    """The prefixes with their formats by their last three characters; longer prefixes first."""
    chosen: dict[str, dict[str, list[int]]] = {}
    for number, format_ in enumerate(FORMATS):
        for prefix in format_.prefixes.split():
            if prefix[-1] == pivot:
                chosen.setdefault(prefix[-_KEY:], {}).setdefault(prefix, []).append(number)
    return {
        end: tuple((prefix, tuple(there[prefix])) for prefix in sorted(there, key=len, reverse=True))
        for end, there in chosen.items()
    }


@cache
def _without_pivot() -> dict[str, tuple[int, ...]]:
    there: dict[str, tuple[int, ...]] = {}
    for number, format_ in enumerate(FORMATS):
        for prefix in format_.prefixes.split():
            if prefix[-1] not in _PIVOTS:
                there[prefix] = (*there.get(prefix, ()), number)
    return there


@cache
def _plain() -> dict[str, re.Pattern[str]]:
    """A pattern for every first letter: a search for one literal is quick."""
    prefixes = sorted(_without_pivot().keys() - _RUNS)
    rests: dict[str, list[str]] = {}
    for prefix in prefixes:
        rests.setdefault(prefix[0], []).append(_literal(prefix[1:]))
    return {first: re.compile(f"{_literal(first)}(?:{'|'.join(rest)})") for first, rest in rests.items()}


@cache
def _at_runs() -> dict[str, tuple[int, ...]]:
    return {prefix: formats for prefix, formats in _without_pivot().items() if prefix in _RUNS}
