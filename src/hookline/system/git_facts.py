"""The origin and the branch of a repository, read from its files."""

from __future__ import annotations

import os
import re
from functools import lru_cache

_CONFIG = 65_536
_REMOTE = re.compile(r'\[remote "origin"\][^\[]*?^\s*url\s*=\s*(\S+)', re.MULTILINE)
_ADDRESS = re.compile(r"^(?:[a-z+]+://)?(?:[^/@]*@)?([^/:]+)(?::\d+)?[/:]/*(.+?)(?:\.git)?/*$")


def origin(root: str) -> str:
    """Host and path of where *root* was cloned from, without user or password; else its main checkout."""
    if not root:
        return ""
    shared = _shared(root)
    return _origin(root, shared, _changed(os.path.join(shared, "config")))


@lru_cache(maxsize=32)
def _origin(root: str, shared: str, changed: int) -> str:
    """Asked before every command, and read again only where the file *changed*."""
    found = _REMOTE.search(_read(os.path.join(shared, "config")))
    address = _ADDRESS.match(found[1]) if found and not found[1].startswith((".", "/", "file:")) else None
    if address:
        return f"{address[1]}/{address[2]}".lower()
    return os.path.dirname(shared) if os.path.basename(shared) == ".git" else root


def branch(root: str) -> str:
    """Return the branch that is checked out at *root*, or an empty string."""
    head = _read(os.path.join(_own_folder(root), "HEAD"))
    return head.removeprefix("ref: refs/heads/").strip() if head.startswith("ref: refs/heads/") else ""


def _own_folder(root: str) -> str:
    """The git folder of one checkout; a worktree's `.git` is a file that names it."""
    place = os.path.join(root, ".git")
    pointer = _read(place)
    if pointer.startswith("gitdir:"):
        return os.path.join(root, pointer.removeprefix("gitdir:").strip())
    return place


def _shared(root: str) -> str:
    """The folder that all checkouts of the repository at *root* share."""
    own = _own_folder(root)
    if own == os.path.join(root, ".git"):
        return own
    return os.path.normpath(os.path.join(own, _read(os.path.join(own, "commondir")).strip()))


def _changed(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(_CONFIG)
    except OSError:
        return ""
