"""Put whatever an agent left into a commit, with the commits that it made itself below it."""

from msgspec import Struct

from hookline.engine.git.repository import Repository, ref
from hookline.engine.git.worktree import Left, Worktree
from hookline.engine.progress import Step
from hookline.engine.scope import Inside

ref_of = ref


class Kept(Struct, frozen=True, kw_only=True):
    """Where an experiment's work is now."""

    commit: str
    """Empty: there was no change in the scope."""
    outside: tuple[str, ...]
    own: str = ""
    """The last commit that the agent made itself."""


def commit(tree: Worktree, step: Step, inside: Inside, *, ref: str) -> Kept:
    """Commit what is in the worktree, and have it reachable for good."""
    repository, start = tree.repository, step.start
    own = _own(tree, start)
    left = _left(tree, start, own, inside)
    if left.tree == repository.tree(start):
        return Kept(commit="", outside=left.outside, own=own)
    below = own if own and _clean(repository, start, own, inside) else start
    whole = (
        own
        if own == below and repository.tree(own) == left.tree
        else _new(repository, left.tree, below, step)
    )
    repository.set_ref(ref, whole)
    if own and below == start:
        repository.set_ref(f"{ref}-own", own)
    return Kept(commit=whole, outside=left.outside, own=own)


def anything(tree: Worktree, start: str, inside: Inside) -> bool:
    """Whether an agent did anything at all."""
    left = _left(tree, start, _own(tree, start), inside)
    return left.tree != tree.repository.tree(start) or bool(left.outside)


def _own(tree: Worktree, start: str) -> str:
    """The agent's own last commit after *start*: what it has checked out, else what its branch came to."""
    repository = tree.repository
    tips = (tree.head, repository.commit(f"refs/heads/{tree.branch}"))
    return next((tip for tip in tips if tip and tip != start and repository.descends(tip, start)), "")


def _clean(repository: Repository, start: str, own: str, inside: Inside) -> bool:
    """Whether the agent's own commits hold nothing but what it may change: our wiring may be among them."""
    told = repository.git("log", "-m", "--no-renames", "--format=", "--name-only", "-z", f"{start}..{own}")
    return all(inside(path.strip("\n")) for path in told.split("\0") if path.strip("\n"))


def _left(tree: Worktree, start: str, own: str, inside: Inside) -> Left:
    """The files as they are; where they are gone, or as they were, those of the agent's own commit."""
    repository = tree.repository
    if not tree.there:
        tree.put(own or start)
    left = tree.left(start, inside)
    if own and left.tree == repository.tree(start) and not left.outside and repository.tree(own) != left.tree:
        tree.put(own)
        left = tree.left(start, inside)
    return left


def _new(repository: Repository, tree: str, parent: str, step: Step) -> str:
    subject = step.description or f"Experiment {step.experiment}"
    return repository.git("commit-tree", tree, "-p", parent, stdin=f"{subject}\n").strip()
