"""Moving the change of an experiment onto another commit."""

from contextlib import suppress

from hookline.engine.git.repository import Repository
from hookline.engine.git.run_git import GitFailed
from hookline.engine.git.worktree import Worktree

_DIFF_OPTIONS = ("--binary", "--full-index", "--no-renames")


def rebase_commits(repository: Repository, tree: Worktree, start: str, commit: str, onto: str) -> str:
    """Rebase the commits after *start* up to *commit* onto *onto*; return the new commit.

    Commits are moved one by one; if that fails, as a single commit. Return an empty string if both fail.
    The work is done in *tree*, which nothing else may use meanwhile.
    """
    if onto == start:
        return commit
    output = repository.git("rev-list", "--reverse", "--parents", f"{start}..{commit}").splitlines()
    lines = [line.split() for line in output]
    linear = all(len(line) == 2 for line in lines)  # noqa: PLR2004 -- a commit and its one parent
    ranges = [lines] if linear else []
    for commits in (*ranges, [[commit, start]]):
        with suppress(GitFailed):
            return _rebase_each(repository, tree, commits, onto)
    return ""


def _rebase_each(repository: Repository, tree: Worktree, lines: list[list[str]], onto: str) -> str:
    for commit, parent in lines:
        onto = _rebase_one(repository, tree, parent, commit, onto)
    return onto


def _rebase_one(repository: Repository, tree: Worktree, start: str, commit: str, onto: str) -> str:
    new_tree = apply_change(repository, tree, start, commit, onto)
    env = _author(repository, commit)
    args = ("commit-tree", new_tree, "-p", onto)
    return repository.git(*args, stdin=f"{repository.message(commit)}\n", env=env).strip()


def apply_change(repository: Repository, tree: Worktree, start: str, commit: str, onto: str) -> str:
    """Return the tree of *onto* with the change from *start* to *commit*; raise `GitFailed` on a conflict."""
    tree.check_out(onto, remove_ignored=True)
    # The options make the diff independent of the configuration.
    change = repository.git("diff-tree", "-p", *_DIFF_OPTIONS, start, commit)
    if change:
        tree.git("apply", "--3way", "--index", "--whitespace=nowarn", "-", stdin=change)
    return tree.git("write-tree").strip()


def _author(repository: Repository, commit: str) -> dict[str, str]:
    name, mail, date = repository.git("log", "-1", "--format=%an%n%ae%n%aI", commit).split("\n")[:3]
    return {"GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": mail, "GIT_AUTHOR_DATE": date}
