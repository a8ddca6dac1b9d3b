"""Which installation this is, and whether it still is what it was when this process began."""

import os
import sys

from hookline.daemon import asking
from hookline.system import lives

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAMS = os.path.dirname(sys.executable)
LOOK_EVERY = 1.0
"""Seconds between two looks at the files, where calls come faster."""


def word() -> str:
    """Release and installation, as clients compare it with what they were told."""
    return asking.word(PROGRAMS, PACKAGE).decode()


class Files:
    """The interpreter and our own files, as they were when this was made."""

    def __init__(self) -> None:
        self._paths = (os.path.realpath(sys.executable), *_sources())
        self._then = [_seen(path) for path in self._paths]
        self._looked = lives.now()
        self._changed = False

    def changed(self, every: float = LOOK_EVERY) -> bool:
        """Whether an upgrade or an edit made this process one of the past; looks at most so often."""
        if not self._changed and lives.now() - self._looked >= every:
            self._looked = lives.now()  # at once: of all who are asked at the same moment, one looks
            self._changed = [_seen(path) for path in self._paths] != self._then
        return self._changed  # who learnt it once hears it again


def _sources() -> list[str]:
    return [
        os.path.join(folder, name)
        for folder, _, names in os.walk(PACKAGE)
        for name in sorted(names)
        if name.endswith(".py")
    ]


def _seen(path: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
