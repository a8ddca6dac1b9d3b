"""Draw why hooks said what they said: a tree below each verdict."""

from collections.abc import Mapping, Sequence

from rich.text import Text
from rich.tree import Tree

from hookline.cli._show import visible
from hookline.why import Branch, Said, walked

MOST = 20
"""Branches of one that are drawn; those that say something go first."""
LONGEST = 200
"""Characters of a branch."""
_WORDS: Mapping[Said, str] = {
    "block": "blocks",
    "ask": "asks",
    "warn": "warns",
    "modify": "changes it",
    "allow": "allows",
    "excepted": "excepted",
    "off": "off",
}
_COLOURS: Mapping[Said, str] = {
    "block": "bold red",
    "ask": "yellow",
    "warn": "yellow",
    "modify": "cyan",
    "allow": "green",
    "excepted": "green",
}


def drawn(title: str, branches: Sequence[Branch]) -> "Tree":
    """The *branches* below their *title*, for a terminal or a pipe."""
    root = Tree(Text(title, "bold"), guide_style="dim")
    _grow(root, branches)
    return root


def _grow(tree: "Tree", branches: Sequence[Branch]) -> None:
    shown = _chosen(branches)
    for one in shown:
        _grow(tree.add(Text(_line(one), _COLOURS.get(one.said, ""))), one.below)
    if len(shown) < len(branches):
        tree.add(Text(f"… and {len(branches) - len(shown):,} more", "dim"))


def _chosen(branches: Sequence[Branch]) -> list[Branch]:
    if len(branches) <= MOST:
        return list(branches)
    telling = [number for number, one in enumerate(branches) if any(inner.said for inner in walked([one]))]
    first = dict.fromkeys((*telling, *range(len(branches))))
    return [branches[number] for number in sorted(list(first)[:MOST])]


def _line(one: Branch) -> str:
    said = _WORDS.get(one.said, "")
    because = f": {one.because}" if one.because else ""
    text = visible(f"{one.text}{f' · {said}' if said else ''}{because}")
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
