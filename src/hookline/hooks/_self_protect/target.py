"""A file or folder that a command would change, as far as its words show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hookline.shell import SimpleCommand, Word


class Target(NamedTuple):
    """A file or folder that a command would change."""

    word: Word
    tree: bool = False
    """True if everything below changes too."""
    sure: bool = True
    """True if the program is known to write there."""
    named: bool = True
    """True if the path is written in the line, False if it is derived from others."""
    merges: bool = False
    """True if only some of the files below may change, and the line does not name them."""


def mentioned(command: SimpleCommand) -> Iterator[Word]:
    """Yield the words of *command* that may be paths."""
    return paths_in(command.words)


def paths_in(words: Sequence[Word]) -> Iterator[Word]:
    """Yield the arguments that may be paths, also after `=`; for programs that no table knows."""
    for word in words[1:]:
        text = word.text
        behind = text.partition("=")[2] if text.startswith("-") or "=" in text else text
        for part in dict.fromkeys((text, behind)):
            if part and not part.startswith("-"):
                yield Word(text=part, span=word.span, glob=word.glob, origins=word.origins)
