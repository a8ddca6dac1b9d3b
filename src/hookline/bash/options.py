"""Tell a program's options from its operands, given which options take a value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from hookline.bash.reading import UNKNOWN, Word


class Options(NamedTuple):
    given: tuple[tuple[str, Word | None], ...]
    """Each option as `-x` or `--name`, in order, with its value if it has one."""
    operands: tuple[Word, ...]

    def has(self, *names: str) -> bool:
        return any(name in names for name, _ in self.given)

    def value(self, *names: str) -> Word | None:
        """The last value given for any of *names*."""
        return next((value for name, value in reversed(self.given) if name in names and value is not None), None)


def options(words: Iterable[Word], values: Iterable[str] = (), *, mixed: bool = False) -> Options:
    """Split *words*; *values* are options that take one; *mixed* lets options follow operands."""
    takes = frozenset(values)
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
            given.append(_long(word, takes, rest))
        else:
            _cluster(word, takes, rest, given)
    return Options(tuple(given), tuple(operands))


def _long(word: Word, takes: frozenset[str], rest: list[Word]) -> tuple[str, Word | None]:
    name, equals, value = word.text.partition("=")
    if equals:
        return name, Word(text=value, span=word.span)
    return name, rest.pop() if name in takes and rest else None


def _cluster(word: Word, takes: frozenset[str], rest: list[Word], given: list[tuple[str, Word | None]]) -> None:
    for position, letter in enumerate(word.text[1:], 2):
        option = "-" + letter
        if option not in takes:
            given.append((option, None))
            continue
        joined = word.text[position:]
        value = Word(text=joined, span=word.span) if joined else rest.pop() if rest else None
        given.append((option, value))
        return


def abbreviates(option: str, name: str, among: Iterable[str]) -> bool:
    """Whether the long *option* may be written for *name*: its start, and the start of no other."""
    if option == name:
        return True
    if UNKNOWN in option or len(option) < len("--x") or not name.startswith(option):
        return False
    return not any(other != name and other.startswith(option) for other in among)
