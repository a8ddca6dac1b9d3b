"""The user's repository, as the engine uses it: a branch, some refs and worktrees of its own.

The user's checkout, index and stash are never touched. Nothing relies on git's records of a worktree, which
an agent can change: only the engine's files record which commit belongs where.
"""

import os
from collections.abc import Mapping

from msgspec import Struct

from hookline.core.values import replace
from hookline.engine.git import run_git
from hookline.engine.git.run_git import Git, GitFailed
from hookline.system.git_command import NoRepository

REFS = "refs/hookline"
HEADS = "refs/heads/"
BRANCHES = "hookline/"
_MAX_BRANCHES = 1000


class Unusable(ValueError):
    """A repository in which no run can start; the message says why and how to fix it."""


class Repository(Struct, frozen=True, kw_only=True):
    """A repository with at least one commit."""

    root: str
    """The user's checkout."""
    git: Git

    def commit(self, name: str) -> str:
        """Return the commit id of *name*, or an empty string."""
        process = self.git.attempt("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        return process.stdout.strip() if process.returncode == 0 else ""

    def tree(self, commit: str) -> str:
        """Return the id of a commit's tree."""
        return self.git("rev-parse", f"{commit}^{{tree}}").strip()

    def descends(self, commit: str, start: str) -> bool:
        """Return whether *commit* is *start* or a descendant of it."""
        return self.git.attempt("merge-base", "--is-ancestor", start, commit).returncode == 0

    def create_branch(self, name: str, base: str) -> str:
        """Create a branch at *base* and return its name: *name*, with a number appended if it exists."""
        for number in range(1, _MAX_BRANCHES):
            branch = name if number == 1 else f"{name}-{number}"
            # The empty old value makes git fail if the branch exists.
            process = self.git.attempt("update-ref", f"{HEADS}{branch}", base, "")
            if process.returncode == 0:
                return branch
            if not self.commit(f"{HEADS}{branch}"):
                raise GitFailed(f"cannot create branch {branch!r}: {process.stderr.strip()}")
        raise GitFailed(
            f"{_MAX_BRANCHES} branches like {name!r} exist already; remove old ones with `hookline clean`"
        )

    def set_ref(self, ref: str, commit: str) -> None:
        """Point a ref of the engine at *commit*; a lock that a killed git left is removed."""
        process = self.git.attempt("update-ref", ref, commit)
        if process.returncode and self.unlock(ref):
            process = self.git.attempt("update-ref", ref, commit)
        if process.returncode:
            raise GitFailed(f"cannot set {ref}: {process.stderr.strip()}")

    def create_ref(self, ref: str, commit: str) -> bool:
        """Create a ref; return False if there already are refs in its folder."""
        if self.refs(f"{os.path.dirname(ref)}/"):
            return False
        return self.git.attempt("update-ref", ref, commit, "").returncode == 0

    def unlock(self, ref: str) -> bool:
        """Remove the lock of a ref; return whether there was one."""
        try:
            os.unlink(os.path.join(self.git.dir, f"{ref}.lock"))
        except FileNotFoundError:
            return False
        return True

    def delete_ref(self, ref: str) -> None:
        process = self.git.attempt("update-ref", "-d", ref)
        if process.returncode and self.unlock(ref):
            process = self.git.attempt("update-ref", "-d", ref)
        if process.returncode:
            raise GitFailed(f"cannot delete {ref}: {process.stderr.strip()}")

    def refs(self, prefix: str) -> dict[str, str]:
        """Return the refs below *prefix* and their commits."""
        output = self.git("for-each-ref", "--format=%(refname) %(objectname)", prefix)
        return dict(line.split(" ", 1) for line in output.split("\n") if line)

    def message(self, commit: str) -> str:
        return self.git("log", "-1", "--format=%B", "--encoding=UTF-8", commit).strip()

    def exclude(self, pattern: str) -> None:
        """Add a pattern to `info/exclude`, which ignores files without changing a committed file."""
        path = os.path.join(self.git.dir, "info", "exclude")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        try:
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                content = file.read()
        except FileNotFoundError:
            content = ""
        if pattern not in content.splitlines():
            with open(path, "a", encoding="utf-8", errors="surrogateescape") as file:
                file.write("" if not content or content.endswith("\n") else "\n")
                file.write(f"{pattern}\n")


def experiment_ref(run: str, number: int) -> str:
    """Return the ref that keeps the commit of an experiment reachable, kept or not."""
    return f"{REFS}/{run}/{number}"


def open_repository(cwd: str, env: Mapping[str, str]) -> Repository:
    """Return the repository that contains *cwd*; raise `Unusable`."""
    try:
        checkout = run_git.find_checkout(cwd, env)
        git = run_git.open_git(checkout.common, run_git.clean_env(env))
    except NoRepository as error:
        raise Unusable(str(error)) from error
    identity = run_git.commit_identity(git, env)
    return Repository(root=checkout.root, git=replace(git, env={**git.env, **identity}))


def head_commit(repository: Repository, env: Mapping[str, str]) -> str:
    """Return the commit at which a run starts: the one checked out. Raise `Unusable`."""
    head = run_git.open_checkout(repository.root, env).attempt(
        "rev-parse", "--verify", "--quiet", "HEAD^{commit}"
    )
    if head.returncode:
        raise Unusable("this repository has no commits yet; a run requires at least one")
    return head.stdout.strip()


def is_dirty(repository: Repository, env: Mapping[str, str]) -> bool:
    """Return whether the user's checkout has uncommitted changes, which no experiment includes."""
    git = run_git.open_checkout(repository.root, env)
    process = git.attempt("status", "--porcelain", "--untracked-files=no", tree=repository.root)
    return bool(process.stdout.strip())
