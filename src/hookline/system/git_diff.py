"""Number of lines that a reviewer would have to read: git's changes since the branch left its base.

Compares the working tree and the index with the merge base with the upstream, else with the default branch,
else with HEAD, and adds untracked files that are not ignored. Binary, lock and generated files do not count.
"""

import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from hookline.core.kind import ProcessResult
from hookline.system.git_command import (
    NoRepository,
    build_argv,
    clean_env,
    find_checkout,
    secure_env,
    succeeded,
)
from hookline.system.process.run_command import run

TIMEOUT_SECONDS = 0.9
"""Seconds for all git commands together, so that a built-in hook stays within its second."""
LOCK_FILES = (
    "*.lock", "*.lockb", "*.lock.hcl", "*.lockfile", "package-lock.json", "npm-shrinkwrap.json",
    "pnpm-lock.yaml", "go.sum", "Package.resolved",
)  # fmt: skip
DEFAULT_BRANCHES = ("origin/HEAD", "origin/main", "origin/master", "main", "master")
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
"""Hash of the empty tree, which git knows in every repository: the base of a branch without commits."""
MAX_BYTES = 64 * 1024 * 1024
"""Bytes of git's output and of an untracked file; with more, the count is unknown."""
_BINARY_CHECK_BYTES = 8000
"""Bytes in which git looks for a NUL."""
Git = Callable[..., str | None]
"""Function that runs git and returns its output; None if git fails or the time is up."""


def changed_lines(root: str, env: Mapping[str, str], seconds: float = TIMEOUT_SECONDS) -> int | None:
    """Return the lines added and removed in the repository around *root*; None if unknown in time."""
    deadline = time.monotonic() + seconds
    try:
        top, git = _open_repository(root, env, deadline)
    except NoRepository:
        return None
    counted = _count_tracked(git, _base(git))
    untracked = git("ls-files", "--others", "--exclude-standard", "-z")
    if counted is None or untracked is None:
        return None
    names = [name for name in untracked.split("\0") if name and not name.endswith("/")]
    new = _count_untracked(top, [name for name in names if not _is_lock_file(name)], deadline)
    return None if new is None else _sum_reviewed(git, {**counted, **new})


def has_changes(
    root: str, env: Mapping[str, str], path: str, seconds: float = TIMEOUT_SECONDS
) -> bool | None:
    """Return whether the file *path* has content that is in no commit; None if that is unknown in time."""
    try:
        if os.stat(path).st_size == 0:
            return False
    except (OSError, ValueError):
        return False
    try:
        _, git = _open_repository(root, env, time.monotonic() + seconds)
    except NoRepository:
        return None
    status = git("status", "--porcelain", "--ignored", "--", path)
    return None if status is None else bool(status.strip())


def find_differing(
    root: str, env: Mapping[str, str], seconds: float = TIMEOUT_SECONDS
) -> frozenset[str] | None:
    """Return the files, relative to *root*, that differ from the last commit; None if unknown in time."""
    try:
        top, git = _open_repository(root, env, time.monotonic() + seconds)
    except NoRepository:
        return None
    status = git("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all")
    if status is None:
        return None
    names = [os.path.join(top, row[3:]) for row in status.split("\0") if row]
    return frozenset(os.path.relpath(name, os.path.realpath(root)) for name in names)


def _open_repository(folder: str, env: Mapping[str, str], deadline: float) -> tuple[str, Git]:
    """Return the root of the repository around *folder*, and git in it; raise `NoRepository`."""
    env = clean_env(env)

    def run_git(argv: Sequence[str], cwd: str, env: Mapping[str, str], stdin: bytes = b"") -> ProcessResult:
        left = deadline - time.monotonic()
        if left <= 0:
            return ProcessResult(code=None, timed_out=True)
        return run(
            argv,
            stdin=stdin,
            cwd=cwd,
            env=env,
            timeout=left,
            max_bytes=MAX_BYTES,
            errors="surrogateescape",
        )

    checkout = find_checkout(folder, env, run_git)
    env = secure_env(checkout.dir, env, run_git)

    def git(*args: str, stdin: str = "") -> str | None:
        argv = build_argv(args, checkout.dir, checkout.root)
        result = run_git(argv, checkout.root, env, stdin.encode("utf-8", "surrogateescape"))
        return result.stdout if succeeded(result) else None

    return checkout.root, git


def _base(git: Git) -> str:
    head = git("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    if head is None:
        return EMPTY_TREE
    upstream = git("merge-base", "HEAD", "@{upstream}")
    if upstream:
        return upstream.strip()
    default = next(filter(None, (git("merge-base", "HEAD", name) for name in _existing_defaults(git))), head)
    return default.strip()


def _existing_defaults(git: Git) -> Iterable[str]:
    """Return the default branches of this repository; testing a missing one would cost a process."""
    output = git("for-each-ref", "--format=%(refname:short)", "refs/remotes/origin", "refs/heads") or ""
    branches = set(output.split("\n"))
    if branches & {"origin", "origin/HEAD"}:
        branches.add("origin/HEAD")
    return [name for name in DEFAULT_BRANCHES if name in branches]


def _count_tracked(git: Git, base: str) -> dict[str, int] | None:
    """Return changed lines by file: the larger of the staged and the working tree's number."""
    diff = ("diff", "--numstat", "-z", "--ignore-submodules")
    outputs = [git(*diff, base, "--"), git(*diff, "--cached", base, "--")]
    counted: dict[str, int] = {}
    for text in outputs:
        if text is None:
            return None
        for name, lines in _parse_numstat(text):
            counted[name] = max(lines, counted.get(name, 0))
    return counted


def _parse_numstat(text: str) -> Iterator[tuple[str, int]]:
    """Parse `added TAB removed TAB name NUL`; a renamed file has NUL, the old and the new name instead."""
    fields = iter(text.split("\0"))
    for field in fields:
        added, _, rest = field.partition("\t")
        removed, _, name = rest.partition("\t")
        if not name and rest:
            next(fields, "")
            name = next(fields, "")
        if added.isdecimal() and removed.isdecimal() and not _is_lock_file(name):
            yield name, int(added) + int(removed)


def _is_lock_file(name: str) -> bool:
    return any(fnmatchcase(name.rpartition("/")[2], pattern) for pattern in LOCK_FILES)


def _count_untracked(top: str, names: Iterable[str], deadline: float) -> dict[str, int] | None:
    counted: dict[str, int] = {}
    for name in names:
        lines = _count_lines(os.path.join(top, name))
        if lines is None or time.monotonic() > deadline:
            return None
        counted[name] = lines
    return counted


def _count_lines(path: str) -> int | None:
    """Count lines as git would for a new file: 1 for a link, 0 if it vanished, is binary or is not a file."""
    try:
        status = os.lstat(path)
        if stat.S_ISLNK(status.st_mode):
            return 1
        if not stat.S_ISREG(status.st_mode):
            return 0
        if status.st_size > MAX_BYTES:
            return None
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return 0
    if b"\0" in data[:_BINARY_CHECK_BYTES]:
        return 0
    return data.count(b"\n") + (not data.endswith(b"\n") and bool(data))


def _sum_reviewed(git: Git, counted: Mapping[str, int]) -> int | None:
    """Return the sum without files that `.gitattributes` marks as generated."""
    names = "".join(f"{name}\0" for name in counted)
    output = git("check-attr", "-z", "--stdin", "linguist-generated", stdin=names) if names else ""
    if output is None:
        return None
    fields = output.split("\0")
    generated = {
        name for name, value in zip(fields[::3], fields[2::3], strict=False) if value in ("set", "true")
    }
    return sum(lines for name, lines in counted.items() if name not in generated)
