"""Which journal a session works on: the one that its engine names, else one that was written to just now."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from itertools import islice

from hookline.core.journal import Journal, read

FOLDER, ENDING = "autoresearch", ".tsv"
FRESH = 30 * 60.0
"""Seconds since it was written to, in which a journal that nobody names is taken for the active one."""
MOST = 2_000
"""Files and folders that are looked at."""
LARGEST = 1 << 20
"""Bytes that are read: of a longer journal its beginning and its end."""
HEAD = 8 << 10


def active(root: str, named: str, now: float) -> Journal | None:
    """The journal at *root*, or the one that is *named*; None where there is none, or nothing in it."""
    path = os.path.join(root, named) if named else _newest(root, now)
    text = _text(path) if path else ""
    return read(path, text) if text else None


def _newest(root: str, now: float) -> str:
    """Links count for nothing: a repository could lead us out of itself by them."""
    found = [
        (there.st_mtime, entry.path)
        for folder in _listed(os.path.join(root, FOLDER))
        if folder.is_dir(follow_symlinks=False)
        for entry in _listed(folder.path)
        if entry.name.endswith(ENDING)
        and stat.S_ISREG((there := entry.stat(follow_symlinks=False)).st_mode)
        and there.st_mtime >= now - FRESH
    ]
    return max(found, default=(0.0, ""))[1]


def _listed(folder: str) -> Iterator[os.DirEntry[str]]:
    try:
        if not stat.S_ISDIR(os.lstat(folder).st_mode):
            return
        with os.scandir(folder) as entries:
            yield from islice(entries, MOST)
    except OSError:
        return


def _text(path: str) -> str:
    """O_NONBLOCK, because a pipe in its place must not make us wait."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            there = os.fstat(file.fileno())
            if not stat.S_ISREG(there.st_mode):
                return ""
            if there.st_size <= LARGEST:
                return file.read(LARGEST).decode("utf-8", "replace")
            head = file.read(HEAD).rpartition(b"\n")[0]
            file.seek(-LARGEST, os.SEEK_END)
            tail = file.read(LARGEST).partition(b"\n")[2]
            return (head + b"\n" + tail).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""
