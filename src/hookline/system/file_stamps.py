"""Records of the files read while a value was computed, to tell later whether it is still valid.

Code that reads a file calls `at` first, which records the file's stamp. Outside of `noting` it does nothing.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Stamp = tuple[int, ...] | None
"""Values that change when a file changes; None if the file does not exist."""
Notes = dict[tuple[str, bool], Stamp]

FRESH = 2_000_000_000
"""Nanoseconds after a change within which a second change may leave the same stamp."""

_notes: ContextVar[Notes | None] = ContextVar("looked_at", default=None)


def record_read(path: str, *, existence_only: bool = False) -> None:
    """Record that *path* is about to be read or, with *existence_only*, only tested for existence."""
    notes = _notes.get()
    if notes is None or (path, existence_only) in notes:
        return
    stamp = _stamp(path, existence_only=existence_only)
    if stamp is None:  # one missing folder stands for all the files in it
        path, existence_only = _first_missing(path), True
    notes[path, existence_only] = stamp


@contextmanager
def collect_stamps() -> Iterator[Notes]:
    """Collect the stamps of all files that are read inside the block."""
    notes: Notes = {}
    token = _notes.set(notes)
    try:
        yield notes
    finally:
        _notes.reset(token)


def are_reliable(notes: Notes) -> bool:
    """Return whether the stamps will show every later change: not while a file changed within `FRESH`."""
    now = time.time_ns()
    # Compare the ctime, which the kernel sets; any process can set the mtime.
    return all(abs(now - stamp[-1]) > FRESH for stamp in notes.values() if stamp and len(stamp) > 1)


def are_current(notes: Notes) -> bool:
    """Return whether every file still has its recorded stamp."""
    for (path, existence_only), stamp in notes.items():
        if stamp is None:  # avoids an exception for each file that is still missing
            if _exists(path):
                return False
        elif stamp != _stamp(path, existence_only=existence_only):
            return False
    return True


def _exists(path: str) -> bool:
    """Return whether *path* exists, also as a dangling link."""
    try:
        return (
            os.access(path, os.F_OK, follow_symlinks=False) if _ACCESS_SEES_LINKS else os.path.lexists(path)
        )
    except ValueError:
        return False


_ACCESS_SEES_LINKS = os.access in os.supports_follow_symlinks and os.access(
    "/", os.F_OK, follow_symlinks=False
)
"""True if `os.access` can test a link itself: some systems reject the flag and deny every path."""


def _stamp(path: str, *, existence_only: bool) -> Stamp:
    try:
        return _stamp_of_status(path, os.lstat(path), existence_only=existence_only)
    except (OSError, ValueError):
        return None


def _stamp_of_status(path: str, status: os.stat_result, *, existence_only: bool) -> Stamp:
    if existence_only:
        return (status.st_mode & 0o170000,)
    if stat.S_ISLNK(status.st_mode):
        return _link_target_stamp(path, status)
    return (
        status.st_mode,
        status.st_dev,
        status.st_ino,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )


def _link_target_stamp(path: str, link: os.stat_result) -> Stamp:
    """Return the stamp of a link's target; a dangling link has a stamp of its own."""
    try:
        target = os.stat(path)
    except (OSError, ValueError):
        return link.st_mode, link.st_ino, link.st_mtime_ns, link.st_ctime_ns
    return (
        target.st_mode,
        target.st_dev,
        target.st_ino,
        target.st_size,
        target.st_mtime_ns,
        target.st_ctime_ns,
    )


def _first_missing(path: str) -> str:
    """Return the topmost missing folder above a missing *path*, or *path* itself."""
    parent = os.path.dirname(path)
    while len(parent) > 1 and _stamp(parent, existence_only=True) is None:
        path, parent = parent, os.path.dirname(parent)
    return path
