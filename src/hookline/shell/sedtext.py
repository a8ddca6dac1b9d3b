"""Output of sed for a known text: substitutions and selections of lines, the ordinary subset of its scripts.

A script outside the subset, and a pattern that could take long to match, give None.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

MAX_MATCH_WORK = 500_000
"""Maximum steps that matching one pattern with all lines may take."""
_ADDRESS = re.compile(r"\s*(\d+|\$|/(?:[^/\\\n]|\\.)*/)(?:,(\d+|\$|/(?:[^/\\\n]|\\.)*/))?\s*(!?)\s*")
_SIMPLE = re.compile(r"([pdqP])\s*(?:;|\n|\Z|(?=\}))")
_FLAGS = re.compile(r"([gpIi\d]*)\s*(?:;|\n|\Z|(?=\}))")
_BLANKS = re.compile(r"[\s;{}]*")
_BASIC_TOKEN = re.compile(r"\\(.)|\[\^?\]?(?:\[:\w+:\]|[^\]])*\]|(.)", re.DOTALL)
CHARACTER_CLASSES = {
    "[:alpha:]": "A-Za-z",
    "[:digit:]": "0-9",
    "[:alnum:]": "A-Za-z0-9",
    "[:upper:]": "A-Z",
    "[:lower:]": "a-z",
    "[:space:]": " \t\n\r\f\v",
    "[:blank:]": " \t",
    "[:punct:]": r"!-/:-@\[-`{-~",
    "[:xdigit:]": "0-9A-Fa-f",
}
"""The characters of each class, as ranges in a set."""
_SPECIAL = frozenset("(){}|+?")
"""Characters that are special without a backslash in an extended expression, and with one in a basic one."""
_ESCAPES = {
    "n": "\n",
    "t": "\t",
    **dict.fromkeys("b<>", r"\b"),
    **{letter: "\\" + letter for letter in "sSwW"},
}
_QUANTIFIERS = re.compile(r"(?<!\\)(?:[*+]|\{\d*,\d*\})")
_REPEATED_GROUP = re.compile(r"\)\s*(?:[*+]|\{)")
_REFERENCE = re.compile(r"\\(.)|(&)", re.DOTALL)


class _Rule(NamedTuple):
    """One command of a script, with the lines it applies to."""

    letter: str
    first: str = ""
    last: str = ""
    negated: bool = False
    pattern: re.Pattern[str] | None = None
    replacement: str = ""
    flags: str = ""


def apply_sed(scripts: list[str], text: str, *, quiet: bool, extended: bool) -> str | None:
    """Return the output of sed for *text*, or None if a part of the scripts is not in the subset."""
    try:
        rules = [rule for script in scripts for rule in _parse(script, extended=extended)]
    except (ValueError, re.error, OverflowError, RecursionError):
        return None
    lines = text.removesuffix("\n").split("\n") if text else []
    if not all(_matches_quickly(rule.pattern, lines) for rule in rules):
        return None
    output: list[str] = []
    active = [False] * len(rules)
    for number, line in enumerate(lines, 1):
        if not _edit_line(rules, active, line, (number, len(lines)), output, quiet=quiet):
            break
    if not output and all(rule.letter == "d" and rule.first.isdecimal() for rule in rules):
        output = lines  # one line may stand for many
    return "".join(line + "\n" for line in output)


def _edit_line(
    rules: list[_Rule],
    active: list[bool],
    line: str,
    place: tuple[int, int],
    output: list[str],
    *,
    quiet: bool,
) -> bool:
    """Append the output for one line, and return whether the next line is read."""
    for index, rule in enumerate(rules):
        if not _selects(rule, active, index, line, place):
            continue
        if rule.letter in "dq":
            output += [] if quiet or rule.letter == "d" else [line]
            return rule.letter == "d"
        line, prints = _apply(rule, line)
        output += [line] if prints else []
    output += [] if quiet else [line]
    return True


def _apply(rule: _Rule, line: str) -> tuple[str, bool]:
    """Return the changed line, and whether the command also prints it."""
    if rule.pattern is not None:
        line, count = _substitute(rule.pattern, rule, line)
        return line, bool(count) and "p" in rule.flags
    if rule.letter == "y":
        return line.translate(str.maketrans(rule.replacement, rule.flags)), False
    return line, True


def _selects(rule: _Rule, active: list[bool], index: int, line: str, place: tuple[int, int]) -> bool:
    if not rule.first:
        return True
    if not rule.last:
        return _at(rule.first, line, place) != rule.negated
    if active[index]:
        active[index] = not (_at(rule.last, line, place) or _is_past(rule.last, place[0]))
        return not rule.negated
    started = _at(rule.first, line, place)
    active[index] = started and not _is_past(rule.last, place[0] + 1)
    return started != rule.negated


def _at(address: str, line: str, place: tuple[int, int]) -> bool:
    if address == "$":
        return place[0] == place[1]
    if address.isdecimal():
        return place[0] == int(address[:6])
    return address[1:-1] in line  # a literal pattern; others are rejected by _parse


def _is_past(address: str, number: int) -> bool:
    return address.isdecimal() and number > int(address[:6])


def _substitute(pattern: re.Pattern[str], rule: _Rule, line: str) -> tuple[str, int]:
    """Return *line* after the substitution, and how often the pattern matched."""
    number = "".join(char for char in rule.flags if char.isdecimal())
    seen = 0

    def replace(match: re.Match[str]) -> str:
        nonlocal seen
        seen += 1
        if number and (seen < int(number[:4]) or (seen > int(number[:4]) and "g" not in rule.flags)):
            return match.group()
        return _REFERENCE.sub(lambda part: _expand_reference(part, match), rule.replacement)

    return pattern.subn(replace, line, count=0 if "g" in rule.flags or number else 1)


def _expand_reference(part: re.Match[str], match: re.Match[str]) -> str:
    letter = part.group(1)
    if letter is None:
        return match.group()
    if letter.isdecimal():
        return match.group(int(letter)) or "" if int(letter) <= match.re.groups else ""
    return {"n": "\n", "t": "\t"}.get(letter, letter)


def _parse(script: str, *, extended: bool) -> Iterator[_Rule]:
    pos = _skip_blanks(script, 0)
    while pos < len(script):
        address = _ADDRESS.match(script, pos)
        first, last, mark = address.groups() if address is not None else ("", "", "")
        if any(re.search(r"[\\.*\[^$]", item[1:-1]) for item in (first, last or "") if item[:1] == "/"):
            raise ValueError(script)
        pos = address.end() if address is not None else pos
        rule, pos = _parse_command(script, pos, extended=extended)
        yield rule._replace(first=first or "", last=last or "", negated=bool(mark))
        pos = _skip_blanks(script, pos)


def _skip_blanks(script: str, pos: int) -> int:
    match = _BLANKS.match(script, pos)
    return match.end() if match is not None else pos


def _parse_command(script: str, pos: int, *, extended: bool) -> tuple[_Rule, int]:
    simple = _SIMPLE.match(script, pos)
    if simple is not None:
        return _Rule(simple.group(1)), simple.end()
    letter, delimiter = script[pos : pos + 1], script[pos + 1 : pos + 2]
    if letter not in ("s", "y") or not delimiter or delimiter in "\\\n":
        raise ValueError(script)
    quoted = re.escape(delimiter)
    piece = rf"((?:[^\\{quoted}]|\\.)*){quoted}"
    match = re.compile(piece + piece, re.DOTALL).match(script, pos + 2)
    flags = _FLAGS.match(script, match.end()) if match is not None else None
    if match is None or flags is None:
        raise ValueError(script)
    pattern, replacement = match.group(1).replace("\\" + delimiter, delimiter), match.group(2)
    if letter == "y":
        return _Rule("y", replacement=pattern, flags=replacement), flags.end()
    options = re.IGNORECASE if "i" in flags.group(1).lower() else 0
    compiled = re.compile(translate_pattern(pattern, extended=extended), options)
    return _Rule("s", pattern=compiled, replacement=replacement, flags=flags.group(1)), flags.end()


def translate_pattern(pattern: str, *, extended: bool) -> str:
    """Return a basic or *extended* regular expression as one of Python."""
    pieces: list[str] = []
    for match in _BASIC_TOKEN.finditer(pattern):
        escaped, char = match.groups()
        if escaped is not None:
            pieces.append(_translate_escape(escaped, extended=extended))
        elif char is None:
            pieces.append(_translate_set(match.group()))
        elif char in _SPECIAL and not extended:
            pieces.append("\\" + char)
        elif char == "*" and not pieces:
            pieces.append(r"\*")
        else:
            pieces.append(char)
    return "".join(pieces)


def _translate_escape(escaped: str, *, extended: bool) -> str:
    if escaped in _SPECIAL and not extended:
        return escaped
    if escaped in _ESCAPES or escaped.isdecimal():
        return _ESCAPES.get(escaped, "\\" + escaped)
    return re.escape(escaped)


def _translate_set(text: str) -> str:
    inner = text[1:-1]
    for name, members in CHARACTER_CLASSES.items():
        inner = inner.replace(name, members)
    negation = "^" if inner.startswith("^") else ""
    members = inner.removeprefix("^").replace("[", r"\[")
    return f"[{negation}{members}]" if members else re.escape(text)


def _matches_quickly(pattern: re.Pattern[str] | None, lines: list[str]) -> bool:
    """Return whether matching takes a bounded number of steps, whatever the lines are."""
    if pattern is None:
        return True
    if _REPEATED_GROUP.search(pattern.pattern):
        return False
    degree = 1 + len(_QUANTIFIERS.findall(pattern.pattern))
    steps: int = sum(min(len(line), 10_000) ** min(degree, 6) for line in lines)
    return steps <= MAX_MATCH_WORK
