"""What lies behind a path: where its links lead, and the text of a script that is about to run."""

import os
import stat

LARGEST = 128 * 1024
"""Bytes of a script that are looked at."""
_OURS = ("/dev/", "/proc/")
"""Where names mean what this process has open, not what the command would have."""


def real(path: str) -> str:
    """*path* with all links followed, as far as it exists; the path itself where that cannot be told."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return path


def script(path: str) -> str:
    """The text of the file at *path*; empty where it is none, cannot be read, or is no text."""
    if path.startswith(_OURS):
        return ""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return ""
        # O_NONBLOCK: what was a file a moment ago may be a pipe by now, and opening it must not wait.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            data = file.read(LARGEST)
    except (OSError, ValueError):
        return ""
    return "" if b"\0" in data else data.decode("utf-8", "replace")
