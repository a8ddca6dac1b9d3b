"""Markdown tables and cells of the generated pages."""

from collections.abc import Iterable

from hookline.core.events import ALL_ABILITIES, Ability

NONE = "–"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [[*head], *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def code(words: Iterable[object]) -> str:
    return ", ".join(f"`{word}`" for word in words) or NONE


def can(abilities: Iterable[Ability]) -> str:
    """Return the abilities in their fixed order."""
    selected = frozenset(abilities)
    return ", ".join(ability for ability in ALL_ABILITIES if ability in selected) or NONE
