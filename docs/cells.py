"""Markdown that the generated parts of the docs are made of."""

from collections.abc import Iterable

from hookline.core.events import ALL_ABILITIES, Ability

NONE = "–"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [[*head], *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def code(words: Iterable[object]) -> str:
    return ", ".join(f"`{word}`" for word in words) or NONE


def can(words: Iterable[Ability]) -> str:
    wanted = frozenset(words)
    return ", ".join(word for word in ALL_ABILITIES if word in wanted) or NONE
