"""Recall of memories for the project, branch and issue of a session."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hookline.core.records import Memory
from hookline.core.store import Attempt, Store
from hookline.system.git_facts import find_branch, find_origin, parse_issue


def make_recall(
    store: Store, root: str, at: float, attempt: Attempt
) -> Callable[[str, int], Sequence[Memory]]:
    """Return a function that recalls at most so many memories for a text, or for none."""
    project, current = find_origin(root), find_branch(root)
    issue = parse_issue(current)
    none: Sequence[Memory] = ()

    def recall(text: str, limit: int) -> Sequence[Memory]:
        return attempt(
            lambda: store.recall(text, project=project, branch=current, issue=issue, at=at, limit=limit),
            default=none,
        )

    return recall
