"""Have the index say what is in a worktree, whatever an agent made of it: what it did must not be lost.

Git alone stops at a pipe in the place of a file, at a folder without permissions, at a file that is not in
the encoding that attributes claim, and at an index that a power cut tore; and it overlooks what a new rule
ignores.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Protocol

from hookline.engine.scope import Inside

_RULES = ".gitignore"
_ALL = ("add", "-A", ".")


class Tree(Protocol):
    """A folder with files, and the index that git compares it with."""

    @property
    def path(self) -> str: ...
    @property
    def index(self) -> str: ...
    def git(self, *words: str, stdin: str = "") -> str: ...
    def attempt(
        self, *words: str, stdin: str = "", env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]: ...


def add_all(tree: Tree, start: str, inside: Inside) -> tuple[str, ...]:
    """All that is there but what git ignores by the rules of *start*, and by those *inside* of the scope.

    Gives the files outside of the scope that had other rules in them, and were put back.
    """
    _added(tree, start)
    rules = _rules_put_back(tree, start, inside)
    if rules:
        _added(tree, start)
    return rules


def _added(tree: Tree, start: str) -> None:
    ways: tuple[Callable[[], object], ...] = (
        lambda: None if os.path.exists(tree.index) else _index_anew(tree, start),
        lambda: make_writable(tree.path),
        lambda: _index_anew(tree, start),
        lambda: _plain(tree.path),
    )
    for prepare in ways:
        prepare()
        _unlock(tree)
        if tree.attempt(*_ALL).returncode == 0:
            return
    _added_as_they_are(tree, nothing="0" * len(start))


def _unlock(tree: Tree) -> None:
    """Our index has no other user: a lock on it is of an engine that was killed."""
    with suppress(FileNotFoundError):
        os.unlink(f"{tree.index}.lock")


def _index_anew(tree: Tree, start: str) -> None:
    _unlock(tree)
    with suppress(FileNotFoundError):
        os.unlink(tree.index)
    tree.git("read-tree", start)


def make_writable(path: str) -> None:
    """An agent may have taken permissions away, so that its files could not be read or removed."""
    for folder, names, files in os.walk(path) if not os.path.islink(path) else ():
        permit(folder, *(os.path.join(folder, name) for name in (*names, *files)))


def gone(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        make_writable(path)
        shutil.rmtree(path)
    else:
        with suppress(FileNotFoundError):
            os.unlink(path)


def permit(*places: str) -> None:
    for place in places:
        with suppress(OSError):
            mode = os.lstat(place).st_mode
            wanted = mode | (0o700 if stat.S_ISDIR(mode) else 0o600)
            if mode != wanted and not stat.S_ISLNK(mode):
                os.chmod(place, wanted)


def _plain(path: str) -> None:
    flatten(path)
    _without_specials(path)


def flatten(path: str) -> None:
    """Without the records of repositories inside."""
    for folder, names, files in os.walk(path):
        if ".git" in (*names, *files) and folder != path:
            gone(os.path.join(folder, ".git"))
        names[:] = [name for name in names if name != ".git"]


def _without_specials(path: str) -> None:
    """Pipes, sockets and devices hold no work, and no commit can hold them."""
    for folder, _, files in os.walk(path):
        for place in (os.path.join(folder, name) for name in files):
            with suppress(OSError):
                mode = os.lstat(place).st_mode
                if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
                    os.unlink(place)


def _added_as_they_are(tree: Tree, nothing: str) -> None:
    """Without filters and encodings: one of them fails, and what is in the files is what counts."""
    gone = _paths(tree, "--deleted")
    changed = dict.fromkeys(_paths(tree, "--modified", "--others", "--exclude-standard"))
    lines = [f"0 {nothing}\t{path}" for path in gone]
    lines += [line for path in changed if path not in set(gone) for line in _as_it_is(tree, path)]
    tree.git("update-index", "-z", "--index-info", stdin="".join(f"{line}\0" for line in lines))


def _paths(tree: Tree, *which: str) -> list[str]:
    return [path for path in tree.git("ls-files", "-z", *which).split("\0") if path]


def _as_it_is(tree: Tree, path: str) -> Iterator[str]:
    place = os.path.join(tree.path, path)
    mode = os.lstat(place).st_mode
    if stat.S_ISLNK(mode):
        aim = os.readlink(place)
        yield f"120000 {tree.git('hash-object', '-w', '--stdin', stdin=aim).strip()}\t{path}"
    elif stat.S_ISREG(mode):
        found = tree.git("hash-object", "-w", "--no-filters", "--", path).strip()
        yield f"{'100755' if mode & stat.S_IXUSR else '100644'} {found}\t{path}"


def _rules_put_back(tree: Tree, start: str, inside: Inside) -> tuple[str, ...]:
    """Files outside of the scope that made git overlook work inside of it."""
    hidden = [path for path in _paths(tree, "--others", "--ignored", "--exclude-standard") if inside(path)]
    if not hidden:
        return ()
    told = tree.attempt(
        *("check-ignore", "-v", "-z", "--stdin"),
        stdin="".join(f"./{path}\0" for path in hidden),
        env={"GIT_LITERAL_PATHSPECS": "0"},  # which it refuses
    )
    sources = {path for path in told.stdout.split("\0")[::4] if os.path.basename(path) == _RULES}
    sources = {path for path in sources if not os.path.isabs(path)}  # a user's own, for all repositories
    return tuple(path for path in sorted(sources) if not inside(path) and _rule_put_back(tree, start, path))


def _rule_put_back(tree: Tree, start: str, path: str) -> bool:
    """Whether it was not as it is at *start*."""
    place = os.path.join(tree.path, path)
    was = tree.attempt("cat-file", "blob", f"{start}:{path}")
    with open(place, encoding="utf-8", errors="surrogateescape", newline="") as file:
        now = file.read()
    if was.returncode == 0 and was.stdout == now:
        return False
    with suppress(OSError):
        os.unlink(place)
    if was.returncode == 0:
        with open(place, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            file.write(was.stdout)
    return True
