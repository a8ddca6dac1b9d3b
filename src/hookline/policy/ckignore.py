"""The project's .ckignore file."""

from __future__ import annotations

import os
import re

from hookline.policy import trust
from hookline.policy.read_files import read
from hookline.system.paths import Places

NAME = ".ckignore"


_OPENS = re.compile(r"(?m)^!.*\.(?:git|aws|ssh)\b")


def text(root: str) -> str:
    """What the file at the root says; empty where there is none, or it cannot be read."""
    return read(os.path.join(root, NAME), root)[0]


def opening(root: str) -> frozenset[str]:
    """The file's name where a line of it opens what only a person opens: its content needs trust then."""
    lines = text(root)
    return frozenset({NAME}) if "!" in lines and _OPENS.search(lines) else frozenset()


def trusted(places: Places) -> bool:
    """Whether its user trusted exactly this content, together with the project's other files."""
    now = text(places.root)
    pinned = trust.state(places.trust, places.root, [NAME]).pinned
    return bool(now) and pinned is not None and pinned.get(NAME) == now
