"""A fingerprint of the working folder, and of one file in it: cheap, and of a bounded part.

What programs make anew at every run (caches, build output, logs) is left out: the tests that fail again are
not a change by having been run.
"""

from __future__ import annotations

import os
from hashlib import blake2b

MOST = 4000
"""Files and folders that are looked at; those nearest to the root come first."""
LARGEST = 1_000_000
MADE = frozenset(
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
    }
)
_MADE_FILES = (".pyc", ".log", ".tmp", ".tsbuildinfo", "-wal", "-shm", "-journal", ".swp", ".pid", ".lock~")
_MADE_NAMES = (".coverage", ".DS_Store", "junit.xml", "coverage.xml", ".eslintcache")


def fingerprint(root: str) -> str:
    """The same as long as no file was added, changed or taken away, as far as is looked."""
    seen = [_stamp(os.path.join(root, ".git", name)) for name in ("HEAD", "index")]
    folders, left = [root], MOST
    while folders and left > 0:
        found, below = _entries(folders.pop(0), left)
        left -= len(found) + 1
        seen += found
        folders += below
    return blake2b("\n".join(seen).encode(errors="replace"), digest_size=6).hexdigest()


def _entries(folder: str, most: int) -> tuple[list[str], list[str]]:
    found: list[str] = []
    below: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    below += [] if entry.name.startswith(".") or entry.name in MADE else [entry.path]
                elif not entry.name.endswith(_MADE_FILES) and not entry.name.startswith(_MADE_NAMES):
                    found.append(_told(entry.path, entry.stat(follow_symlinks=False)))
                if len(found) >= most:
                    break
    except OSError:
        pass
    return sorted(found), sorted(below)


def _told(path: str, known: os.stat_result) -> str:
    return f"{path}\0{known.st_mtime_ns}\0{known.st_size}\0{known.st_mode}"


def _stamp(path: str) -> str:
    try:
        return _told(path, os.stat(path))
    except OSError:
        return path


def content(path: str) -> str:
    """A hash of what is in the file; empty where it cannot be read or is too large."""
    try:
        if os.path.getsize(path) > LARGEST:
            return ""
        with open(path, "rb") as file:
            return blake2b(file.read(LARGEST), digest_size=6).hexdigest()
    except OSError:
        return ""
