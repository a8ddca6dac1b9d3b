"""The user's repository, as the engine uses it: a branch, some refs and worktrees of its own, and no more.

The user's checkout, index and stash are never touched. Nothing here relies on what an agent left of a
worktree's own records: which commit stands where is told by the engine's notes alone.
"""

import os
from collections.abc import Mapping

from msgspec import Struct

from hookline.engine.git import run_git
from hookline.engine.git.run_git import Git, GitFailed

REFS = "refs/hookline"
HEADS = "refs/heads/"
BRANCHES = "hookline/"
_MOST = 1000


class Unusable(ValueError):
    """A repository that no run can be begun in; the message says why, and what to do."""


class Repository(Struct, frozen=True, kw_only=True):
    """A repository with at least one commit."""

    root: str
    """The user's checkout."""
    git: Git

    def commit(self, name: str) -> str:
        """The commit that is called so; empty where there is none."""
        found = self.git.attempt("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        return found.stdout.strip() if found.returncode == 0 else ""

    def tree(self, commit: str) -> str:
        """The id of all the files of a commit."""
        return self.git("rev-parse", f"{commit}^{{tree}}").strip()

    def descends(self, commit: str, start: str) -> bool:
        """Whether *commit* is *start*, or came after it."""
        return self.git.attempt("merge-base", "--is-ancestor", start, commit).returncode == 0

    def begin_branch(self, name: str, base: str) -> str:
        """A branch of that name, or the name with a number behind it, at *base*: one that was not there."""
        for number in range(1, _MOST):
            full = name if number == 1 else f"{name}-{number}"
            made = self.git.attempt("update-ref", f"{HEADS}{full}", base, "")  # only where there is none
            if made.returncode == 0:
                return full
            if not self.commit(f"{HEADS}{full}"):
                raise GitFailed(f"the branch {full!r} cannot be made: {made.stderr.strip()}")
        raise GitFailed(
            f"there are {_MOST} branches named like {name!r}; `hookline clean` takes old ones away"
        )

    def set_ref(self, ref: str, commit: str) -> None:
        """Point a ref of the engine's own at *commit*; a lock that a killed git left there is taken away."""
        done = self.git.attempt("update-ref", ref, commit)
        if done.returncode and self.unlock(ref):
            done = self.git.attempt("update-ref", ref, commit)
        if done.returncode:
            raise GitFailed(f"{ref} cannot be set: {done.stderr.strip()}")

    def new_ref(self, ref: str, commit: str) -> bool:
        """Whether it was not there, and is now; nor were any below the same folder."""
        if self.refs(f"{os.path.dirname(ref)}/"):
            return False
        return self.git.attempt("update-ref", ref, commit, "").returncode == 0

    def unlock(self, ref: str) -> bool:
        """Whether there was a lock on it, which is gone now."""
        try:
            os.unlink(os.path.join(self.git.dir, f"{ref}.lock"))
        except FileNotFoundError:
            return False
        return True

    def drop_ref(self, ref: str) -> None:
        done = self.git.attempt("update-ref", "-d", ref)
        if done.returncode and self.unlock(ref):
            done = self.git.attempt("update-ref", "-d", ref)
        if done.returncode:
            raise GitFailed(f"{ref} cannot be taken away: {done.stderr.strip()}")

    def refs(self, prefix: str) -> dict[str, str]:
        """The refs below *prefix*, and their commits."""
        told = self.git("for-each-ref", "--format=%(refname) %(objectname)", prefix)
        return dict(line.split(" ", 1) for line in told.split("\n") if line)

    def message(self, commit: str) -> str:
        return self.git("log", "-1", "--format=%B", "--encoding=UTF-8", commit).strip()

    def exclude(self, line: str) -> None:
        """Have git overlook *line* in this repository, without touching a file that is committed."""
        path = os.path.join(self.git.dir, "info", "exclude")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        try:
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                there = file.read()
        except FileNotFoundError:
            there = ""
        if line not in there.splitlines():
            with open(path, "a", encoding="utf-8", errors="surrogateescape") as file:
                file.write("" if not there or there.endswith("\n") else "\n")
                file.write(f"{line}\n")


def ref(run: str, number: int) -> str:
    """Where the commit of an experiment stays reachable, kept or not."""
    return f"{REFS}/{run}/{number}"


def open_at(cwd: str, env: Mapping[str, str]) -> Repository:
    """The repository that *cwd* lies in; raises `Unusable`."""
    found = run_git.asked(
        cwd, env, "rev-parse", "--path-format=absolute", "--is-bare-repository", "--git-common-dir"
    )
    if found.returncode:
        raise Unusable(f"{cwd!r} is in no git repository; run `git init` and commit, or go to one")
    bare, _, common = found.stdout.removesuffix("\n").partition("\n")
    top = run_git.asked(cwd, env, "rev-parse", "--show-toplevel")
    if bare == "true" or top.returncode:
        raise Unusable(f"{common!r} is a bare repository, without files to work on; clone it first")
    git = Git(dir=common, env={**run_git.clean(env), **run_git.identity(cwd, env)})
    return Repository(root=top.stdout.removesuffix("\n"), git=git)


def base_of(repository: Repository, env: Mapping[str, str]) -> str:
    """The commit that a run begins at: what is checked out, a branch or not. Raises `Unusable`."""
    head = run_git.asked(repository.root, env, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    if head.returncode:
        raise Unusable("this repository has no commit yet; commit something for a run to begin at")
    return head.stdout.strip()


def dirty(repository: Repository, env: Mapping[str, str]) -> bool:
    """Whether the user's checkout has changes that are in no commit, and so in no experiment."""
    told = run_git.asked(
        repository.root, env, "--no-optional-locks", "status", "--porcelain", "--untracked-files=no"
    )
    return bool(told.stdout.strip())
