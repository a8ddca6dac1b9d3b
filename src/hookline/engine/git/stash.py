"""Protection of the user's stash, which all worktrees share: its entries survive an agent's work.

Entries that an agent stashed become refs of its run.
"""

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from msgspec import Struct

from hookline.engine import durable_files
from hookline.engine.git.keep_refs import find_other_worktree
from hookline.engine.git.repository import BRANCHES, REFS, Repository
from hookline.engine.git.worktree import Worktree
from hookline.system import file_lock

_LOG = logging.getLogger("hookline.engine")

STASH = "refs/stash"
_NO_BRANCH, _PINS, _AGENT_STASH = "(no branch)", "stash", "-stash-"
_CHECKOUT_LOG = "\tcheckout: moving from "
"""Text in the reflog at a checkout of another branch; the last word is the branch."""


class Entry(Struct, frozen=True, kw_only=True):
    """A stash entry."""

    commit: str
    message: str


def entries(repository: Repository) -> list[Entry]:
    """Return the entries of the stash, newest first."""
    if not repository.commit(STASH):
        return []
    lines = repository.git("log", "-g", "-z", "--format=%H %gs", STASH, "--").split("\0")
    parts = [line.partition(" ") for line in lines if line]
    return [Entry(commit=commit, message=message) for commit, _, message in parts]


def pin(tree: Worktree, run: str, worker: str = "") -> None:
    """Keep refs to the stash entries, so that neither a drop nor a garbage collection loses them.

    A pinned entry that is missing now was taken by a parallel agent, or by one that ran when the engine was
    killed. It belongs to the user and will be restored, so its pin is kept.
    """
    repository = tree.repository
    with _lock(repository):
        current, from_agents = entries(repository), _stashed_by_agents(repository, run)
        present = {*from_agents, *(entry.commit for entry in current)}
        refs, pins = repository.refs(f"{REFS}/{run}/"), f"{REFS}/{run}/{_PINS}"
        pinned = dict.fromkeys(commit for name, commit in refs.items() if name.startswith(pins))
        missing = [commit for commit in pinned if commit not in present]
        _set_pins(repository, _pin_prefix(run, worker), [entry.commit for entry in current] + missing)


def unpin(tree: Worktree, run: str, worker: str = "") -> None:
    """Remove the pins after an experiment; from now on, only the user removes entries."""
    with _lock(tree.repository):
        _set_pins(tree.repository, _pin_prefix(run, worker), ())


def _set_pins(repository: Repository, prefix: str, commits: Sequence[str]) -> None:
    pins = {f"{prefix}{index:04}": commit for index, commit in enumerate(commits)}
    existing = repository.refs(prefix)
    for ref, commit in pins.items():
        if existing.get(ref) != commit:
            repository.set_ref(ref, commit)
    for ref in existing.keys() - pins.keys():
        repository.delete_ref(ref)


def restore_stash(tree: Worktree, run: str, number: int, worker: str = "") -> None:
    """Restore the pinned entries, and keep those that the user has added since."""
    with _lock(tree.repository):
        _restore_stash(tree, run, number, worker)


def _restore_stash(tree: Worktree, run: str, number: int, worker: str) -> None:
    repository = tree.repository
    from_agents = _stashed_by_agents(repository, run) if worker else set()
    pinned = [
        commit for commit in repository.refs(_pin_prefix(run, worker)).values() if commit not in from_agents
    ]
    current = entries(repository)
    present = {entry.commit for entry in current}
    lost = [
        Entry(commit=commit, message=repository.message(commit)) for commit in pinned if commit not in present
    ]
    agents = [entry for entry in current if entry.commit not in pinned and _stashed_in(entry, tree)]
    # Entries of a parallel run or worker.
    others = [entry for entry in lost if _branch_of(entry).startswith(BRANCHES)]
    if not agents and len(lost) == len(others):
        return
    for index, entry in enumerate(agents + others):
        repository.set_ref(f"{REFS}/{run}/{number}{_AGENT_STASH}{index}", entry.commit)
    new = [entry for entry in current if entry.commit not in pinned and entry not in agents]
    by_commit = {entry.commit: entry for entry in (*lost, *current)}
    result = new + [by_commit[commit] for commit in pinned if by_commit[commit] not in others]
    # Otherwise a crash before the end would lose new entries.
    _set_pins(repository, _pin_prefix(run, worker), [entry.commit for entry in result])
    repository.unlock(STASH)
    if repository.commit(STASH):
        repository.delete_ref(STASH)
    _LOG.debug("after-stash")
    for entry in reversed(result):
        repository.git("stash", "store", "-q", "-m", entry.message, entry.commit, tree=repository.root)


@contextmanager
def _lock(repository: Repository) -> Iterator[None]:
    """Hold a lock on the stash, which several workers share."""
    folder = file_lock.open_locked(repository.git.dir, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield
    finally:
        os.close(folder)


def _pin_prefix(run: str, worker: str) -> str:
    return f"{REFS}/{run}/{_PINS}{worker}/"


def _stashed_by_agents(repository: Repository, run: str) -> set[str]:
    return {commit for ref, commit in repository.refs(f"{REFS}/{run}/").items() if _AGENT_STASH in ref}


def _stashed_in(entry: Entry, tree: Worktree) -> bool:
    """Return whether the entry was made in the worktree, judged by the branch in its message.

    A branch that another worktree has checked out belongs to the user, who may have stashed meanwhile.
    """
    branch = _branch_of(entry)
    if branch == tree.branch:
        return True
    moves = durable_files.read_text(os.path.join(tree.admin, "logs", "HEAD")).splitlines()
    visited = {line.rpartition(" ")[2] for line in moves if _CHECKOUT_LOG in line}
    if branch == _NO_BRANCH:  # an agent that never left its branch cannot stash without one
        return bool(visited)
    return branch in visited and not find_other_worktree(tree.repository, branch, os.path.realpath(tree.path))


def _branch_of(entry: Entry) -> str:
    return entry.message.partition("n ")[2].partition(": ")[0]
