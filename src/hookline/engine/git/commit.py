"""The commit of an experiment: all changes of the agent, on top of its own commits."""

from msgspec import Struct

from hookline.engine.git.repository import Repository
from hookline.engine.git.worktree import AgentChanges, Worktree
from hookline.engine.progress import ExperimentProgress
from hookline.engine.scope import PathFilter


class CommitResult(Struct, frozen=True, kw_only=True):
    """The commit of an experiment."""

    commit: str
    """Empty if nothing in the scope has changed."""
    outside: tuple[str, ...]
    own: str = ""
    """The last commit that the agent made itself."""


def commit(tree: Worktree, step: ExperimentProgress, in_scope: PathFilter, *, ref: str) -> CommitResult:
    """Commit the content of the worktree, and keep the commit reachable under *ref*."""
    repository, start = tree.repository, step.start
    agent_commit = _agent_commit(tree, start)
    changes = _collect_changes(tree, start, agent_commit, in_scope)
    if changes.tree == repository.tree(start):
        return CommitResult(commit="", outside=changes.outside, own=agent_commit)
    parent = (
        agent_commit if agent_commit and _is_in_scope(repository, start, agent_commit, in_scope) else start
    )
    new_commit = (
        agent_commit
        if agent_commit == parent and repository.tree(agent_commit) == changes.tree
        else _create_commit(repository, changes.tree, parent, step)
    )
    repository.set_ref(ref, new_commit)
    if agent_commit and parent == start:
        repository.set_ref(f"{ref}-own", agent_commit)
    return CommitResult(commit=new_commit, outside=changes.outside, own=agent_commit)


def has_changes(tree: Worktree, start: str, in_scope: PathFilter) -> bool:
    """Return whether the agent changed anything, in the scope or outside of it."""
    changes = _collect_changes(tree, start, _agent_commit(tree, start), in_scope)
    return changes.tree != tree.repository.tree(start) or bool(changes.outside)


def _agent_commit(tree: Worktree, start: str) -> str:
    """Return the agent's last commit after *start*: its HEAD, otherwise the tip of its branch."""
    repository = tree.repository
    tips = (tree.head, repository.commit(f"refs/heads/{tree.branch}"))
    return next((tip for tip in tips if tip and tip != start and repository.descends(tip, start)), "")


def _is_in_scope(repository: Repository, start: str, agent_commit: str, in_scope: PathFilter) -> bool:
    """Return whether the agent's own commits change only paths in the scope, or our hook settings."""
    output = repository.git(
        "log", "-m", "--no-renames", "--format=", "--name-only", "-z", f"{start}..{agent_commit}"
    )
    return all(in_scope(path.strip("\n")) for path in output.split("\0") if path.strip("\n"))


def _collect_changes(tree: Worktree, start: str, agent_commit: str, in_scope: PathFilter) -> AgentChanges:
    """Return the changes in the worktree; if it is gone or unchanged, those of the agent's own commit."""
    repository = tree.repository
    if not tree.exists:
        tree.check_out(agent_commit or start)
    changes = tree.collect_changes(start, in_scope)
    if (
        agent_commit
        and changes.tree == repository.tree(start)
        and not changes.outside
        and repository.tree(agent_commit) != changes.tree
    ):
        tree.check_out(agent_commit)
        changes = tree.collect_changes(start, in_scope)
    return changes


def _create_commit(repository: Repository, tree: str, parent: str, step: ExperimentProgress) -> str:
    subject = step.description or f"Experiment {step.experiment}"
    return repository.git("commit-tree", tree, "-p", parent, stdin=f"{subject}\n").strip()
