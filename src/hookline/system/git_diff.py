"""How many lines a person would have to review: what git says has changed since the branch left its base.

The working tree and the index against the merge base with the upstream, else with the default branch, else
HEAD, and untracked files that are not ignored. Nobody reviews binary, lock and generated files.
"""

import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase

from hookline.system.process.run_command import run

SECONDS = 0.9
"""For all of it, so that a built-in hook that asks stays within its second."""
LOCKS = (
    "*.lock", "*.lockb", "*.lock.hcl", "*.lockfile", "package-lock.json", "npm-shrinkwrap.json",
    "pnpm-lock.yaml", "go.sum", "Package.resolved",
)  # fmt: skip
DEFAULTS = ("origin/HEAD", "origin/main", "origin/master", "main", "master")
NO_COMMIT = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
"""The empty tree, which git knows without having it: what a branch without commits is compared with."""
LARGEST = 64 * 1024 * 1024
"""Bytes of git's answer and of an untracked file; beyond that the count is not known in time."""
_BINARY_WITHIN = 8000
"""Bytes in which git itself looks for a NUL."""
Git = Callable[..., str | None]
"""Git's answer to its arguments; None where it fails or has no time left."""


def changed_lines(root: str, seconds: float = SECONDS) -> int | None:
    """Lines added and removed in the repository around *root*; None where that is not known in time."""
    until = time.monotonic() + seconds
    top = (_git_in(root, until)("rev-parse", "--show-toplevel") or "").rstrip("\n")
    if not top:
        return None
    git = _git_in(top, until)
    counted = _tracked(git, _base(git))
    untracked = git("ls-files", "--others", "--exclude-standard", "-z")
    if counted is None or untracked is None:
        return None
    names = [name for name in untracked.split("\0") if name and not name.endswith("/")]
    new = _sizes(top, [name for name in names if not _lock(name)], until)
    return None if new is None else _reviewed(git, {**counted, **new})


def _git_in(folder: str, until: float) -> Git:
    def git(*words: str, stdin: str = "") -> str | None:
        left = until - time.monotonic()
        if left <= 0:
            return None
        argv = ("git", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false", *words)
        said = run(
            argv,
            stdin=stdin.encode("utf-8", "surrogateescape"),
            cwd=folder,
            env=_env(),
            limit=left,
            keep=LARGEST,
        )
        return said.stdout if said.code == 0 and not said.timed_out and not said.cut else None

    return git


def _env() -> dict[str, str]:
    """Ours without what points git elsewhere; it takes no locks and asks nobody."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**own, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}


def _base(git: Git) -> str:
    head = git("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    if head is None:
        return NO_COMMIT
    upstream = git("merge-base", "HEAD", "@{upstream}")
    if upstream:
        return upstream.strip()
    default = next(filter(None, (git("merge-base", "HEAD", name) for name in _existing(git))), head)
    return default.strip()


def _existing(git: Git) -> Iterable[str]:
    """Names of the default branch that this repository has; a name that git lacks costs a process."""
    said = git("for-each-ref", "--format=%(refname:short)", "refs/remotes/origin", "refs/heads") or ""
    there = set(said.split("\n"))
    if there & {"origin", "origin/HEAD"}:
        there.add("origin/HEAD")
    return [name for name in DEFAULTS if name in there]


def _tracked(git: Git, base: str) -> dict[str, int] | None:
    """By file, the larger of what is staged and what lies in the working tree."""
    how = ("diff", "--numstat", "-z", "--no-ext-diff", "--no-textconv", "--ignore-submodules")
    said = [git(*how, base, "--"), git(*how, "--cached", base, "--")]
    counted: dict[str, int] = {}
    for text in said:
        if text is None:
            return None
        for name, lines in _numstat(text):
            counted[name] = max(lines, counted.get(name, 0))
    return counted


def _numstat(text: str) -> Iterator[tuple[str, int]]:
    """`added TAB removed TAB name NUL`; of a renamed file the old and the new name follow instead."""
    fields = iter(text.split("\0"))
    for one in fields:
        added, _, rest = one.partition("\t")
        removed, _, name = rest.partition("\t")
        if not name and rest:
            next(fields, "")
            name = next(fields, "")
        if added.isdecimal() and removed.isdecimal() and not _lock(name):
            yield name, int(added) + int(removed)


def _lock(name: str) -> bool:
    return any(fnmatchcase(name.rpartition("/")[2], pattern) for pattern in LOCKS)


def _sizes(top: str, names: Iterable[str], until: float) -> dict[str, int] | None:
    sizes: dict[str, int] = {}
    for name in names:
        lines = _lines(os.path.join(top, name))
        if lines is None or time.monotonic() > until:
            return None
        sizes[name] = lines
    return sizes


def _lines(path: str) -> int | None:
    """As git would count a new file; a link is one line, and what vanished or is no file none."""
    try:
        found = os.lstat(path)
        if stat.S_ISLNK(found.st_mode):
            return 1
        if not stat.S_ISREG(found.st_mode):
            return 0
        if found.st_size > LARGEST:
            return None
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return 0
    if b"\0" in data[:_BINARY_WITHIN]:
        return 0
    return data.count(b"\n") + (not data.endswith(b"\n") and bool(data))


def _reviewed(git: Git, counted: Mapping[str, int]) -> int | None:
    """The sum without files that `.gitattributes` calls generated."""
    names = "".join(f"{name}\0" for name in counted)
    said = git("check-attr", "-z", "--stdin", "linguist-generated", stdin=names) if names else ""
    if said is None:
        return None
    fields = said.split("\0")
    generated = {
        name for name, value in zip(fields[::3], fields[2::3], strict=False) if value in ("set", "true")
    }
    return sum(lines for name, lines in counted.items() if name not in generated)
