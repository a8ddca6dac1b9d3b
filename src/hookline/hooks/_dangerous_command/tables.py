"""Tables of commands: a line names a program, the shape of its arguments and the rule that it breaks.

A word of a shape is a pattern for the next operand (`a|b`, `delete-*`, `...` for any number of them),
`@delete` a verb that destroys among the first four, `=device` an operand of that sort,
`-f|--force` an option that must be there, `--method=DELETE` one with its value, `!-n` one that must not be,
`<disable*` what it reads.
A `?` behind the rule has it ask, whatever its pack does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from hookline.hooks._dangerous_command.rule import Action, Finding, Judge, Pack, Place
from hookline.shell import SimpleCommand, Word
from hookline.shell.options import word_set

_VERBS = word_set(
    """delete del destroy remove rm purge erase wipe drop terminate uninstall unregister revoke
    deprovision deregister decommission nuke"""
)
_ANY = ("*", "?", "[", "@", "=", "...")
_PARTS = re.compile(r"[-:_.]")
_SAFE = word_set("--help -help --dry-run -dry-run --dryrun --what-if --whatif --preview-only")
_READ = 1_000
"""Characters of the standard input that are looked at."""
_NOT = frozenset({"false", "none", "no", "0"})


class Row(NamedTuple):
    path: tuple[str, ...]
    needs: tuple[str, ...]
    bars: tuple[str, ...]
    reads: tuple[str, ...]
    rule: str
    action: Action | None


class Split(NamedTuple):
    operands: tuple[Word, ...]
    given: Mapping[str, str]
    """Each option with its last value, empty where it has none."""


def table(
    pack: Pack,
    text: str,
    *,
    values: str = "",
    long: bool = False,
    sorts: Mapping[str, Callable[[str], bool]] | None = None,
) -> Mapping[str, Judge]:
    """The judges of all programs that *text* has lines about.

    *values* are options that take the next word; with *long*, `-name` is one option and not four letters.
    """
    rows, takes = _rows(text), word_set(values)

    def judge(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
        split = arguments(words, takes, long=long)
        if any(name in _SAFE and value.lower() not in _NOT for name, value in split.given.items()):
            return
        if split.operands and split.operands[0].text == "help":
            return
        own = rows.get(command.name, {})
        first = split.operands[0].text if split.operands else ""
        for row in (*own.get(first, ()), *own.get("", ())):
            at = _fitting(row, split, sorts or {})
            if at is not None and (not row.reads or _matches(command.stdin[:_READ].lower(), row.reads)):
                yield pack.find(row.rule, command, at, row.action)
                return

    return dict.fromkeys(rows, judge)


def _rows(text: str) -> Mapping[str, Mapping[str, list[Row]]]:
    """The rows of each program, by the first operand with which they can fit."""
    rows: dict[str, dict[str, list[Row]]] = {}
    for line in filter(None, map(str.split, text.strip().splitlines())):
        row = _row(line)
        for program in line[0].split("|"):
            for first in _firsts(row):
                rows.setdefault(program, {}).setdefault(first, []).append(row)
    return rows


def _firsts(row: Row) -> list[str]:
    """The first operands with which *row* can fit; an empty one stands for any."""
    first = row.path[0] if row.path else ""
    return [""] if any(sign in first for sign in _ANY) else first.split("|")


def _row(line: list[str]) -> Row:
    rest = line[1:-1]
    bars = tuple(word[1:] for word in rest if word.startswith("!"))
    needs = tuple(word for word in rest if word.startswith("-"))
    reads = tuple(one for word in rest if word.startswith("<") for one in word[1:].split("|"))
    path = tuple(word for word in rest if not word.startswith(("-", "!", "<")))
    rule = line[-1].removesuffix("?")
    return Row(path, needs, bars, reads, rule, "ask" if rule != line[-1] else None)


def arguments(words: tuple[Word, ...], takes: frozenset[str], *, long: bool = False) -> Split:
    """*words* as operands and options, wherever they stand."""
    operands: list[Word] = []
    given: dict[str, str] = {}
    rest = list(reversed(words))
    while rest:
        word = rest.pop()
        if word.text == "--":
            operands += reversed(rest)
            break
        if not word.text.startswith("-") or word.text == "-":
            operands.append(word)
        else:
            _option(word.text, takes, rest, given, long=long)
    return Split(tuple(operands), given)


def _option(text: str, takes: frozenset[str], rest: list[Word], given: dict[str, str], *, long: bool) -> None:
    if long or text.startswith("--"):
        name, equals, value = text.partition("=")
        given[name] = value if equals or name not in takes or not rest else rest.pop().text
        return
    for position, letter in enumerate(text[1:], 2):
        name = "-" + letter
        if name in takes:
            given[name] = text[position:].removeprefix("=") or (rest.pop().text if rest else "")
            return
        given[name] = text[position + 1 :] if text[position : position + 1] == "=" else ""


def _fitting(row: Row, split: Split, sorts: Mapping[str, Callable[[str], bool]]) -> Word | None:
    """The operand that makes *row* fit, or an empty word where none is asked for; None if it does not."""
    if not all(_has(need, split.given) for need in row.needs):
        return None
    if any(_has(bar, split.given) for bar in row.bars):
        return None
    last: Word | None = Word(text="", span=(0, 0))
    rest = list(split.operands)
    for pattern in row.path:
        last, rest = _step(pattern, rest, sorts)
        if last is None:
            return None
    return last


def _has(wanted: str, given: Mapping[str, str]) -> bool:
    for pattern, equals, value in (one.partition("=") for one in wanted.split("|")):
        if any(
            fnmatchcase(name, pattern) and (not equals or fnmatchcase(found.upper(), value.upper()))
            for name, found in given.items()
        ):
            return True
    return False


def _step(
    pattern: str, rest: list[Word], sorts: Mapping[str, Callable[[str], bool]]
) -> tuple[Word | None, list[Word]]:
    """The operand that *pattern* takes, and those after it."""
    if pattern.startswith("="):
        sort = sorts[pattern[1:]]
        return next((word for word in rest if sort(word.text)), None), rest
    if pattern == "@delete":
        return next((word for word in rest[:4] if destroys(word.text)), None), rest
    if pattern.startswith("..."):
        wanted = pattern[3:].split("|")
        place = next((p for p, word in enumerate(rest) if _matches(word.text, wanted)), None)
        return (None, rest) if place is None else (rest[place], rest[place + 1 :])
    if rest and _matches(rest[0].text, pattern.split("|")):
        return rest[0], rest[1:]
    return None, rest


def _matches(text: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(text, pattern) for pattern in patterns)


def destroys(text: str) -> bool:
    """Whether a subcommand is called after what it destroys: `delete`, `delete-stack`, `apps:destroy`."""
    low = text.lower()
    if low in _VERBS:
        return True
    parts = _PARTS.split(low) if low[:1].isalpha() and "/" not in low and "@" not in low else []
    return len(parts) > 1 and (parts[0] in _VERBS or (":" in low and parts[-1] in _VERBS))
