"""The origin and the branch of a repository, read from its files."""

from __future__ import annotations

import os
import re
import stat
from functools import lru_cache

from hookline.redact import redact

_MAX_BYTES = 65_536
_BRANCH = "ref: refs/heads/"
_REMOTE = re.compile(r'\[remote "origin"\][^\[]*?^\s*url\s*=\s*(\S+)', re.MULTILINE)
_ADDRESS = re.compile(r"^(?:[a-z+]+://)?(?:[^/@]*@)?([^/:]+)(?::\d+)?[/:]/*(.+?)(?:\.git)?/*$")


def find_origin(root: str) -> str:
    """Return host and path of the remote `origin`, without credentials; else the main checkout's path."""
    if not root:
        return ""
    git_folder = shared_folder(root)
    return _origin(root, git_folder, _mtime(os.path.join(git_folder, "config")))


@lru_cache(maxsize=32)
def _origin(root: str, git_folder: str, mtime: int) -> str:
    """Read the file again only if *mtime* differs, because this function runs before every command."""
    remote = _REMOTE.search(_read(os.path.join(git_folder, "config")))
    url = redact(remote[1]) if remote else "."
    address = None if url.startswith((".", "/", "file:")) else _ADDRESS.match(url)
    if address:
        return f"{address[1]}/{address[2]}".lower()
    return os.path.dirname(git_folder) if os.path.basename(git_folder) == ".git" else root


def find_branch(root: str) -> str:
    """Return the redacted name of the branch that is checked out at *root*, or an empty string."""
    head = _read(os.path.join(_own_folder(root), "HEAD"))
    return redact(head.removeprefix(_BRANCH).strip()) if head.startswith(_BRANCH) else ""


def _own_folder(root: str) -> str:
    """Return the git folder of one checkout; the `.git` file of a worktree names it."""
    path = os.path.join(root, ".git")
    pointer = _read(path)
    if pointer.startswith("gitdir:"):
        return os.path.join(root, pointer.removeprefix("gitdir:").strip())
    return path


def shared_folder(root: str) -> str:
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
    """Return the start of a file; a repository may have a pipe in its place, which must not block."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            is_file = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            return file.read(_MAX_BYTES).decode("utf-8", "replace") if is_file else ""
    except OSError:
        return ""


def parse_issue(branch: str) -> str:
    """Return the issue number in a branch's name, or an empty string."""
    if branch.startswith("hookline/"):  # a run of the engine, with its date
        return ""
    match = _ISSUE_IN_BRANCH.search(branch)
    return match[1] if match else ""


_ISSUE_IN_BRANCH = re.compile(
    r"(?i)(?:^|/|(?:^|[/_-])(?:issues?|gh|bug|fix|hotfix|ticket|feature|feat|task|pr|[a-z]+-#|#)[-_/#]?)"
    r"(\d{1,6})(?=[-_/]|$)"
)
"""A number that begins a part of the name or follows a word for work; that of `react-18` is a version."""
