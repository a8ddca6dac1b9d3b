"""Something that a command would change, as far as its words tell."""

from typing import NamedTuple

from hookline.bash import Word


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
