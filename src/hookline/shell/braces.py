"""Brace expansion: `{a,b}` and `{1..3}` turn one word into several, before anything else is expanded."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from hookline.shell.result import UNKNOWN
from hookline.shell.syntax import Part

MAX_WORDS = 1024
"""Words that one word may become; `{a,b}` twenty times over is a million."""
_MAX_PIECES = 4096
"""Marks and texts of one word with braces; more than that nobody wrote by hand."""

_MARKS = re.compile(r"([{},])")
_NUMBERS = re.compile(r"(-?\d{1,9})\.\.(-?\d{1,9})", re.ASCII)
_LETTERS = re.compile(r"([A-Za-z])\.\.([A-Za-z])")
_STEPPED = re.compile(r"[^.]+\.\.[^.]+\.\.-?\d+", re.ASCII)

_Sequence: TypeAlias = tuple[Part, ...]


def braces(parts: _Sequence) -> list[_Sequence]:
    """The words that *parts* stand for: itself when there are no braces, unknown when there are too many."""
    if not any(isinstance(part, str) and "{" in part for part in parts):
        return [parts]
    tokens = _tokens(parts)
    found = _expand(tokens) if len(tokens) <= _MAX_PIECES else None
    return [(UNKNOWN,)] if found is None else [merged for one in found if (merged := _merged(one))]


class _Open:
    """A brace that is not closed yet: what stood before it, and its alternatives so far."""

    __slots__ = ("before", "done")

    def __init__(self, before: list[_Sequence]) -> None:
        self.before = before
        self.done: list[list[_Sequence]] = []


def _tokens(parts: _Sequence) -> list[tuple[str, Part]]:
    tokens: list[tuple[str, Part]] = []
    for part in parts:
        if isinstance(part, str):
            tokens += [
                (piece if piece in ("{", "}", ",") else "", piece) for piece in _MARKS.split(part) if piece
            ]
        else:
            tokens.append(("", part))
    return tokens


def _expand(tokens: list[tuple[str, Part]]) -> list[_Sequence] | None:
    current: list[_Sequence] | None = [()]
    stack: list[_Open] = []
    for kind, part in tokens:
        if current is None:
            return None
        if kind == "{":
            stack.append(_Open(current))
            current = [()]
        elif kind == "," and stack:
            stack[-1].done.append(current)
            current = [()]
        elif kind == "}" and stack:
            current = _close(stack.pop(), current)
        else:
            current = [(*one, part) for one in current]
    return None if current is None else _unclosed(stack, current)


def _close(brace: _Open, last: list[_Sequence]) -> list[_Sequence] | None:
    if brace.done:
        return _product(brace.before, [one for group in (*brace.done, last) for one in group])
    ranged = _range(last[0][0]) if len(last) == 1 and len(last[0]) == 1 else None
    if ranged is not None:
        return _product(brace.before, ranged)
    return _product(brace.before, [("{", *one, "}") for one in last])


def _range(written: Part) -> list[_Sequence] | None:
    if not isinstance(written, str):
        return None
    if (found := _NUMBERS.fullmatch(written)) is not None:
        return _count(int(found.group(1)), int(found.group(2)), str)
    if (found := _LETTERS.fullmatch(written)) is not None:
        return _count(ord(found.group(1)), ord(found.group(2)), chr)
    return [(UNKNOWN,)] if _STEPPED.fullmatch(written) else None


def _count(first: int, last: int, spell: Callable[[int], str]) -> list[_Sequence]:
    if abs(last - first) >= MAX_WORDS:
        return [(UNKNOWN,)]
    step = 1 if first <= last else -1
    return [(spell(number),) for number in range(first, last + step, step)]


def _product(before: list[_Sequence], after: list[_Sequence]) -> list[_Sequence] | None:
    if len(before) * len(after) > MAX_WORDS:
        return None
    return [one + two for one in before for two in after]


def _unclosed(stack: list[_Open], current: list[_Sequence]) -> list[_Sequence] | None:
    """Braces that nothing closed are ordinary characters after all."""
    found: list[_Sequence] | None = current
    while stack and found is not None:
        brace = stack.pop()
        tail, found = found, [(*one, "{") for one in brace.before]
        for group in brace.done:
            found = _product(found, [(*one, ",") for one in group]) if found is not None else None
        found = _product(found, tail) if found is not None else None
    return found


def _merged(parts: _Sequence) -> _Sequence:
    merged: list[Part] = []
    for part in parts:
        last = merged[-1] if merged else None
        if isinstance(part, str) and isinstance(last, str):
            merged[-1] = last + part
        else:
            merged.append(part)
    return tuple(merged)
