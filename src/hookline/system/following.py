"""Follow links for one event: a folder in which many paths lie is looked at once.

Between two events an agent may change every link, so that nothing is remembered from one to the next.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable

from hookline.system.peek import real

LONGEST = 2 * 4096
"""Characters of a path that is followed: systems open up to 4096 of them, below a folder of as many."""
_ODD = frozenset({"", ".", ".."})


def follower() -> Callable[[str], str]:
    """As `real`, for one event: every folder on the way is followed once, by the same steps."""
    known: dict[str, str] = {}

    def follow(path: str) -> str:
        if len(path) > LONGEST or "\0" in path:
            return path
        start, *names = path.split("/")
        if start or not names or not _ODD.isdisjoint(names):
            return real(path)
        at = place = ""
        for position, name in enumerate(names):
            at = f"{at}/{name}"
            entered = known[at] if at in known else _entered(place, name)
            if entered is None:
                return "/".join((place, *names[position:]))
            place = known[at] = entered
        return place or "/"

    return follow


def _entered(folder: str, name: str) -> str | None:
    """Where *name* in a real *folder* leads; None where nothing is, and so nothing below it either."""
    whole = f"{folder}/{name}"
    try:
        link = stat.S_ISLNK(os.lstat(whole).st_mode)
    except (OSError, ValueError):
        return None
    return real(whole).rstrip("/") if link else whole
