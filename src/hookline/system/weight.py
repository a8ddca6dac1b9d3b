"""How much of a file would be read: its lines and bytes, counted no further than matters."""

from __future__ import annotations

import os
import stat

FURTHEST = 4 * 1024 * 1024
"""Bytes that are looked through for a part of a file."""


def weight(path: str, start: int = 0, count: int | None = None, enough: int = 0) -> tuple[int, int]:
    """Lines and bytes of the file at *path*, or of *count* lines behind *start*; none where it is no file.

    Of a file with more than *enough* bytes the lines are not counted.
    """
    try:
        # O_NONBLOCK: a pipe in its place must not make us wait.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            there = os.fstat(file.fileno())
            if not stat.S_ISREG(there.st_mode):
                return 0, 0
            if count is None and not start and there.st_size > enough:
                return 0, there.st_size
            data = file.read(FURTHEST)
    except (OSError, ValueError):
        return 0, 0
    part = data.splitlines(keepends=True)[start : None if count is None else start + count]
    return len(part), sum(map(len, part))
