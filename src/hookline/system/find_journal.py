"""The journal that a session works on: the path its engine names, else the most recently written file."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from itertools import islice

from hookline.core.parse_journal import Journal, parse_journal

FOLDER, SUFFIX = "autoresearch", ".tsv"
RECENT_SECONDS = 30 * 60.0
"""Seconds since its last write in which an unnamed journal counts as active."""
MAX_ENTRIES = 2_000
"""Entries examined per folder."""
MAX_BYTES = 1 << 20
"""Bytes read from the end of a longer journal, after its first `HEAD_BYTES` bytes."""
HEAD_BYTES = 8 << 10


def find_active(root: str, named: str, now: float) -> Journal | None:
    """Return the *named* journal, or the active one below *root*; None if there is none or it is empty."""
    path = os.path.join(root, named) if named else _newest_path(root, now)
    text = _read_text(path) if path else ""
    return parse_journal(path, text) if text else None


def _newest_path(root: str, now: float) -> str:
    """Ignore links: a repository could use them to lead outside of itself."""
    candidates = [
        (status.st_mtime, entry.path)
        for folder in _list_entries(os.path.join(root, FOLDER))
        if folder.is_dir(follow_symlinks=False)
        for entry in _list_entries(folder.path)
        if entry.name.endswith(SUFFIX)
        and stat.S_ISREG((status := entry.stat(follow_symlinks=False)).st_mode)
        and status.st_mtime >= now - RECENT_SECONDS
    ]
    return max(candidates, default=(0.0, ""))[1]


def _list_entries(folder: str) -> Iterator[os.DirEntry[str]]:
    try:
        if not stat.S_ISDIR(os.lstat(folder).st_mode):
            return
        with os.scandir(folder) as entries:
            yield from islice(entries, MAX_ENTRIES)
    except OSError:
        return


def _read_text(path: str) -> str:
    try:
        # O_NONBLOCK: opening a pipe must not block.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                return ""
            if status.st_size <= MAX_BYTES:
                return file.read(MAX_BYTES).decode("utf-8", "replace")
            head = file.read(HEAD_BYTES).rpartition(b"\n")[0]
            file.seek(-MAX_BYTES, os.SEEK_END)
            tail = file.read(MAX_BYTES).partition(b"\n")[2]
            return (head + b"\n" + tail).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""
