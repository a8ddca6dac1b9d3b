"""What lies behind a path: where its links lead, and the text of a script that is about to run."""

from __future__ import annotations

import os
import stat

from hookline.core.events import Event, PostToolUse
from hookline.core.host import Host
from hookline.core.values import replace

LARGEST = 128 * 1024
"""Bytes of a script that are looked at."""
_OURS = ("/dev/", "/proc/")
"""Where names mean what this process has open, not what the command would have."""
LAST = 512 * 1024
"""Bytes of a recording's end that are looked at."""


def real(path: str) -> str:
    """*path* with all links followed, as far as it exists; the path itself where that cannot be told."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return path


def script(path: str) -> str:
    """The text of the file at *path*; empty where it is none, cannot be read, or is no text."""
    data = b"" if path.startswith(_OURS) else _bytes(path, LARGEST)
    return "" if b"\0" in data else data.decode("utf-8", "replace")


def ending(path: str) -> str:
    """The last lines of the file at *path*; empty where it is none or cannot be read."""
    return _bytes(path, LAST, last=True).decode("utf-8", "replace")


def _bytes(path: str, most: int, *, last: bool = False) -> bytes:
    try:
        there = os.stat(path)
        if not stat.S_ISREG(there.st_mode):
            return b""
        # O_NONBLOCK: what was a file a moment ago may be a pipe by now, and opening it must not wait.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            file.seek(max(there.st_size - most, 0) if last else 0)
            return file.read(most)
    except (OSError, ValueError):
        return b""


def as_recorded(host: Host, event: Event) -> Event:
    """A tool that failed, where only the host's own recording says so."""
    if host.recorded is None or not isinstance(event, PostToolUse) or not (event.success and event.call):
        return event
    error = host.recorded(ending(event.transcript), event.call) if event.transcript else ""
    return replace(event, success=False, error=error) if error else event
