"""The origin, the branch and the settings of a repository, read from its files without starting git.

The settings include those of the user.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from functools import lru_cache

from hookline.lazy import re
from hookline.redact import redact
from hookline.system.read_script import read_executed_script

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


_SECTION = re.compile(r'\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)', re.DOTALL)
_ASSIGNMENT = re.compile(r"\s*([A-Za-z][\w-]*)\s*(?:=(.*))?", re.DOTALL)
_VALUE_PART = re.compile(r'"((?:[^"\\]|\\.)*)"|([#;].*)|\\(.)|([^"#;\\]+)', re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b"}
_MAX_INCLUDES = 8
"""Maximum nesting of included files."""
_MAX_PARENTS = 64
"""Maximum folders between a working directory and its repository."""


def find_setting(cwd: str, name: str, user_files: tuple[str, ...], home: str) -> str | None:
    """Return the setting *name* in *cwd*: of the repository, or of the last of *user_files* that has it."""
    repository = _find_repository(cwd)
    files = (
        (os.path.join(repository, "config"), *reversed(user_files)) if repository else reversed(user_files)
    )
    return next((value for path in files if (value := _load(path, home).get(name)) is not None), None)


def _find_repository(cwd: str) -> str:
    """Return the git folder of the repository that *cwd* is in; empty outside of one."""
    folder = cwd
    for _ in range(_MAX_PARENTS):
        if os.path.exists(os.path.join(folder, ".git")):
            return shared_folder(folder)
        parent = os.path.dirname(folder)
        if parent == folder:
            break
        folder = parent
    return ""


def _load(path: str, home: str, depth: int = 0) -> Mapping[str, str]:
    """Return the settings of a file and of the files that it includes, by normalised name."""
    settings: dict[str, str] = {}
    for name, value in _parse_file(path, _modified(path)):
        if name == "include.path" and depth < _MAX_INCLUDES:
            included = value.replace("~", home, 1) if value.startswith("~/") else value
            settings |= _load(os.path.join(os.path.dirname(path), included), home, depth + 1)
        else:
            settings[name] = value
    return settings


def _modified(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except (OSError, ValueError):
        return 0


@lru_cache(maxsize=32)
def _parse_file(path: str, modified: int) -> tuple[tuple[str, str], ...]:
    """Read the file again only if *modified*, its time of modification, differs."""
    return tuple(parse_config((read_executed_script(path) or "") if modified else ""))


def parse_config(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names and values of a configuration file; names are in lower case."""
    section = ""
    for line in text.replace("\\\n", "").split("\n"):
        match = _SECTION.match(line)
        if match is not None:
            name, sub, _ = match.groups()
            section = name + ("." + re.sub(r"\\(.)", r"\1", sub) if sub is not None else "")
        assignment = _ASSIGNMENT.fullmatch(line if match is None else match.group(3))
        if assignment is not None and section:
            key, value = assignment.groups()
            yield f"{section}.{key}".lower(), "true" if value is None else _parse_value(value)


def _parse_value(text: str) -> str:
    pieces: list[str] = []
    for quoted, comment, escaped, plain in _VALUE_PART.findall(text.strip()):
        if comment:
            break
        pieces.append(
            re.sub(r"\\(.)", _unescape, quoted) if quoted else _ESCAPES.get(escaped, escaped) or plain
        )
    return "".join(pieces).strip()


def _unescape(match: re.Match[str]) -> str:
    return _ESCAPES.get(match.group(1), match.group(1))
