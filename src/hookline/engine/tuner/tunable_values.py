"""Values that are marked as tunable in code, and their replacement.

A mark is a comment in any syntax: `BLOCK = 16  # tune: 1..100`. It applies to the last value before it on
its line or, if it is alone on its line, on the next line.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from hookline.core.values import replace

ALLOWED = "expected LOW..HIGH, LOW..HIGH log, LOW..HIGH step N, or a|b|c"

_MARK = re.compile(
    r"(?P<open>\#+|//+|--+|;+|%+|/\*+|<!--|\(\*|\{-|'|\brem\b)[ \t]*tune:[ \t]*(?P<space>.*?)[ \t]*"
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
_ASSIGNMENT = re.compile(r"([A-Za-z_][\w.-]*)[\"']?\s*(?::\s*[\w.\[\]]+\s*)?(?:=|:)(?!=)")
_WORD = re.compile(r"[A-Za-z_]\w*")

Value = int | float | str


class BadMark(ValueError):
    """An invalid mark; the message names its place and the allowed forms."""


class Range(Struct, frozen=True, kw_only=True):
    """Numbers from `low` to `high`, both included."""

    low: float
    high: float
    whole: bool
    log: bool = False
    step: float | None = None


class Choice(Struct, frozen=True, kw_only=True):
    """A set of words or numbers."""

    options: tuple[str, ...]


class TunableValue(Struct, frozen=True, kw_only=True):
    """A tunable value, and its position in the file's text."""

    name: str
    path: str
    line: int
    space: Range | Choice
    value: Value
    start: int
    end: int


def find_marks(files: Mapping[str, str]) -> tuple[TunableValue, ...]:
    """Return the marks in texts by path, each with a unique name taken from the assignment."""
    marks = [mark for path, text in files.items() for mark in _find_in_text(path, text)]
    counts = Counter(mark.name for mark in marks)
    seen: Counter[str] = Counter()
    named = []
    for mark in marks:
        name = f"{mark.path}:{mark.name}" if counts[mark.name] > 1 else mark.name
        seen[name] += 1
        named.append(replace(mark, name=f"{name}#{seen[name]}" if seen[name] > 1 else name))
    return tuple(named)


def replace_values(
    files: Mapping[str, str], marks: Sequence[TunableValue], values: Mapping[str, Value]
) -> dict[str, str]:
    """Return the changed texts, with new values at the marks."""
    texts: dict[str, str] = {}
    for mark in sorted(marks, key=lambda mark: mark.start, reverse=True):
        if mark.name in values and values[mark.name] != mark.value:
            text = texts.get(mark.path, files[mark.path])
            texts[mark.path] = text[: mark.start] + format_value(values[mark.name]) + text[mark.end :]
    return texts


def format_value(value: Value) -> str:
    """Return the value as a literal in code."""
    return value if isinstance(value, str) else f"{value:d}" if isinstance(value, int) else f"{value!r}"


def _find_in_text(path: str, text: str) -> Iterator[TunableValue]:
    offset, lines = 0, text.splitlines(keepends=True)
    starts = []
    for line in lines:
        starts.append(offset)
        offset += len(line)
    for number, line in enumerate(lines):
        match = _MARK.search(line.rstrip("\n"))
        if match:
            yield _parse_mark(path, lines, starts, number, match)


def _parse_mark(
    path: str, lines: Sequence[str], starts: Sequence[int], number: int, match: re.Match[str]
) -> TunableValue:
    space = _parse_space(match["space"], f"{path} line {number + 1}")
    row, before = number, lines[number][: match.start()]
    if not before.strip() and number + 1 < len(lines):
        row = number + 1
        before = _MARK.split(lines[row].rstrip("\r\n"), maxsplit=1)[0]
    where = f"{path} line {row + 1}"
    span = _find_value(before, space)
    if span is None:
        expected = "number" if isinstance(space, Range) else f"one of {', '.join(space.options)}"
        raise BadMark(
            f"{where}: the mark `tune: {match['space']}` has no {expected} before it; place it after one"
        )
    start, end = span
    value = _convert_value(before[start:end], space)
    return TunableValue(
        name=_find_name(before[:start], row),
        path=path,
        line=row + 1,
        space=space,
        value=value,
        start=starts[row] + start,
        end=starts[row] + end,
    )


def _parse_space(text: str, where: str) -> Range | Choice:
    if "|" in text:
        options = tuple(part.strip().strip("\"'") for part in text.split("|"))
        if all(options) and len(set(options)) == len(options):
            return Choice(options=options)
    elif match := _RANGE.fullmatch(text):
        low, high = _parse_number(match["low"]), _parse_number(match["high"])
        step = _parse_number(match["step"]) if match["step"] else None
        integers = all(isinstance(number, int | None) for number in (low, high, step))
        if low < high and not (match["log"] and low <= 0) and (step is None or step > 0):
            return Range(low=low, high=high, whole=integers, log=bool(match["log"]), step=step)
    raise BadMark(f"{where}: invalid mark `tune: {text}`: {ALLOWED}")


def _parse_number(text: str) -> int | float:
    plain = text.replace("_", "")
    return int(plain) if re.fullmatch(r"[-+]?[0-9]+", plain) else float(plain)


def _find_value(before: str, space: Range | Choice) -> tuple[int, int] | None:
    if isinstance(space, Range):
        spans = [match.span() for match in _LITERAL.finditer(before)]
    else:
        either = "|".join(re.escape(option) for option in sorted(space.options, key=len, reverse=True))
        spans = [match.span() for match in re.finditer(rf"(?<![\w.-])(?:{either})(?![\w.-])", before)]
    return spans[-1] if spans else None


def _convert_value(text: str, space: Range | Choice) -> Value:
    if isinstance(space, Choice):
        return text
    number = _parse_number(text)
    return number if space.whole and isinstance(number, int) else float(number)


def _find_name(before: str, row: int) -> str:
    named = _ASSIGNMENT.findall(before)
    words = named or _WORD.findall(before)
    return words[-1] if words else f"line {row + 1}"
