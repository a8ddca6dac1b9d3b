"""A folder of JSON-lines files, one for each process that writes.

A writer keeps its file locked as long as it lives. A file that can be locked was left by a dead process, and
any process may move its lines.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from contextlib import suppress

from hookline.system import file_lock
from hookline.system.paths import create_private

SUFFIX = ".jsonl"
MAX_BYTES = 256 << 10
"""Bytes of a file to which no process appends more."""
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW


def paths(folder: str) -> list[str]:
    """Return the files in *folder*, the oldest first."""
    with suppress(FileNotFoundError, NotADirectoryError):
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(SUFFIX)]
    return []


def create(folder: str) -> tuple[int, str]:
    """Create a file for this process; return it, locked, and its path."""
    path = os.path.join(folder, f"{time.time_ns()}-{os.urandom(4).hex()}{SUFFIX}")
    while True:
        create_private(folder)
        with suppress(FileNotFoundError):  # the folder was removed
            return file_lock.open_locked(path, _APPEND | os.O_CREAT), path


def write(file: int, data: bytes, path: str) -> None:
    """Append *data* as a whole; raise `OSError` naming *path* if that fails."""
    try:
        written = os.write(file, data)
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error
    if written != len(data):
        os.ftruncate(file, os.fstat(file).st_size - written)
        raise OSError(errno.ENOSPC, "the record did not fit", path)


def append(folder: str, data: bytes) -> None:
    """Append *data* to a file that no process holds; raise `OSError` if that fails."""
    file, path = _open_unlocked(folder) or create(folder)
    try:
        # The process that left the file may have been killed while it wrote its last line.
        write(file, b"\n" + data, path)
    finally:
        os.close(file)


def _open_unlocked(folder: str) -> tuple[int, str] | None:
    for path in reversed(paths(folder)):
        with suppress(OSError):
            file = file_lock.try_open_locked(path, _APPEND) if os.path.getsize(path) < MAX_BYTES else None
            if file is not None:
                return file, path
    return None


def lock_left_over(path: str) -> int | None:
    """Return the file at *path*, locked and open for reading; None if a process holds or has removed it."""
    with suppress(OSError):
        return file_lock.try_open_locked(path, _READ)
    return None


def left_over(folder: str) -> Iterator[tuple[int, str]]:
    """Yield each file that a dead process left, locked until the next one is requested."""
    for path in paths(folder):
        file = lock_left_over(path)
        if file is not None:
            try:
                yield file, path
            finally:
                os.close(file)


def remove(path: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)
