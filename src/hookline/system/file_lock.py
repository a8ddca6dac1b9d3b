"""Exclusive locks on files (`flock`), which end with the process that holds them."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


@contextmanager
def lock(path: str) -> Iterator[int]:
    """Wait for the lock on the file at *path*, created if missing; yield its descriptor."""
    file = open_locked(path)
    try:
        yield file
    finally:
        os.close(file)


@contextmanager
def try_lock(path: str) -> Iterator[int | None]:
    """Lock the file at *path*, created if missing; yield its descriptor, or None if it is held elsewhere."""
    file = try_open_locked(path)
    try:
        yield file
    finally:
        if file is not None:
            os.close(file)


def open_locked(path: str, flags: int = _FLAGS) -> int:
    """Wait for the lock on the file at *path*; return its descriptor. Closing it releases the lock."""
    while True:
        file = os.open(path, flags, 0o600)
        fcntl.flock(file, fcntl.LOCK_EX)
        if _is_same_file(file, path):
            return file
        os.close(file)  # the last holder removed or replaced the file


def try_open_locked(path: str, flags: int = _FLAGS) -> int | None:
    """Lock the file at *path*; return its descriptor, or None if another process holds it."""
    file = os.open(path, flags, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        return None
    if _is_same_file(file, path):
        return file
    os.close(file)
    return try_open_locked(path, flags)


def is_locked(path: str) -> bool:
    """Return whether a process holds the file at *path*."""
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


def _is_same_file(file: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(file), os.lstat(path))
    except FileNotFoundError:
        return False
