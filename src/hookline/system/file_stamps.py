"""What was looked at while something was put together: later it tells whether it would come out the same.

Whoever reads a file says so before, and what it was then is noted; outside of `noting` that costs nothing.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Stamp = tuple[int, ...] | None
"""By what a change of a file is known; None: there is none."""
Notes = dict[tuple[str, bool], Stamp]

FRESH = 2_000_000_000
"""Nanoseconds: of a file that was changed so lately, another change may leave the same stamp."""

_notes: ContextVar[Notes | None] = ContextVar("looked_at", default=None)


def at(path: str, *, whether: bool = False) -> None:
    """Note that *path* is about to be read, or with *whether*, only that it is there."""
    notes = _notes.get()
    if notes is None or (path, whether) in notes:
        return
    stamp = _stamp(path, whether=whether)
    if stamp is None:  # one look at the folder that is missing tells it for all that would lie in it
        path, whether = _first_missing(path), True
    notes[path, whether] = stamp


@contextmanager
def noting() -> Iterator[Notes]:
    """Collect all that is looked at meanwhile."""
    notes: Notes = {}
    token = _notes.set(notes)
    try:
        yield notes
    finally:
        _notes.reset(token)


def settled(notes: Notes) -> bool:
    """Whether the stamps tell every later change: not while the disk's clock may show the same tick."""
    now = time.time_ns()
    # By when the system itself noted a change: the other time can be set by anybody.
    return all(abs(now - stamp[-1]) > FRESH for stamp in notes.values() if stamp and len(stamp) > 1)


def unchanged(notes: Notes) -> bool:
    """Whether everything is still as it was noted."""
    for (path, whether), stamp in notes.items():
        if stamp is None:  # no exception for each that is still missing
            if _is_there(path):
                return False
        elif stamp != _stamp(path, whether=whether):
            return False
    return True


def _is_there(path: str) -> bool:
    """Whether anything has that name, also a link that leads nowhere."""
    try:
        return os.access(path, os.F_OK, follow_symlinks=False) if _CAN_ASK else os.path.lexists(path)
    except ValueError:
        return False


_CAN_ASK = os.access in os.supports_follow_symlinks and os.access("/", os.F_OK, follow_symlinks=False)
"""Whether a name can be asked for by itself: some systems take that for a mistake, and say no to each."""


def _stamp(path: str, *, whether: bool) -> Stamp:
    try:
        return _stamped(path, os.lstat(path), whether=whether)
    except (OSError, ValueError):
        return None


def _stamped(path: str, found: os.stat_result, *, whether: bool) -> Stamp:
    if whether:
        return (found.st_mode & 0o170000,)
    if stat.S_ISLNK(found.st_mode):
        return _led(path, found)
    return found.st_mode, found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _led(path: str, link: os.stat_result) -> Stamp:
    """What a link leads to; one that leads nowhere is more than nothing."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return link.st_mode, link.st_ino, link.st_mtime_ns, link.st_ctime_ns
    return found.st_mode, found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _first_missing(path: str) -> str:
    """The uppermost folder on the way to a missing *path* that is missing too; else *path* itself."""
    above = os.path.dirname(path)
    while len(above) > 1 and _stamp(above, whether=True) is None:
        path, above = above, os.path.dirname(above)
    return path
