"""Files of this installation, and detection of changes since they were loaded."""

import os
import sys

from hookline.system.process import identity

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CHECK_INTERVAL = 1.0
"""Seconds between two checks of the files."""


class Files:
    """The interpreter and the package's files, as they were when this object was created."""

    def __init__(self) -> None:
        self._paths = (os.path.realpath(sys.executable), *_sources())
        self._loaded = [_stamp(path) for path in self._paths]
        self._last_check = identity.now()
        self._changed = False

    def changed(self) -> bool:
        """Return whether an upgrade or an edit has changed a file; check at most once a second."""
        if not self._changed and identity.now() - self._last_check >= CHECK_INTERVAL:
            self.check()
        return self._changed

    def check(self) -> None:
        self._last_check = identity.now()  # first, so that simultaneous calls do not check as well
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
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
