"""Exclusive locks on files (`flock`), which end with the process that holds them."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

FLAGS = os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


@contextmanager
def lock(path: str, *, wait: bool = True) -> Iterator[int | None]:
    """Lock the file at *path*, created if missing; yield its descriptor, open for reading and writing.

    Without *wait*, yield None if another process holds the lock.
    """
    file = open_locked(path, wait=wait)
    try:
        yield file
    finally:
        if file is not None:
            os.close(file)


def open_locked(path: str, *, wait: bool = True, flags: int = os.O_RDWR | FLAGS) -> int | None:
    """Return the locked file at *path*, or None; the lock ends when the descriptor is closed."""
    while True:
        file = os.open(path, flags, 0o600)
        try:
            if not lock_open_file(file, wait=wait):
                os.close(file)
                return None
            if _in_place(file, path):
                return file
        except BaseException:
            os.close(file)
            raise
        os.close(file)  # its last owner removed or replaced it


def lock_open_file(file: int, *, wait: bool = True) -> bool:
    """Lock an open file or folder; return whether that succeeded."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_locked(path: str) -> bool:
    """Return whether a process holds the lock on the file at *path*."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(file)
    return False


def _in_place(file: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(file), os.lstat(path))
    except FileNotFoundError:
        return False
