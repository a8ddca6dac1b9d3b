"""Paths that a person approved in a terminal: a file of the user's own, by project, each for a short while.

An agent that could write here could approve itself: the file lies outside every project, self-protect guards
its folder, and one that others could have written is not believed.
"""

import os
from typing import Any

from hookline.policy import grants

NAME = "approvals.json"


def load(folder: str, root: str, now: float = 0.0) -> tuple[dict[str, Any], ...]:
    """The approvals for the project at *root* that still count: id, path, and until when."""
    known = grants.granted(os.path.join(folder, NAME), root, now)
    return tuple({"id": one.id, "path": one.what, "until": one.until} for one in known)


def add(folder: str, root: str, path: str, *, now: float, seconds: float) -> float:
    """Approve *path*, once for each session; until when it counts."""
    return grants.grant(os.path.join(folder, NAME), root, path, now=now, seconds=seconds).until


def revoke(folder: str, root: str, path: str) -> int:
    """Take back what was approved for *path*; how often it was."""
    file = os.path.join(folder, NAME)
    return sum(grants.use(file, one) for one in grants.granted(file, root, 0.0) if one.what == path)
