"""What a project keeps for those who work on it: a text of its own, and the folder of the newest plan."""

import os
import stat

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
