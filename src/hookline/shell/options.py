"""Tell a program's options from its operands, given which options take a value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from hookline.shell.result import UNKNOWN, Word


def spelled(text: str) -> frozenset[str]:
    """The words of *text*: a table that reads as prose."""
    return frozenset(text.split())


class Options(NamedTuple):
    given: tuple[tuple[str, Word | None], ...]
    """Each option as `-x` or `--name`, in order, with its value if it has one."""
    operands: tuple[Word, ...]

    def has(self, *names: str) -> bool:
        return any(name in names for name, _ in self.given)

    def value(self, *names: str) -> Word | None:
        """The last value given for any of *names*."""
        return next(
            (value for name, value in reversed(self.given) if name in names and value is not None), None
        )


def options(
    words: Iterable[Word], values: Iterable[str] = (), *, mixed: bool = False, names: Iterable[str] = ()
) -> Options:
    """Split *words*: *values* are options that take one, *mixed* lets options follow operands.

    Long options may be shortened to what begins none of the other *names*.
    """
    takes, longs = frozenset(values), frozenset(names)
    given: list[tuple[str, Word | None]] = []
    operands: list[Word] = []
    rest = list(words)
    rest.reverse()
    while rest:
        word = rest.pop()
        if word.text == "--":
            operands += reversed(rest)
            break
        if not word.text.startswith("-") or word.text == "-":
            operands.append(word)
            if not mixed:
                operands += reversed(rest)
                break
        elif word.text.startswith("--"):
            given.append(_long(word, takes, longs, rest))
        else:
            _cluster(word, takes, rest, given)
    return Options(tuple(given), tuple(operands))


def _long(
    word: Word, takes: frozenset[str], longs: frozenset[str], rest: list[Word]
) -> tuple[str, Word | None]:
    written, equals, value = word.text.partition("=")
    name = _full(written, longs)
    if equals:
        return name, Word(text=value, span=word.span)
    return name, rest.pop() if name in takes and rest else None


def _cluster(
    word: Word, takes: frozenset[str], rest: list[Word], given: list[tuple[str, Word | None]]
) -> None:
    for position, letter in enumerate(word.text[1:], 2):
        option = "-" + letter
        if option not in takes:
            given.append((option, None))
            continue
        joined = word.text[position:]
        value = Word(text=joined, span=word.span) if joined else rest.pop() if rest else None
        given.append((option, value))
        return


def _full(written: str, names: frozenset[str]) -> str:
    """The name that *written* is short for; of several, the one that begins all others."""
    if written in names or not names or UNKNOWN in written:
        return written
    fitting = sorted((name for name in names if name.startswith(written)), key=len)
    return fitting[0] if fitting and all(name.startswith(fitting[0]) for name in fitting) else written
