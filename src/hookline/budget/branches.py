"""The tokens that a session spent on each branch, from its sums at every change of the branch."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hookline.core.usage import TokenCounts

BRANCHES_NOTE = "hookline.branches"
"""Name of the note that holds the branches of a session in order, each with the tokens spent before it."""
MAX_CHANGES = 50
"""Changes of the branch that are kept; later ones count for the last."""

Spent = Mapping[str, TokenCounts]
"""Tokens by model."""


def find_last_branch(changes: Sequence[Any] | None) -> str:
    """Return the branch of the last change; empty if there is none."""
    return str(changes[-1][0]) if changes else ""


def add_change(changes: Sequence[Any] | None, branch: str, spent: Spent) -> list[Any]:
    """Return the *changes* with that to *branch*, before which *spent* was used."""
    sums = {model: list(tokens) for model, tokens in spent.items()}
    return [*(changes or ()), [branch, sums]][:MAX_CHANGES]


def split_by_branch(changes: Sequence[Any] | None, spent: Spent) -> Iterator[tuple[str, Spent]]:
    """Yield each branch with the tokens spent on it; together they are *spent*."""
    starts = [
        ("", {}),
        *((branch, {model: TokenCounts(*sums[model]) for model in sums}) for branch, sums in changes or ()),
    ]
    ends = [*(sums for _, sums in starts[1:]), spent]
    for (branch, before), after in zip(starts, ends, strict=True):
        used = {model: _subtract(tokens, before.get(model, TokenCounts())) for model, tokens in after.items()}
        if any(tokens.total for tokens in used.values()):
            yield branch, {model: tokens for model, tokens in used.items() if tokens.total}


def _subtract(after: TokenCounts, before: TokenCounts) -> TokenCounts:
    return TokenCounts(*(max(new - old, 0) for new, old in zip(after, before, strict=True)))
