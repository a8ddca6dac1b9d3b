"""Values that are marked in code as free to choose, and how others are put in their place.

A mark is a comment, in whatever syntax the file has: `BLOCK = 16  # tune: 1..100`. It speaks of the last
value before it on its line or, where it stands alone, on the next line.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from hookline.core.values import replace

ALLOWED = "write LOW..HIGH, LOW..HIGH log, LOW..HIGH step N, or a|b|c"

_MARK = re.compile(
    r"(?P<open>\#+|//+|--+|;+|%+|/\*+|<!--|\(\*|\{-|'|\brem\b)[ \t]*tune:[ \t]*(?P<says>.*?)[ \t]*"
    r"(?:\*+/|-->|\*\)|-\}|\r?$)",
    re.IGNORECASE,
)
_NUMBER = r"[-+]?(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_LITERAL = re.compile(
    rf"(?<![\w.])(?:(?<![\w)\]]\s)(?<![\w)\]])[-+])?{_NUMBER.removeprefix('[-+]?')}(?![\w.])"
)
_RANGE = re.compile(
    rf"(?P<low>{_NUMBER.replace('?[0-9_]*|', '?[0-9_]*?|')})\s*\.\.\s*(?P<high>{_NUMBER})"
    rf"(?:\s+(?P<log>log)|\s+step\s+(?P<step>{_NUMBER}))?"
)
_NAMED = re.compile(r"([A-Za-z_][\w.-]*)[\"']?\s*(?::\s*[\w.\[\]]+\s*)?(?:=|:)(?!=)")
_WORD = re.compile(r"[A-Za-z_]\w*")

Value = int | float | str


class BadMark(ValueError):
    """A mark that cannot be followed; the message names its place and says what may stand there."""


class Range(Struct, frozen=True, kw_only=True):
    """Numbers from one to another, both included."""

    low: float
    high: float
    whole: bool
    log: bool = False
    step: float | None = None


class Choice(Struct, frozen=True, kw_only=True):
    """A few words or numbers."""

    options: tuple[str, ...]


class Mark(Struct, frozen=True, kw_only=True):
    """One value that is free to choose, and where it stands in its file's text."""

    name: str
    path: str
    line: int
    space: Range | Choice
    value: Value
    start: int
    end: int


def marks(files: Mapping[str, str]) -> tuple[Mark, ...]:
    """The marks in texts by their paths; each has a name of its own, which says what it is the value of."""
    found = [mark for path, text in files.items() for mark in _in(path, text)]
    shared = Counter(mark.name for mark in found)
    seen: Counter[str] = Counter()
    named = []
    for mark in found:
        name = f"{mark.path}:{mark.name}" if shared[mark.name] > 1 else mark.name
        seen[name] += 1
        named.append(replace(mark, name=f"{name}#{seen[name]}" if seen[name] > 1 else name))
    return tuple(named)


def changed(files: Mapping[str, str], found: Sequence[Mark], values: Mapping[str, Value]) -> dict[str, str]:
    """The texts with other values where the marks point; only those texts that are changed."""
    texts: dict[str, str] = {}
    for mark in sorted(found, key=lambda mark: mark.start, reverse=True):
        if mark.name in values and values[mark.name] != mark.value:
            text = texts.get(mark.path, files[mark.path])
            texts[mark.path] = text[: mark.start] + written(values[mark.name]) + text[mark.end :]
    return texts


def written(value: Value) -> str:
    """As it stands in code."""
    return value if isinstance(value, str) else f"{value:d}" if isinstance(value, int) else f"{value!r}"


def _in(path: str, text: str) -> Iterator[Mark]:
    at, lines = 0, text.splitlines(keepends=True)
    starts = []
    for one in lines:
        starts.append(at)
        at += len(one)
    for number, one in enumerate(lines):
        found = _MARK.search(one.rstrip("\n"))
        if found:
            yield _mark(path, lines, starts, number, found)


def _mark(path: str, lines: Sequence[str], starts: Sequence[int], number: int, found: re.Match[str]) -> Mark:
    space = _space(found["says"], f"{path} line {number + 1}")
    row, before = number, lines[number][: found.start()]
    if not before.strip() and number + 1 < len(lines):
        row = number + 1
        before = _MARK.split(lines[row].rstrip("\r\n"), maxsplit=1)[0]
    where = f"{path} line {row + 1}"
    token = _token(before, space)
    if token is None:
        wanted = "number" if isinstance(space, Range) else f"one of {', '.join(space.options)}"
        raise BadMark(
            f"{where}: the mark `tune: {found['says']}` has no {wanted} before it; put it behind one"
        )
    start, end = token
    value = _value(before[start:end], space)
    return Mark(
        name=_name(before[:start], row),
        path=path,
        line=row + 1,
        space=space,
        value=value,
        start=starts[row] + start,
        end=starts[row] + end,
    )


def _space(says: str, where: str) -> Range | Choice:
    if "|" in says:
        options = tuple(part.strip().strip("\"'") for part in says.split("|"))
        if all(options) and len(set(options)) == len(options):
            return Choice(options=options)
    elif found := _RANGE.fullmatch(says):
        low, high = _number(found["low"]), _number(found["high"])
        step = _number(found["step"]) if found["step"] else None
        whole = all(isinstance(one, int | None) for one in (low, high, step))
        if low < high and not (found["log"] and low <= 0) and (step is None or step > 0):
            return Range(low=low, high=high, whole=whole, log=bool(found["log"]), step=step)
    raise BadMark(f"{where}: `tune: {says}` is no range and no choice; {ALLOWED}")


def _number(text: str) -> int | float:
    plain = text.replace("_", "")
    return int(plain) if re.fullmatch(r"[-+]?[0-9]+", plain) else float(plain)


def _token(before: str, space: Range | Choice) -> tuple[int, int] | None:
    if isinstance(space, Range):
        spans = [found.span() for found in _LITERAL.finditer(before)]
    else:
        either = "|".join(re.escape(option) for option in sorted(space.options, key=len, reverse=True))
        spans = [found.span() for found in re.finditer(rf"(?<![\w.-])(?:{either})(?![\w.-])", before)]
    return spans[-1] if spans else None


def _value(text: str, space: Range | Choice) -> Value:
    if isinstance(space, Choice):
        return text
    number = _number(text)
    return number if space.whole and isinstance(number, int) else float(number)


def _name(before: str, row: int) -> str:
    named = _NAMED.findall(before)
    words = named or _WORD.findall(before)
    return words[-1] if words else f"line {row + 1}"
