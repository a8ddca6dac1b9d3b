"""Worktrees: folders with the files of a commit, one for the agent to change, others to measure in.

Each is a worktree of the user's repository with an index that only the engine uses. Git's records of the
worktree (branch, locks, an unfinished rebase) may be changed or deleted by an agent, and are rewritten.
"""

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from contextlib import suppress

from msgspec import Struct

from hookline.engine.git import submodules
from hookline.engine.git.add import (
    add_all,
    add_permissions,
    make_writable,
    remove_nested_repositories,
    remove_path,
)
from hookline.engine.git.repository import HEADS, Repository
from hookline.engine.git.run_git import GitFailed, real_path
from hookline.engine.scope import PathFilter
from hookline.system.paths import create_private

_LINK, _SUBMODULE, _ABSENT, _FOLDER = "120000", "160000", "000000", "040000"


class Change(Struct, frozen=True, kw_only=True):
    """A path that differs from the start commit of an experiment."""

    path: str
    old: tuple[str, str]
    """Mode and object id; all zeros if the path did not exist."""
    new: tuple[str, str]


class AgentChanges(Struct, frozen=True, kw_only=True):
    """The changes that an agent left in its worktree."""

    tree: str
    """Id of the tree, with paths outside of the scope unchanged."""
    changed: tuple[str, ...]
    outside: tuple[str, ...]
    """Changed paths outside of the scope, which were restored."""


class Worktree(Struct, frozen=True, kw_only=True):
    """A worktree of the repository, with its own index."""

    repository: Repository
    name: str
    """Unique in the repository."""
    path: str
    index: str
    branch: str = ""
    """The branch checked out; empty for a detached commit."""

    @property
    def admin(self) -> str:
        return os.path.join(self.repository.git.dir, "worktrees", self.name)

    def git(self, *args: str, stdin: str = "") -> str:
        return self.repository.git(*args, tree=self.path, index=self.index, stdin=stdin)

    def attempt(
        self, *args: str, stdin: str = "", env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run git and return the process, for callers to which a failure is a valid outcome."""
        return self.repository.git.attempt(*args, tree=self.path, index=self.index, stdin=stdin, env=env)

    @property
    def head(self) -> str:
        """The commit checked out according to the worktree's own records; empty if they are gone."""
        return self.repository.commit(f"worktrees/{self.name}/HEAD")

    @property
    def exists(self) -> bool:
        return os.path.isdir(self.path) and not os.path.islink(self.path)

    def check_out(self, commit: str, *, remove_ignored: bool = False) -> None:
        """Make the folder contain exactly the files of *commit*.

        Files that git ignores are kept unless *remove_ignored* is set.
        """
        if not self.exists:
            with suppress(FileNotFoundError):
                os.unlink(self.path)
            create_private(self.path)
        _register(self, commit)
        self._fill(commit, "-ffdxq" if remove_ignored else "-ffdq")
        shutil.copyfile(self.index, new_index := os.path.join(self.admin, "index.hookline"))
        os.replace(new_index, os.path.join(self.admin, "index"))

    def _fill(self, commit: str, clean_option: str) -> None:
        self._run_unlocked("read-tree", "--reset", "-u", commit)
        self._clean(clean_option)
        if os.path.lexists(os.path.join(self.path, submodules.FILE)):
            for module in submodules.available_modules(self.repository, commit):
                _ensure_folder(self.path, module.path)
                tree = self._submodule_tree(module)
                remove_path(os.path.join(tree.path, ".git"))
                tree._fill(module.commit, clean_option)  # noqa: SLF001 -- its own

    def _submodule_tree(self, module: submodules.Module) -> "Worktree":
        """Return the folder of a submodule as a worktree, though git does not know it as one."""
        name = module.path.replace("%", "%%").replace("/", "%")
        path, index = os.path.join(self.path, module.path), f"{self.index}.{name}"
        return Worktree(repository=module.repository, name=name, path=path, index=index)

    def _changed_in_submodules(self, commit: str) -> Iterable[str]:
        """Yield changed paths in submodules, which no agent may change."""
        for module in submodules.available_modules(self.repository, commit):
            tree = self._submodule_tree(module)
            # Otherwise the submodule itself is reported as changed.
            if _is_real_folder(self.path, module.path):
                paths = (*tree._changed_files(), *tree._changed_in_submodules(module.commit))  # noqa: SLF001 -- its own
                yield from (f"{module.path}/{path}" for path in paths)

    def _changed_files(self) -> list[str]:
        self.repository.git.attempt("update-index", "-q", "--refresh", tree=self.path, index=self.index)
        output = self.git("diff-files", "--name-only", "-z")
        output += self.git("ls-files", "-o", "--exclude-standard", "-z")
        return [path for path in output.split("\0") if path]

    def restore(self, commit: str, path: str) -> None:
        """Restore one file from *commit*, and the folders that contain it."""
        parts = path.split("/")
        for depth in range(1, len(parts)):
            folder = os.path.join(self.path, *parts[:depth])
            if os.path.islink(folder) or os.path.isfile(folder):
                if self._mode(commit, "/".join(parts[:depth])) not in ("", _FOLDER):
                    return  # the commit has the same entry
                os.unlink(folder)
        remove_path(os.path.join(self.path, path))
        if self._mode(commit, path):
            self._run_unlocked("checkout", "-q", "-f", commit, "--", path)

    def _mode(self, commit: str, path: str) -> str:
        return self.repository.git("ls-tree", commit, "--", path).partition(" ")[0]

    def collect_changes(self, start: str, in_scope: PathFilter) -> AgentChanges:
        """Return the changes since *start*; paths outside of the scope count as unchanged."""
        _register(self, start)
        ignore_files = add_all(self, start, in_scope)
        changes = list(self._changes(start))
        if any(change.new[0] == _SUBMODULE for change in changes):
            changes = self._flatten(changes, start)
        forbidden = [change for change in changes if not _is_allowed(self, change, in_scope)]
        self._reset_in_index(forbidden)
        outside = {*ignore_files, *(change.path for change in forbidden), *self._changed_in_submodules(start)}
        return AgentChanges(
            tree=self.git("write-tree").strip(),
            changed=tuple(change.path for change in changes if change.path not in outside),
            outside=tuple(sorted(outside)),
        )

    def remove(self) -> None:
        """Remove the folder and git's records of it."""
        make_writable(self.path)
        for folder in (self.path, self.admin):
            shutil.rmtree(folder, ignore_errors=True)
        with suppress(FileNotFoundError):
            os.unlink(self.index)

    def _run_unlocked(self, *args: str) -> None:
        """Run git after removing an old index lock: no other process uses this index."""
        with suppress(FileNotFoundError):
            os.unlink(f"{self.index}.lock")
        try:
            self.git(*args)
        except GitFailed:
            # Possible causes: a folder without permissions, a nested repository, a torn index.
            make_writable(self.path)
            remove_nested_repositories(self.path)
            if args[0] == "read-tree":
                remove_path(self.index)
            self.git(*args)

    def _clean(self, option: str) -> None:
        try:
            self.git("clean", option)
        except GitFailed:
            make_writable(self.path)
            self.git("clean", option)

    def _changes(self, start: str) -> Iterable[Change]:
        fields = self.git(
            "diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", start
        ).split("\0")
        for info, path in zip(fields[::2], fields[1::2], strict=False):
            before, after, old, new, _ = info[1:].split(" ")
            yield Change(path=path, old=(before, old), new=(after, new))

    def _flatten(self, changes: Iterable[Change], start: str) -> list[Change]:
        """Turn repositories that the agent created inside into plain files, so that no file is lost."""
        remove_nested_repositories(self.path)
        nested = [change.path for change in changes if change.new[0] == _SUBMODULE]
        self.git("rm", "--cached", "-q", "-f", "--", *nested)
        self.git("add", "-A", ".")
        return list(self._changes(start))

    def _reset_in_index(self, changes: Iterable[Change]) -> None:
        """Restore the old entries in the index.

        New paths are removed first, since a file may be in place of a folder.
        """
        lines = [f"0 {change.old[1]}\t{change.path}" for change in changes]
        lines += [
            f"{change.old[0]} {change.old[1]}\t{change.path}"
            for change in changes
            if change.old[0] != _ABSENT
        ]
        if lines:
            self.git("update-index", "-z", "--index-info", stdin="".join(f"{line}\0" for line in lines))


def _is_real_folder(root: str, path: str) -> bool:
    """Return whether *path* is a folder, reached without symlinks."""
    full_path = os.path.join(root, path)
    return os.path.isdir(full_path) and os.path.realpath(full_path) == os.path.join(
        os.path.realpath(root), path
    )


def _ensure_folder(root: str, path: str) -> None:
    folder = root
    for part in path.split("/"):
        folder = os.path.join(folder, part)
        if os.path.islink(folder) or os.path.isfile(folder):
            os.unlink(folder)
        os.makedirs(folder, exist_ok=True)


def _is_allowed(tree: Worktree, change: Change, in_scope: PathFilter) -> bool:
    if not in_scope(change.path):
        return False
    return change.new[0] != _LINK or not _escapes(tree, change.path)


def _escapes(tree: Worktree, path: str) -> bool:
    """Return whether a link leads out of the worktree.

    In another checkout it would still lead to the agent's files.
    """
    try:
        link_target = os.readlink(os.path.join(tree.path, path))
    except OSError:
        return True
    resolved = os.path.normpath(os.path.join(os.path.dirname(path), link_target))
    if os.path.isabs(link_target) or resolved.split(os.sep)[0] == os.pardir:
        return True
    root = os.path.realpath(tree.path)  # a link to `.` in the path changes the meaning of `..`
    folder = os.path.realpath(os.path.join(root, os.path.dirname(path), os.path.dirname(link_target)))
    return os.path.commonpath((root, folder)) != root


_ADMIN_FILES = {"HEAD", "commondir", "gitdir", "index", "logs", "ORIG_HEAD", "config.worktree"}


def _register(tree: Worktree, commit: str) -> None:
    """Rewrite git's records of the worktree, which an agent may have changed."""
    add_permissions(os.path.dirname(tree.path), tree.path)
    os.makedirs(tree.admin, exist_ok=True)
    for name in os.listdir(tree.admin):
        if name not in _ADMIN_FILES:
            remove_path(os.path.join(tree.admin, name))
    head = f"ref: {HEADS}{tree.branch}" if tree.branch else commit
    _write_file(os.path.join(tree.admin, "commondir"), "../..")
    _write_file(os.path.join(tree.admin, "gitdir"), os.path.join(real_path(tree.path), ".git"))
    _write_file(os.path.join(tree.admin, "HEAD"), head)
    _write_file(os.path.join(tree.path, ".git"), f"gitdir: {tree.admin}")


def _write_file(path: str, text: str) -> None:
    """Replace the content of a file; raise `GitFailed` if that is impossible."""
    if _has_content(path, text):
        return
    try:
        remove_path(path)
        with open(path, "wb") as file:
            file.write(os.fsencode(f"{text}\n"))
    except OSError as error:
        raise GitFailed(
            f"cannot write {path!r}, git's record of the worktree: {error.strerror}; check its permissions"
        ) from error


def _has_content(path: str, text: str) -> bool:
    """Return whether the file has this content; an unreadable file does not, and is rewritten."""
    try:
        with open(path, "rb") as file:
            return file.read() == os.fsencode(f"{text}\n") and not os.path.islink(path)
    except OSError:
        return False
