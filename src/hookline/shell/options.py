"""Parsing of a program's arguments into options and operands, given the options that take a value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from hookline.shell.result import UNKNOWN, Word


def word_set(text: str) -> frozenset[str]:
    """Return the words of *text*; lets a table be written as prose."""
    return frozenset(text.split())


class Options(NamedTuple):
    """The options and operands of one command."""

    options: tuple[tuple[str, Word | None], ...]
    """Each option as `-x` or `--name`, in order, with its value if it has one."""
    operands: tuple[Word, ...]

    def has(self, *names: str) -> bool:
        """Return whether any of the options *names* is present."""
        return any(name in names for name, _ in self.options)

    def value(self, *names: str) -> Word | None:
        """Return the last value of any of *names*, or None."""
        return next(
            (value for name, value in reversed(self.options) if name in names and value is not None), None
        )


def parse_options(
    words: Iterable[Word], values: Iterable[str] = (), *, mixed: bool = False, names: Iterable[str] = ()
) -> Options:
    """Split *words* into options and operands.

    *values* are the options that take a value; *mixed* lets options follow operands. With *names*, a long
    option may be abbreviated to a prefix that no other of these names has.
    """
    value_options, long_names = frozenset(values), frozenset(names)
    options: list[tuple[str, Word | None]] = []
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
            options.append(_parse_long(word, value_options, long_names, rest))
        else:
            _parse_cluster(word, value_options, rest, options)
    return Options(tuple(options), tuple(operands))


def _parse_long(
    word: Word, value_options: frozenset[str], long_names: frozenset[str], rest: list[Word]
) -> tuple[str, Word | None]:
    text, equals, value = word.text.partition("=")
    name = _complete_name(text, long_names)
    if equals:
        return name, Word(text=value, span=word.span)
    return name, rest.pop() if name in value_options and rest else None


def _parse_cluster(
    word: Word, value_options: frozenset[str], rest: list[Word], options: list[tuple[str, Word | None]]
) -> None:
    for position, letter in enumerate(word.text[1:], 2):
        option = "-" + letter
        if option not in value_options:
            options.append((option, None))
            continue
        joined = word.text[position:]
        value = Word(text=joined, span=word.span) if joined else rest.pop() if rest else None
        options.append((option, value))
        return


def _complete_name(text: str, names: frozenset[str]) -> str:
    """Return the name that *text* abbreviates; of several, the one that is a prefix of all others."""
    if text in names or not names or UNKNOWN in text:
        return text
    candidates = sorted((name for name in names if name.startswith(text)), key=len)
    return (
        candidates[0] if candidates and all(name.startswith(candidates[0]) for name in candidates) else text
    )
