"""Move the change of an experiment from the commit that it began at onto another."""

from contextlib import suppress

from hookline.engine.git.repository import Repository
from hookline.engine.git.run_git import GitFailed
from hookline.engine.git.worktree import Worktree

_HOW = ("--binary", "--full-index", "--no-ext-diff", "--no-textconv", "--no-renames")


def rebased(repository: Repository, tree: Worktree, start: str, commit: str, onto: str) -> str:
    """The commits behind *start* up to *commit*, one by one on *onto*, else all in one; empty where neither
    can be done. It is done in *tree*, which nobody else uses meanwhile."""
    if onto == start:
        return commit
    told = repository.git("rev-list", "--reverse", "--parents", f"{start}..{commit}").splitlines()
    lines = [line.split() for line in told]
    plain = all(len(line) == 2 for line in lines)  # noqa: PLR2004 -- a commit and its one parent
    ranges = [lines] if plain else []
    for one in (*ranges, [[commit, start]]):
        with suppress(GitFailed):
            return _each(repository, tree, one, onto)
    return ""


def _each(repository: Repository, tree: Worktree, lines: list[list[str]], onto: str) -> str:
    for commit, parent in lines:
        onto = _whole(repository, tree, parent, commit, onto)
    return onto


def _whole(repository: Repository, tree: Worktree, start: str, commit: str, onto: str) -> str:
    files = applied(repository, tree, start, commit, onto)
    env = _author(repository, commit)
    words = ("commit-tree", files, "-p", onto)
    return repository.git(*words, stdin=f"{repository.message(commit)}\n", env=env).strip()


def applied(repository: Repository, tree: Worktree, start: str, commit: str, onto: str) -> str:
    """The files of *onto* with what changed from *start* to *commit*, three ways; raises `GitFailed`."""
    tree.put(onto, ignored=True)
    change = repository.git("diff-tree", "-p", *_HOW, start, commit)  # as no configuration would have it
    if change:
        tree.git("apply", "--3way", "--index", "--whitespace=nowarn", "-", stdin=change)
    return tree.git("write-tree").strip()


def _author(repository: Repository, commit: str) -> dict[str, str]:
    name, mail, date = repository.git("log", "-1", "--format=%an%n%ae%n%aI", commit).split("\n")[:3]
    return {"GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": mail, "GIT_AUTHOR_DATE": date}
