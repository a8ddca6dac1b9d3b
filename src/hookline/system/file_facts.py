"""Facts about files of a project: their text, size and real path, and the folder of the newest plan."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable

from hookline.system.read_script import real

LARGEST = 256 * 1024
MOST = 2_000
"""Entries of a folder that are looked at."""


def inside(root: str, name: str) -> tuple[str, str]:
    """The text of a file of the project, and what is wrong with it, in words that follow its name.

    Settings of a project may name it unasked, so that nothing outside of the project is read.
    """
    path = _within(root, name)
    if not path:
        return "", "lies outside of the project"
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return "", "is no file"
            return file.read(LARGEST).decode("utf-8", "replace"), ""
    except FileNotFoundError:
        return "", "is not there"
    except OSError as error:
        return "", f"cannot be read: {error.strerror}"


def newest_folder(root: str, name: str) -> str:
    """The folder in *name* that was changed last, from the project's root; empty where there is none."""
    path = _within(root, name)
    try:
        with os.scandir(path or os.devnull) as entries:
            found = [
                (entry.stat(follow_symlinks=False).st_mtime, entry.name)
                for _, entry in zip(range(MOST), entries, strict=False)
                if entry.is_dir(follow_symlinks=False)
                and entry.name != "reports"
                and not entry.name.startswith(".")
            ]
    except OSError:
        return ""
    return f"{name.rstrip('/')}/{max(found)[1]}" if found else ""


def _within(root: str, name: str) -> str:
    """The path behind *name*, with its links followed; empty where it leads out of *root*."""
    try:
        home, path = os.path.realpath(root), os.path.realpath(os.path.join(root, name))
    except (OSError, ValueError):
        return ""
    return path if os.path.commonpath((home, path)) == home else ""


LONGEST = 2 * 4096
"""Characters of a path that is followed: systems open up to 4096 of them, below a folder of as many."""
_ODD = frozenset({"", ".", ".."})


def follower() -> Callable[[str], str]:
    """As `real`, for one event: every folder on the way is followed once, by the same steps."""
    known: dict[str, str] = {}

    def follow(path: str) -> str:
        if len(path) > LONGEST or "\0" in path:
            return path
        start, *names = path.split("/")
        if start or not names or not _ODD.isdisjoint(names):
            return real(path)
        at = place = ""
        for position, name in enumerate(names):
            at = f"{at}/{name}"
            entered = known[at] if at in known else _entered(place, name)
            if entered is None:
                return "/".join((place, *names[position:]))
            place = known[at] = entered
        return place or "/"

    return follow


def _entered(folder: str, name: str) -> str | None:
    """Where *name* in a real *folder* leads; None where nothing is, and so nothing below it either."""
    whole = f"{folder}/{name}"
    try:
        link = stat.S_ISLNK(os.lstat(whole).st_mode)
    except (OSError, ValueError):
        return None
    return real(whole).rstrip("/") if link else whole


def is_file(path: str) -> bool:
    """Whether an ordinary file is there, and not a folder; links are followed."""
    try:
        return os.path.isfile(path)
    except ValueError:  # no system would open it
        return False


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
