"""Cheap fingerprints of the working folder, from a bounded number of files, and of a single file.

Files that programs write at every run (caches, build output, logs) are left out, so that running the same
failing tests again does not count as a change.
"""

from __future__ import annotations

import os
from hashlib import blake2b

MAX_FILES = 4000
"""Files and folders examined; those nearest to the root come first."""
MAX_BYTES = 1_000_000
GENERATED_FOLDERS = frozenset(
    {
        "node_modules",
        "__pycache__",
        "target",
        "dist",
        "build",
        "out",
        "bin",
        "obj",
        "coverage",
        "htmlcov",
        "venv",
        "env",
        "logs",
        "log",
        "tmp",
        "temp",
        "cache",
        "reports",
        "test-results",
        "playwright-report",
        "vendor",
        "__snapshots__",
    }
)
_GENERATED_SUFFIXES = (
    ".pyc",
    ".log",
    ".tmp",
    ".tsbuildinfo",
    "-wal",
    "-shm",
    "-journal",
    ".swp",
    ".pid",
    ".lock~",
    ".snap",
    ".db",
    ".sqlite",
    ".sqlite3",
    ".rdb",
)
_GENERATED_PREFIXES = (".coverage", ".DS_Store", "junit.xml", "coverage.xml", ".eslintcache")


def fingerprint(root: str) -> str:
    """Return a hash that stays the same until an examined file is added, changed or removed."""
    stamps = [_stamp(os.path.join(root, ".git", name)) for name in ("HEAD", "index")]
    folders, left = [root], MAX_FILES
    while folders and left > 0:
        files, subfolders = _list_folder(folders.pop(0), left)
        left -= len(files) + 1
        stamps += files
        folders += subfolders
    return blake2b("\n".join(stamps).encode(errors="replace"), digest_size=6).hexdigest()


def _list_folder(folder: str, max_files: int) -> tuple[list[str], list[str]]:
    files: list[str] = []
    subfolders: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    subfolders += (
                        [] if entry.name.startswith(".") or entry.name in GENERATED_FOLDERS else [entry.path]
                    )
                elif not entry.name.endswith(_GENERATED_SUFFIXES) and not entry.name.startswith(
                    _GENERATED_PREFIXES
                ):
                    files.append(_format_stamp(entry.path, entry.stat(follow_symlinks=False)))
                if len(files) >= max_files:
                    break
    except OSError:
        pass
    return sorted(files), sorted(subfolders)


def _format_stamp(path: str, status: os.stat_result) -> str:
    return f"{path}\0{status.st_mtime_ns}\0{status.st_size}\0{status.st_mode}"


def _stamp(path: str) -> str:
    try:
        return _format_stamp(path, os.stat(path))
    except OSError:
        return path


def hash_file(path: str) -> str:
    """Return a hash of the file's content; empty if it cannot be read, is too large or is not a file."""
    try:
        if os.path.getsize(path) > MAX_BYTES or not os.path.isfile(path):
            return ""
        with open(path, "rb") as file:
            return blake2b(file.read(MAX_BYTES), digest_size=6).hexdigest()
    except OSError:
        return ""
