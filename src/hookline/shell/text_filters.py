"""Filters of text, which a line may run or read afterwards: tr, cut, head, tail, rev, paste, awk, seq.

A filter keeps unknown parts of its input, with their origin, unless it selects some of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from hookline.lazy import re
from hookline.shell.options import Options, parse_options, word_set
from hookline.shell.quotes import decode_ansi
from hookline.shell.result import UNKNOWN
from hookline.shell.sedtext import CHARACTER_CLASSES
from hookline.shell.shell_state import (
    MAX_TEXT,
    OPAQUE,
    Call,
    Program,
    Result,
    ShellState,
    is_unknown,
    resolve,
    spend,
)

Lines: TypeAlias = list[str]

_TR_RANGE = re.compile(r"(.)-(.)|(.)", re.DOTALL)
_CUT_RANGE = re.compile(r"(\d{0,6})(-?)(\d{0,6})")
_COUNT = re.compile(r"([+-]?)(\d{1,9})")
_MAX_NUMBERS = 256
"""Maximum numbers of a sequence that are enumerated."""


def read_text(state: ShellState, call: Call, options: Options) -> str:
    """Return the content of the operands of a filter, or its standard input."""
    paths = [word.text for word in options.operands]
    contents = [
        call.stdin if path == "-" else state.files.get(resolve(state, path), UNKNOWN) for path in paths
    ]
    text = "".join(contents) if paths else call.stdin
    return text if len(text) <= MAX_TEXT else OPAQUE


def _filter_lines(
    values: str, convert: Callable[[Options, Lines], Lines | None], *, selects: bool = False
) -> Program:
    """Return a program that converts the lines of its input; an unknown input stays, unless it *selects*."""
    value_options = word_set(values)

    def program(state: ShellState, call: Call) -> Result:
        options = parse_options(call.argv[1:], value_options, mixed=True)
        text = read_text(state, call, options)
        if is_unknown(text):
            return Result() if selects else Result(text or UNKNOWN)
        if OPAQUE in text or not spend(state, len(text) >> 4):
            return Result(OPAQUE)
        lines = convert(options, text.removesuffix("\n").split("\n"))
        return Result(OPAQUE if lines is None else "".join(line + "\n" for line in lines))

    return program


def _tr(state: ShellState, call: Call) -> Result:
    options = parse_options(call.argv[1:])
    text = call.stdin
    if OPAQUE in text:
        return Result(OPAQUE)
    if not options.operands or is_unknown(text) or not spend(state, len(text) >> 3):
        return Result(text or UNKNOWN)
    first = _expand_set(options.operands[0].text)
    second = _expand_set(options.operands[1].text) if len(options.operands) > 1 else ""
    if options.has("-c", "-C", "--complement"):
        return Result(_keep(text, first, second, delete=options.has("-d", "--delete")))
    if options.has("-d", "--delete"):
        return Result(text.translate(dict.fromkeys(map(ord, first), "")))
    if second:
        padded = second + second[-1] * (len(first) - len(second))
        text = text.translate(
            {ord(old): new for old, new in zip(reversed(first), reversed(padded[: len(first)]), strict=True)}
        )
    if options.has("-s", "--squeeze-repeats"):
        text = re.sub("([" + re.escape(second or first) + "])\\1+", r"\1", text)
    return Result(text)


def _keep(text: str, members: str, replacement: str, *, delete: bool) -> str:
    kept = set(members) | {UNKNOWN}
    other = "" if delete or not replacement else replacement[-1]
    return "".join(char if char in kept or char >= "\U000f0000" else other for char in text)


def _expand_set(text: str) -> str:
    text = decode_ansi(text.replace("\\\\", "\\134"))
    for name, members in CHARACTER_CLASSES.items():
        text = text.replace(name, members)
    if text.startswith("[") and text.endswith("]") and text[2:3] == "-":
        text = text[1:-1]
    return "".join(_expand_range(match) for match in _TR_RANGE.finditer(text))[:1024]


def _expand_range(match: re.Match[str]) -> str:
    if match.group(3) is not None:
        return match.group(3)
    first, last = ord(match.group(1)), ord(match.group(2))
    return "".join(map(chr, range(first, min(last, first + 256) + 1)))


def _cut(options: Options, lines: Lines) -> Lines | None:
    characters = options.value("-c", "-b", "--characters", "--bytes")
    fields = options.value("-f", "--fields")
    chosen = characters or fields
    positions = _parse_positions(chosen.text) if chosen is not None else None
    if positions is None:
        return None
    if characters is not None:
        return [_pick(line, positions, "") for line in lines]
    word = options.value("-d", "--delimiter")
    delimiter = (word.text if word is not None else "\t")[:1] or "\t"
    return [
        _pick(line.split(delimiter), positions, delimiter) if delimiter in line else line for line in lines
    ]


def _parse_positions(text: str) -> list[tuple[int, int]] | None:
    ranges = [_CUT_RANGE.fullmatch(part) for part in text.split(",")]
    if not all(ranges):
        return None
    found = [match.groups() for match in ranges if match is not None]
    return [
        (int(first or 1), int(last) if last else (1 << 30) if dash else int(first or 1))
        for first, dash, last in found
    ]


def _pick(items: str | list[str], positions: list[tuple[int, int]], glue: str) -> str:
    pieces = [piece for first, last in positions for piece in items[first - 1 : last]]
    return glue.join(pieces)


def _head(options: Options, lines: Lines) -> Lines | None:
    size, count = options.value("-c", "--bytes"), _line_count(options)
    if size is not None:
        return ["\n".join(lines)[: int(size.text[:9])]] if size.text.isdecimal() else None
    if count is None:
        return lines
    sign, number = count
    return lines[:-number] or lines if sign == "-" and number else lines[:number]  # a line stands for many


def _tail(options: Options, lines: Lines) -> Lines | None:
    size, count = options.value("-c", "--bytes"), _line_count(options)
    if size is not None:
        start = size.text.removeprefix("+")
        text = "\n".join(lines)
        if not start.isdecimal():
            return None
        return [text[int(start[:9]) - 1 :] if size.text.startswith("+") else text[-int(start[:9]) + 1 :]]
    if count is None:
        return lines
    sign, number = count
    if sign == "+":
        return lines[max(number - 1, 0) :] or lines
    return lines[len(lines) - number :] if number < len(lines) else lines


def _line_count(options: Options) -> tuple[str, int] | None:
    """Return the sign and number of `-n 3`, `-3` or, for tail, `+3`; ten without any."""
    word = options.value("-n", "--lines")
    digits = "".join(name[1:] for name, _ in options.options if name[1:].isdecimal())
    match = _COUNT.fullmatch(word.text if word is not None else digits or "10")
    return None if match is None else (match.group(1), int(match.group(2)))


def _paste(state: ShellState, call: Call) -> Result:
    options = parse_options(call.argv[1:], ("-d", "--delimiters"), mixed=True)
    word = options.value("-d", "--delimiters")
    glue = decode_ansi(word.text)[:1] if word is not None else "\t"
    columns = [
        (call.stdin if item.text == "-" else state.files.get(resolve(state, item.text), UNKNOWN))
        .removesuffix("\n")
        .split("\n")
        for item in options.operands
    ] or [call.stdin.removesuffix("\n").split("\n")]
    if options.has("-s", "--serial"):
        return Result("".join(glue.join(column) + "\n" for column in columns))
    height = max(map(len, columns))
    rows = ([column[row] if row < len(column) else "" for column in columns] for row in range(height))
    return Result("".join(glue.join(row) + "\n" for row in rows))


def _seq(state: ShellState, call: Call) -> Result:
    operands = parse_options(call.argv[1:], ("-s", "-f")).operands
    numbers = [word.text for word in operands]
    if not 1 <= len(numbers) <= 3 or not all(re.fullmatch(r"-?\d{1,9}", number) for number in numbers):  # noqa: PLR2004
        return Result()
    first, step = int(numbers[0]) if len(numbers) > 1 else 1, int(numbers[1]) if len(numbers) > 2 else 1  # noqa: PLR2004
    values = range(first, int(numbers[-1]) + (1 if step > 0 else -1), step) if step else range(0)
    return Result("".join(f"{value}\n" for value in values)) if len(values) <= _MAX_NUMBERS else Result()


def _basename(state: ShellState, call: Call) -> Result:
    operands = parse_options(call.argv[1:], ("-s", "--suffix")).operands
    if not operands or operands[0].dynamic:
        return Result()
    name = operands[0].text.rstrip("/").rpartition("/")[2]
    return Result((name.removesuffix(operands[1].text) if len(operands) > 1 else name) + "\n")


def _dirname(state: ShellState, call: Call) -> Result:
    operands = parse_options(call.argv[1:]).operands
    folder, slash, name = operands[0].text.rstrip("/").rpartition("/") if operands else ("", "", UNKNOWN)
    return Result() if UNKNOWN in name else Result((folder or slash or ".") + "\n")


def _yes(state: ShellState, call: Call) -> Result:
    return Result((" ".join(word.text for word in call.argv[1:]) or "y") + "\n")


PROGRAMS: Mapping[str, Program] = {
    **dict.fromkeys(("tr", "gtr"), _tr),
    "cut": _filter_lines("-c -b -f -d --characters --bytes --fields --delimiter", _cut),
    "head": _filter_lines("-n -c --lines --bytes", _head, selects=True),
    "tail": _filter_lines("-n -c --lines --bytes", _tail, selects=True),
    "rev": _filter_lines("", lambda _, lines: [line[::-1] for line in lines]),
    "tac": _filter_lines("", lambda _, lines: lines[::-1]),
    "paste": _paste,
    "seq": _seq,
    "basename": _basename,
    "dirname": _dirname,
    "yes": _yes,
}
