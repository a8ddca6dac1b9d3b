"""A folder with the files of a commit: one for the agent to change, others to measure in.

Each is a worktree of the user's repository, with an index that only the engine knows. What an agent did to
the worktree's own records (another branch, a lock, a rebase half done, all of it deleted) is written anew.
"""

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from contextlib import suppress

from msgspec import Struct

from hookline.core.values import replace
from hookline.engine.git import submodules
from hookline.engine.git.add import add_all, flatten, gone, make_writable, permit
from hookline.engine.git.repository import HEADS, Repository
from hookline.engine.git.run_git import GitFailed, ours
from hookline.engine.scope import Inside

_LINK, _INNER, _GONE, _FOLDER = "120000", "160000", "000000", "040000"


class Change(Struct, frozen=True, kw_only=True):
    """A path that differs from the commit that an experiment began at."""

    path: str
    old: tuple[str, str]
    """Mode and object; of what was not there all 0."""
    new: tuple[str, str]


class Left(Struct, frozen=True, kw_only=True):
    """What an agent left in its worktree."""

    tree: str
    """The id of all files, with what is outside of the scope as it was."""
    changed: tuple[str, ...]
    outside: tuple[str, ...]
    """Paths that were put back."""


class Worktree(Struct, frozen=True, kw_only=True):
    """Its folder, and where git keeps what it knows of it."""

    repository: Repository
    name: str
    """Unique in the repository."""
    path: str
    index: str
    branch: str = ""
    """Checked out in it; empty: a commit of its own."""

    @property
    def admin(self) -> str:
        return os.path.join(self.repository.git.dir, "worktrees", self.name)

    def git(self, *words: str, stdin: str = "") -> str:
        return self.repository.git(*words, tree=self.path, index=self.index, stdin=stdin)

    def attempt(
        self, *words: str, stdin: str = "", env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """The same where failing is an answer too."""
        return self.repository.git.attempt(*words, tree=self.path, index=self.index, stdin=stdin, env=env)

    @property
    def head(self) -> str:
        """The commit that is checked out by the worktree's own records; empty where they are gone."""
        if not os.path.isdir(self.admin):
            return ""
        own = replace(self.repository, git=replace(self.repository.git, dir=self.admin))
        return own.commit("HEAD")

    @property
    def there(self) -> bool:
        return os.path.isdir(self.path) and not os.path.islink(self.path)

    def put(self, commit: str, *, ignored: bool = False) -> None:
        """Have exactly the files of *commit* in it, whatever is there now.

        What git ignores stays, unless it is *ignored* that has to go as well.
        """
        if not self.there:
            with suppress(FileNotFoundError):
                os.unlink(self.path)
            os.makedirs(self.path, mode=0o700)
        _register(self, commit)
        self._filled(commit, "-ffdxq" if ignored else "-ffdq")
        shutil.copyfile(self.index, aside := os.path.join(self.admin, "index.hookline"))
        os.replace(aside, os.path.join(self.admin, "index"))

    def _filled(self, commit: str, clean: str) -> None:
        self._unlocked("read-tree", "--reset", "-u", commit)
        self._cleaned(clean)
        if os.path.lexists(os.path.join(self.path, submodules.FILE)):
            for one in submodules.modules(self.repository, commit):
                _folder(self.path, one.path)
                inner = self._inner(one)
                gone(os.path.join(inner.path, ".git"))
                inner._filled(one.commit, clean)  # noqa: SLF001 -- its own

    def _inner(self, one: submodules.Module) -> "Worktree":
        """The folder of a submodule; no worktree that git knows of."""
        name = one.path.replace("%", "%%").replace("/", "%")
        path, index = os.path.join(self.path, one.path), f"{self.index}.{name}"
        return Worktree(repository=one.repository, name=name, path=path, index=index)

    def _changed_inside(self, commit: str) -> Iterable[str]:
        """Paths in submodules that are not as they should be: those are nobody's to change."""
        for one in submodules.modules(self.repository, commit):
            inner = self._inner(one)
            if _plain(self.path, one.path):  # else the submodule itself is not as it should be
                paths = (*inner._differing(), *inner._changed_inside(one.commit))  # noqa: SLF001 -- its own
                yield from (f"{one.path}/{path}" for path in paths)

    def _differing(self) -> list[str]:
        """Against its index; nothing is written of what was found."""
        self.repository.git.attempt("update-index", "-q", "--refresh", tree=self.path, index=self.index)
        told = self.git("diff-files", "--name-only", "-z")
        told += self.git("ls-files", "-o", "--exclude-standard", "-z")
        return [path for path in told.split("\0") if path]

    def restore(self, commit: str, path: str) -> None:
        """Have one file as it is in *commit*, whatever became of it or of the folders that it is in."""
        parts = path.split("/")
        for depth in range(1, len(parts)):
            folder = os.path.join(self.path, *parts[:depth])
            if os.path.islink(folder) or os.path.isfile(folder):
                if self._mode(commit, "/".join(parts[:depth])) not in ("", _FOLDER):
                    return  # it is so in the commit
                os.unlink(folder)
        gone(os.path.join(self.path, path))
        if self._mode(commit, path):
            self._unlocked("checkout", "-q", "-f", commit, "--", path)

    def _mode(self, commit: str, path: str) -> str:
        return self.repository.git("ls-tree", commit, "--", path).partition(" ")[0]

    def left(self, start: str, inside: Inside) -> Left:
        """What is in it now, against *start*: what is not *inside* the scope counts as it was."""
        _register(self, start)
        rules = add_all(self, start, inside)
        changes = list(self._changes(start))
        if any(one.new[0] == _INNER for one in changes):
            changes = self._flattened(changes, start)
        wrong = [one for one in changes if not _right(self, one, inside)]
        self._put_back(wrong)
        outside = {*rules, *(one.path for one in wrong), *self._changed_inside(start)}
        return Left(
            tree=self.git("write-tree").strip(),
            changed=tuple(one.path for one in changes if one.path not in outside),
            outside=tuple(sorted(outside)),
        )

    def remove(self) -> None:
        """Take it away, and what git knows of it."""
        make_writable(self.path)
        for place in (self.path, self.admin):
            shutil.rmtree(place, ignore_errors=True)
        with suppress(FileNotFoundError):
            os.unlink(self.index)

    def _unlocked(self, *words: str) -> None:
        """Our index has no other user: a lock on it is of an engine that was killed."""
        with suppress(FileNotFoundError):
            os.unlink(f"{self.index}.lock")
        try:
            self.git(*words)
        except GitFailed:
            # Folders without permissions, a repository inside, or an index that was torn: all can be mended.
            make_writable(self.path)
            flatten(self.path)
            if words[0] == "read-tree":
                gone(self.index)
            self.git(*words)

    def _cleaned(self, how: str) -> None:
        try:
            self.git("clean", how)
        except GitFailed:
            make_writable(self.path)
            self.git("clean", how)

    def _changes(self, start: str) -> Iterable[Change]:
        told = self.git("diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", start).split(
            "\0"
        )
        for about, path in zip(told[::2], told[1::2], strict=False):
            before, after, old, new, _ = about[1:].split(" ")
            yield Change(path=path, old=(before, old), new=(after, new))

    def _flattened(self, changes: Iterable[Change], start: str) -> list[Change]:
        """A repository that the agent made inside becomes plain files: nothing in it may be lost."""
        flatten(self.path)
        inner = [one.path for one in changes if one.new[0] == _INNER]
        self.git("rm", "--cached", "-q", "-f", "--", *inner)
        self.git("add", "-A", ".")
        return list(self._changes(start))

    def _put_back(self, changes: Iterable[Change]) -> None:
        """In the index: what is new goes first, for a file may stand where a folder was."""
        lines = [f"0 {one.old[1]}\t{one.path}" for one in changes]
        lines += [f"{one.old[0]} {one.old[1]}\t{one.path}" for one in changes if one.old[0] != _GONE]
        if lines:
            self.git("update-index", "-z", "--index-info", stdin="".join(f"{line}\0" for line in lines))


def _plain(root: str, path: str) -> bool:
    """Whether there is a folder at *path*, and nothing on the way to it leads elsewhere."""
    place = os.path.join(root, path)
    return os.path.isdir(place) and os.path.realpath(place) == os.path.join(os.path.realpath(root), path)


def _folder(root: str, path: str) -> None:
    """Have such a folder there."""
    place = root
    for part in path.split("/"):
        place = os.path.join(place, part)
        if os.path.islink(place) or os.path.isfile(place):
            os.unlink(place)
        os.makedirs(place, exist_ok=True)


def _right(tree: Worktree, change: Change, inside: Inside) -> bool:
    if not inside(change.path):
        return False
    return change.new[0] != _LINK or not _escapes(tree, change.path)


def _escapes(tree: Worktree, path: str) -> bool:
    """Whether a link leads out of the worktree: measured elsewhere, it would lead to the agent's files."""
    try:
        aim = os.readlink(os.path.join(tree.path, path))
    except OSError:
        return True
    place = os.path.normpath(os.path.join(os.path.dirname(path), aim))
    if os.path.isabs(aim) or place.split(os.sep)[0] == os.pardir:
        return True
    root = os.path.realpath(tree.path)  # a link to `.` on the way makes `..` another folder
    folder = os.path.realpath(os.path.join(root, os.path.dirname(path), os.path.dirname(aim)))
    return os.path.commonpath((root, folder)) != root


_KNOWN = {"HEAD", "commondir", "gitdir", "index", "logs", "ORIG_HEAD", "config.worktree"}


def _register(tree: Worktree, commit: str) -> None:
    """What git keeps of a worktree, as it would be had nobody touched it."""
    permit(os.path.dirname(tree.path), tree.path)
    os.makedirs(tree.admin, exist_ok=True)
    for name in os.listdir(tree.admin):
        if name not in _KNOWN:
            gone(os.path.join(tree.admin, name))
    head = f"ref: {HEADS}{tree.branch}" if tree.branch else commit
    _say(os.path.join(tree.admin, "commondir"), "../..")
    _say(os.path.join(tree.admin, "gitdir"), os.path.join(ours(tree.path), ".git"))
    _say(os.path.join(tree.admin, "HEAD"), head)
    _say(os.path.join(tree.path, ".git"), f"gitdir: {tree.admin}")


def _say(path: str, text: str) -> None:
    """Have the file say so; raises `GitFailed` where it cannot be made to."""
    if _says(path, text):
        return
    try:
        gone(path)
        with open(path, "wb") as file:
            file.write(os.fsencode(f"{text}\n"))
    except OSError as error:
        raise GitFailed(
            f"{path!r}, by which git knows the worktree, cannot be written: {error.strerror}; "
            "see who has changed its permissions"
        ) from error


def _says(path: str, text: str) -> bool:
    """What cannot be read does not say so, whatever the reason: it is written anew."""
    try:
        with open(path, "rb") as file:
            return file.read() == os.fsencode(f"{text}\n") and not os.path.islink(path)
    except OSError:
        return False
