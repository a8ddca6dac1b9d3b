"""Facts about files of a project: their text, size and real path, the newest plan, and the journal.

The journal that a session works on is the path its engine names, else the most recently written file.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from itertools import islice

from hookline.core.parse_journal import Journal, parse_journal
from hookline.system.read_script import resolve_path

MAX_BYTES = 256 * 1024
"""Bytes read of a project's file."""
MAX_ENTRIES = 2_000
"""Directory entries examined."""


def read_project_file(root: str, name: str) -> tuple[str, str]:
    """Return the text of a file of the project, and an error message that continues its name.

    A project's settings may name the file without the user's consent, so nothing outside the project is read.
    """
    path = _resolve_inside(root, name)
    if not path:
        return "", "is outside the project"
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return "", "is not a file"
            return file.read(MAX_BYTES).decode("utf-8", "replace"), ""
    except FileNotFoundError:
        return "", "does not exist"
    except OSError as error:
        return "", f"cannot be read: {error.strerror}"


def newest_folder(root: str, name: str) -> str:
    """Return the most recently changed folder in *name*, relative to the project's root, or ""."""
    path = _resolve_inside(root, name)
    try:
        with os.scandir(path or os.devnull) as entries:
            folders = [
                (entry.stat(follow_symlinks=False).st_mtime, entry.name)
                for _, entry in zip(range(MAX_ENTRIES), entries, strict=False)
                if entry.is_dir(follow_symlinks=False)
                and entry.name != "reports"
                and not entry.name.startswith(".")
            ]
    except OSError:
        return ""
    return f"{name.rstrip('/')}/{max(folders)[1]}" if folders else ""


def _resolve_inside(root: str, name: str) -> str:
    """Return *name* with its links resolved, or an empty string if it leads out of *root*."""
    try:
        real_root, path = os.path.realpath(root), os.path.realpath(os.path.join(root, name))
    except (OSError, ValueError):
        return ""
    return path if os.path.commonpath((real_root, path)) == real_root else ""


MAX_PATH_LENGTH = 2 * 4096
"""Characters of a path that is resolved: systems open up to 4096, below a folder of as many."""
_RELATIVE_NAMES = frozenset({"", ".", ".."})


def path_resolver() -> Callable[[str], str]:
    """Return a function like `resolve_path` for one event that looks up every name only once."""
    resolved: dict[str, str | None] = {}

    def resolve(path: str) -> str:
        if len(path) > MAX_PATH_LENGTH or "\0" in path:
            return path
        start, *names = path.split("/")
        if start or not names or not _RELATIVE_NAMES.isdisjoint(names):
            return resolve_path(path)
        prefix = real_path = ""
        for position, name in enumerate(names):
            prefix = f"{prefix}/{name}"
            if prefix not in resolved:
                resolved[prefix] = _resolve_entry(real_path, name)
            target = resolved[prefix]
            if target is None:
                return "/".join((real_path, *names[position:]))
            real_path = target
        return real_path or "/"

    return resolve


def _resolve_entry(folder: str, name: str) -> str | None:
    """Return the real path of *name* in a real *folder*; None if it does not exist."""
    path = f"{folder}/{name}"
    try:
        is_link = stat.S_ISLNK(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return None
    return resolve_path(path).rstrip("/") if is_link else path


def is_file(path: str) -> bool:
    """Return whether *path* is a regular file; links are followed."""
    try:
        return os.path.isfile(path)
    except ValueError:  # a NUL byte in the path
        return False


MAX_SCANNED_BYTES = 4 * 1024 * 1024
"""Bytes read to measure a part of a file."""


def measure_file(path: str, start: int = 0, count: int | None = None, enough: int = 0) -> tuple[int, int]:
    """Return lines and bytes of the file at *path*, or of *count* lines after *start*; zeros if not a file.

    The lines of a file with more than *enough* bytes are not counted.
    """
    try:
        # O_NONBLOCK: opening a pipe must not block.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                return 0, 0
            if count is None and not start and status.st_size > enough:
                return 0, status.st_size
            data = file.read(MAX_SCANNED_BYTES)
    except (OSError, ValueError):
        return 0, 0
    part = data.splitlines(keepends=True)[start : None if count is None else start + count]
    return len(part), sum(map(len, part))


FOLDER, SUFFIX = "autoresearch", ".tsv"
RECENT_SECONDS = 30 * 60.0
"""Seconds since its last write in which an unnamed journal counts as active."""
MAX_JOURNAL_ENTRIES = 2_000
"""Entries examined per folder."""
MAX_JOURNAL_BYTES = 1 << 20
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
            yield from islice(entries, MAX_JOURNAL_ENTRIES)
    except OSError:
        return


def _read_text(path: str) -> str:
    try:
        # O_NONBLOCK: opening a pipe must not block.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                return ""
            if status.st_size <= MAX_JOURNAL_BYTES:
                return file.read(MAX_JOURNAL_BYTES).decode("utf-8", "replace")
            head = file.read(HEAD_BYTES).rpartition(b"\n")[0]
            file.seek(-MAX_JOURNAL_BYTES, os.SEEK_END)
            tail = file.read(MAX_JOURNAL_BYTES).partition(b"\n")[2]
            return (head + b"\n" + tail).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""
