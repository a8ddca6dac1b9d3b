"""Something that a command would change, as far as its words tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hookline.shell import SimpleCommand, Word


class Target(NamedTuple):
    """Something that a command would change."""

    word: Word
    tree: bool = False
    """All that lies below goes with it."""
    sure: bool = True
    """The program is known to write there."""
    named: bool = True
    """It is written in the line, not put together from what is."""
    merges: bool = False
    """Of what lies below, only some may change: which, the line does not say."""


def mentioned(command: SimpleCommand) -> Iterator[Word]:
    """Whatever looks like a path among the words of *command*."""
    return paths_in(command.words)


def paths_in(words: Sequence[Word]) -> Iterator[Word]:
    """Whatever looks like a path among the words of a program that is not known; also behind `=`."""
    for word in words[1:]:
        text = word.text
        behind = text.partition("=")[2] if text.startswith("-") or "=" in text else text
        for part in dict.fromkeys((text, behind)):
            if part and not part.startswith("-"):
                yield Word(text=part, span=word.span, glob=word.glob, origins=word.origins)
