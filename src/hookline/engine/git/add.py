"""Staging of all files in a worktree, even a damaged one, so that no work is lost.

Plain `git add` fails at a pipe in place of a file, a folder without permissions, a file in another encoding
than the attributes claim, and an index torn by a power cut; and it skips files that a new rule ignores.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Protocol

from hookline.engine.scope import PathFilter

_IGNORE_FILE = ".gitignore"
_ADD_ALL = ("add", "-A", ".")


class Tree(Protocol):
    """A folder with files, and the index that git compares it with."""

    @property
    def path(self) -> str: ...
    @property
    def index(self) -> str: ...
    def git(self, *args: str, stdin: str = "") -> str: ...
    def attempt(
        self, *args: str, stdin: str = "", env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]: ...


def add_all(tree: Tree, start: str, in_scope: PathFilter) -> tuple[str, ...]:
    """Stage all files except those ignored by the rules at *start*, or by rules in the scope.

    Return the ignore files outside of the scope that were changed, and are restored.
    """
    _add_with_repairs(tree, start)
    restored = _restore_ignore_files(tree, start, in_scope)
    if restored:
        _add_with_repairs(tree, start)
    return restored


def _add_with_repairs(tree: Tree, start: str) -> None:
    repairs: tuple[Callable[[], object], ...] = (
        lambda: None if os.path.exists(tree.index) else _rebuild_index(tree, start),
        lambda: make_writable(tree.path),
        lambda: _rebuild_index(tree, start),
        lambda: _make_plain(tree.path),
    )
    for repair in repairs:
        repair()
        _unlock(tree)
        if tree.attempt(*_ADD_ALL).returncode == 0:
            return
    _add_unfiltered(tree, null_id="0" * len(start))


def _unlock(tree: Tree) -> None:
    """Remove an old index lock: no other process uses this index."""
    with suppress(FileNotFoundError):
        os.unlink(f"{tree.index}.lock")


def _rebuild_index(tree: Tree, start: str) -> None:
    _unlock(tree)
    with suppress(FileNotFoundError):
        os.unlink(tree.index)
    tree.git("read-tree", start)


def make_writable(path: str) -> None:
    """Restore permissions that an agent removed, so that files can be read and deleted."""
    for folder, names, files in os.walk(path) if not os.path.islink(path) else ():
        add_permissions(folder, *(os.path.join(folder, name) for name in (*names, *files)))


def remove_path(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        make_writable(path)
        shutil.rmtree(path)
    else:
        with suppress(FileNotFoundError):
            os.unlink(path)


def add_permissions(*paths: str) -> None:
    for path in paths:
        with suppress(OSError):
            mode = os.lstat(path).st_mode
            required = mode | (0o700 if stat.S_ISDIR(mode) else 0o600)
            if mode != required and not stat.S_ISLNK(mode):
                os.chmod(path, required)


def _make_plain(path: str) -> None:
    remove_nested_repositories(path)
    _remove_special_files(path)


def remove_nested_repositories(path: str) -> None:
    """Remove the `.git` of repositories inside the folder."""
    for folder, names, files in os.walk(path):
        if ".git" in (*names, *files) and folder != path:
            remove_path(os.path.join(folder, ".git"))
        names[:] = [name for name in names if name != ".git"]


def _remove_special_files(path: str) -> None:
    """Remove pipes, sockets and devices, which a commit cannot hold."""
    for folder, _, files in os.walk(path):
        for full_path in (os.path.join(folder, name) for name in files):
            with suppress(OSError):
                mode = os.lstat(full_path).st_mode
                if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
                    os.unlink(full_path)


def _add_unfiltered(tree: Tree, null_id: str) -> None:
    """Stage files without filters and encodings, since one of them fails."""
    deleted = _list_files(tree, "--deleted")
    changed = dict.fromkeys(_list_files(tree, "--modified", "--others", "--exclude-standard"))
    lines = [f"0 {null_id}\t{path}" for path in deleted]
    lines += [line for path in changed if path not in set(deleted) for line in _index_entries(tree, path)]
    tree.git("update-index", "-z", "--index-info", stdin="".join(f"{line}\0" for line in lines))


def _list_files(tree: Tree, *options: str) -> list[str]:
    return [path for path in tree.git("ls-files", "-z", *options).split("\0") if path]


def _index_entries(tree: Tree, path: str) -> Iterator[str]:
    full_path = os.path.join(tree.path, path)
    mode = os.lstat(full_path).st_mode
    if stat.S_ISLNK(mode):
        link_target = os.readlink(full_path)
        yield f"120000 {tree.git('hash-object', '-w', '--stdin', stdin=link_target).strip()}\t{path}"
    elif stat.S_ISREG(mode):
        object_id = tree.git("hash-object", "-w", "--no-filters", "--", path).strip()
        yield f"{'100755' if mode & stat.S_IXUSR else '100644'} {object_id}\t{path}"


def _restore_ignore_files(tree: Tree, start: str, in_scope: PathFilter) -> tuple[str, ...]:
    """Restore ignore files outside of the scope that hide work inside it; return their paths."""
    hidden = [
        path for path in _list_files(tree, "--others", "--ignored", "--exclude-standard") if in_scope(path)
    ]
    if not hidden:
        return ()
    process = tree.attempt(
        *("check-ignore", "-v", "-z", "--stdin"),
        stdin="".join(f"./{path}\0" for path in hidden),
        env={"GIT_LITERAL_PATHSPECS": "0"},  # check-ignore refuses literal pathspecs
    )
    sources = {path for path in process.stdout.split("\0")[::4] if os.path.basename(path) == _IGNORE_FILE}
    sources = {path for path in sources if not os.path.isabs(path)}  # absolute: the user's global ignore file
    return tuple(
        path for path in sorted(sources) if not in_scope(path) and _restore_ignore_file(tree, start, path)
    )


def _restore_ignore_file(tree: Tree, start: str, path: str) -> bool:
    """Restore an ignore file; return whether it differed from *start*."""
    full_path = os.path.join(tree.path, path)
    original = tree.attempt("cat-file", "blob", f"{start}:{path}")
    with open(full_path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        content = file.read()
    if original.returncode == 0 and original.stdout == content:
        return False
    with suppress(OSError):
        os.unlink(full_path)
    if original.returncode == 0:
        with open(full_path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            file.write(original.stdout)
    return True
