"""The files of this installation, and whether they still are those that were loaded."""

import os
import sys

from hookline.system.process import identity

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LOOK_EVERY = 1.0
"""Seconds after which the files are examined again."""


class Files:
    """The interpreter and the package's files, as they were when this object was made."""

    def __init__(self) -> None:
        self._paths = (os.path.realpath(sys.executable), *_sources())
        self._loaded = [_stamp(path) for path in self._paths]
        self._looked = identity.now()
        self._changed = False

    def changed(self) -> bool:
        """Return whether an upgrade or an edit has changed a file; examines them at most once a second."""
        if not self._changed and identity.now() - self._looked >= LOOK_EVERY:
            self.look()
        return self._changed

    def look(self) -> None:
        self._looked = identity.now()  # first, so that calls at the same moment do not examine them too
        self._changed = self._changed or [_stamp(path) for path in self._paths] != self._loaded


def _sources() -> list[str]:
    return [
        os.path.join(folder, name)
        for folder, _, names in os.walk(PACKAGE)
        for name in sorted(names)
        if name.endswith(".py")
    ]


def _stamp(path: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
