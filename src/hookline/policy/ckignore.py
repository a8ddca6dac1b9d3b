"""The project's .ckignore file."""

from __future__ import annotations

import os
import re

from hookline.policy import trust
from hookline.policy.read_files import read
from hookline.system.paths import Places

FILE_NAME = ".ckignore"


_OPENS_PROTECTED = re.compile(r"(?m)^!.*\.(?:git|aws|ssh)\b")


def read_text(root: str) -> str:
    """Return the text of the project's .ckignore; empty if it is missing or cannot be read."""
    return read(os.path.join(root, FILE_NAME), root)[0]


def files_requiring_trust(root: str) -> frozenset[str]:
    """Return the file's name if a line of it opens protected paths, which requires trust."""
    text = read_text(root)
    return frozenset({FILE_NAME}) if "!" in text and _OPENS_PROTECTED.search(text) else frozenset()


def is_trusted(places: Places) -> bool:
    """Return whether the user trusted exactly this content, together with the project's other files."""
    text = read_text(places.root)
    pinned = trust.read_trust(places.trust, places.root, [FILE_NAME]).pinned
    return bool(text) and pinned is not None and pinned.get(FILE_NAME) == text
