"""The origin and the branch of a repository, read from its files."""

from __future__ import annotations

import os
import re
from functools import lru_cache

_MAX_CHARACTERS = 65_536
_REMOTE = re.compile(r'\[remote "origin"\][^\[]*?^\s*url\s*=\s*(\S+)', re.MULTILINE)
_ADDRESS = re.compile(r"^(?:[a-z+]+://)?(?:[^/@]*@)?([^/:]+)(?::\d+)?[/:]/*(.+?)(?:\.git)?/*$")


def find_origin(root: str) -> str:
    """Return host and path of the remote `origin`, without credentials; else the main checkout's path."""
    if not root:
        return ""
    git_folder = _shared_folder(root)
    return _origin(root, git_folder, _mtime(os.path.join(git_folder, "config")))


@lru_cache(maxsize=32)
def _origin(root: str, git_folder: str, mtime: int) -> str:
    """Read the file again only if *mtime* differs: this is called before every command."""
    remote = _REMOTE.search(_read(os.path.join(git_folder, "config")))
    address = _ADDRESS.match(remote[1]) if remote and not remote[1].startswith((".", "/", "file:")) else None
    if address:
        return f"{address[1]}/{address[2]}".lower()
    return os.path.dirname(git_folder) if os.path.basename(git_folder) == ".git" else root


def find_branch(root: str) -> str:
    """Return the branch that is checked out at *root*, or an empty string."""
    head = _read(os.path.join(_own_folder(root), "HEAD"))
    return head.removeprefix("ref: refs/heads/").strip() if head.startswith("ref: refs/heads/") else ""


def _own_folder(root: str) -> str:
    """Return the git folder of one checkout; the `.git` file of a worktree names it."""
    path = os.path.join(root, ".git")
    pointer = _read(path)
    if pointer.startswith("gitdir:"):
        return os.path.join(root, pointer.removeprefix("gitdir:").strip())
    return path


def _shared_folder(root: str) -> str:
    """Return the git folder that all checkouts of the repository at *root* share."""
    own = _own_folder(root)
    if own == os.path.join(root, ".git"):
        return own
    return os.path.normpath(os.path.join(own, _read(os.path.join(own, "commondir")).strip()))


def _mtime(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(_MAX_CHARACTERS)
    except OSError:
        return ""


def parse_issue(branch: str) -> str:
    """Return the issue number in a branch's name, or an empty string."""
    if branch.startswith("hookline/"):  # a run of the engine, with its date
        return ""
    match = re.search(r"(?:^|[/_-])(?:issue[-_/]?|gh-|#)?(\d{1,6})(?=[-_/]|$)", branch)
    return match[1] if match else ""
