"""Resolved paths, the text of a script that is about to run, and the end of a transcript."""

from __future__ import annotations

import os
import stat

from hookline.core.events import Event, PostToolUse
from hookline.core.host import Host
from hookline.core.values import replace

MAX_SCRIPT_BYTES = 128 * 1024
"""Bytes read of a script."""
MAX_EXECUTED_BYTES = 64 * 1024
"""Maximum bytes of a script whose commands are judged when a line executes it."""
_PROCESS_FOLDERS = ("/dev/", "/proc/")
"""Folders whose names depend on the process that opens them, so the command would see other files."""
TRANSCRIPT_TAIL_BYTES = 512 * 1024
"""Bytes read from the end of a transcript."""


def resolve_path(path: str) -> str:
    """Return *path* with all links resolved, as far as it exists; unchanged if that fails."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return path


def read_script(path: str) -> str:
    """Return the text of the file at *path*; empty if it is not a readable text file."""
    data = b"" if path.startswith(_PROCESS_FOLDERS) else _read_bytes(path, MAX_SCRIPT_BYTES)
    return "" if b"\0" in data else data.decode("utf-8", "replace")


def read_executed_script(path: str) -> str | None:
    """Return the text of the regular file at *path*; None if it is missing, too large or not UTF-8."""
    if path.startswith(_PROCESS_FOLDERS):
        return None
    data = _read_bytes(path, MAX_EXECUTED_BYTES + 1)
    try:
        return data.decode("utf-8") if 0 < len(data) <= MAX_EXECUTED_BYTES and b"\0" not in data else None
    except UnicodeDecodeError:
        return None


def read_tail(path: str) -> str:
    """Return the last lines of the file at *path*; empty if it is not a readable file."""
    return _read_bytes(path, TRANSCRIPT_TAIL_BYTES, last=True).decode("utf-8", "replace")


def _read_bytes(path: str, size: int, *, last: bool = False) -> bytes:
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            return b""
        # O_NONBLOCK: the file may have been replaced by a pipe since, and opening it must not block.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            file.seek(max(status.st_size - size, 0) if last else 0)
            return file.read(size)
    except (OSError, ValueError):
        return b""


def add_recorded_error(host: Host, event: Event) -> Event:
    """Mark a tool call as failed if only the host's transcript records its error."""
    if (
        host.find_recorded_error is None
        or not isinstance(event, PostToolUse)
        or not (event.success and event.call)
    ):
        return event
    error = host.find_recorded_error(read_tail(event.transcript), event.call) if event.transcript else ""
    return replace(event, success=False, error=error) if error else event
