"""Brace expansion: `{a,b}` and `{1..3}` turn one word into several, before any other expansion."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from hookline.shell.result import UNKNOWN
from hookline.shell.shell_state import OPAQUE
from hookline.shell.syntax import Part

MAX_WORDS = 1024
"""Maximum words that one word expands to; `{a,b}` repeated twenty times is a million."""
_MAX_TOKENS = 4096
"""Maximum braces, commas and texts in one word with braces."""

_BRACE_CHARACTERS = re.compile(r"([{},])")
_NUMBER_RANGE = re.compile(r"(-?\d{1,9})\.\.(-?\d{1,9})", re.ASCII)
_LETTER_RANGE = re.compile(r"([A-Za-z])\.\.([A-Za-z])")
_STEPPED_RANGE = re.compile(r"[^.]+\.\.[^.]+\.\.-?\d+", re.ASCII)

_Parts: TypeAlias = tuple[Part, ...]


def expand_braces(parts: _Parts) -> list[_Parts]:
    """Return the words that *parts* expand to; *parts* itself without braces, opaque if too many."""
    if not any(isinstance(part, str) and "{" in part for part in parts):
        return [parts]
    count = sum(part.count("{") + part.count(",") for part in parts if isinstance(part, str))
    words = _expand(_tokenize(parts)) if count + len(parts) <= _MAX_TOKENS else None
    return [(OPAQUE,)] if words is None else [merged for word in words if (merged := _merge_texts(word))]


class _OpenBrace:
    """A brace that is not closed yet: the words before it, and its alternatives so far."""

    __slots__ = ("alternatives", "before")

    def __init__(self, before: list[_Parts]) -> None:
        self.before = before
        self.alternatives: list[list[_Parts]] = []


def _tokenize(parts: _Parts) -> list[tuple[str, Part]]:
    tokens: list[tuple[str, Part]] = []
    for part in parts:
        if isinstance(part, str):
            tokens += [
                (piece if piece in ("{", "}", ",") else "", piece)
                for piece in _BRACE_CHARACTERS.split(part)
                if piece
            ]
        else:
            tokens.append(("", part))
    return tokens


def _expand(tokens: list[tuple[str, Part]]) -> list[_Parts] | None:
    current: list[_Parts] | None = [()]
    stack: list[_OpenBrace] = []
    for kind, part in tokens:
        if current is None:
            return None
        if kind == "{":
            stack.append(_OpenBrace(current))
            current = [()]
        elif kind == "," and stack:
            stack[-1].alternatives.append(current)
            current = [()]
        elif kind == "}" and stack:
            current = _close_brace(stack.pop(), current)
        else:
            current = [(*word, part) for word in current]
    return None if current is None else _restore_unclosed(stack, current)


def _close_brace(brace: _OpenBrace, last: list[_Parts]) -> list[_Parts] | None:
    if brace.alternatives:
        return _product(brace.before, [word for group in (*brace.alternatives, last) for word in group])
    range_words = _expand_range(last[0][0]) if len(last) == 1 and len(last[0]) == 1 else None
    if range_words is not None:
        return _product(brace.before, range_words)
    return _product(brace.before, [("{", *word, "}") for word in last])


def _expand_range(part: Part) -> list[_Parts] | None:
    if not isinstance(part, str):
        return None
    if (match := _NUMBER_RANGE.fullmatch(part)) is not None:
        return _enumerate_range(int(match.group(1)), int(match.group(2)), str)
    if (match := _LETTER_RANGE.fullmatch(part)) is not None:
        return _enumerate_range(ord(match.group(1)), ord(match.group(2)), chr)
    return [(UNKNOWN,)] if _STEPPED_RANGE.fullmatch(part) else None


def _enumerate_range(first: int, last: int, spell: Callable[[int], str]) -> list[_Parts]:
    if abs(last - first) >= MAX_WORDS:
        return [(UNKNOWN,)]
    step = 1 if first <= last else -1
    return [(spell(number),) for number in range(first, last + step, step)]


def _product(before: list[_Parts], after: list[_Parts]) -> list[_Parts] | None:
    if len(before) * len(after) > MAX_WORDS:
        return None
    return [left + right for left in before for right in after]


def _restore_unclosed(stack: list[_OpenBrace], current: list[_Parts]) -> list[_Parts] | None:
    """Return *current* with the braces that nothing closed as ordinary characters."""
    words: list[_Parts] | None = current
    while stack and words is not None:
        brace = stack.pop()
        tail, words = words, [(*word, "{") for word in brace.before]
        for group in brace.alternatives:
            words = _product(words, [(*word, ",") for word in group]) if words is not None else None
        words = _product(words, tail) if words is not None else None
    return words


def _merge_texts(parts: _Parts) -> _Parts:
    merged: list[Part] = []
    for part in parts:
        last = merged[-1] if merged else None
        if isinstance(part, str) and isinstance(last, str):
            merged[-1] = last + part
        else:
            merged.append(part)
    return tuple(merged)
