"""The user's stash, which all worktrees share: what was in it before an agent worked is in it afterwards.

What an agent stashed itself becomes refs of its run.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from msgspec import Struct

from hookline.engine import durable_files
from hookline.engine.git.keep_refs import elsewhere
from hookline.engine.git.repository import BRANCHES, REFS, Repository
from hookline.engine.git.worktree import Worktree
from hookline.engine.points import passed
from hookline.system import file_lock

STASH = "refs/stash"
_NOBODYS, _PINS, _TAKEN = "(no branch)", "stash", "-stash-"
_MOVED = "\tcheckout: moving from "
"""How git writes down that another branch was checked out; the last word is which."""


class Entry(Struct, frozen=True, kw_only=True):
    """Something stashed."""

    commit: str
    message: str


def entries(repository: Repository) -> list[Entry]:
    """The newest first."""
    if not repository.commit(STASH):
        return []
    told = repository.git("log", "-g", "-z", "--format=%H %gs", STASH, "--").split("\0")
    parts = [line.partition(" ") for line in told if line]
    return [Entry(commit=commit, message=message) for commit, _, message in parts]


def pin(tree: Worktree, run: str, worker: str = "") -> None:
    """Note what is in the stash now, so that neither dropping nor collecting garbage can lose it.

    What is pinned and not there was taken by an agent beside this one, or by one that was at work when the
    engine was killed: it will be there again, and is the user's all the same.
    """
    repository = tree.repository
    with _alone(repository):
        now, taken = entries(repository), _taken(repository, run)
        known = {*taken, *(one.commit for one in now)}
        refs, pins = repository.refs(f"{REFS}/{run}/"), f"{REFS}/{run}/{_PINS}"
        pinned = dict.fromkeys(commit for name, commit in refs.items() if name.startswith(pins))
        away = [commit for commit in pinned if commit not in known]
        _pinned(repository, _place(run, worker), [one.commit for one in now] + away)


def unpin(tree: Worktree, run: str, worker: str = "") -> None:
    """Its experiment is over: what leaves the stash from now on, a person took."""
    with _alone(tree.repository):
        _pinned(tree.repository, _place(run, worker), ())


def _pinned(repository: Repository, place: str, commits: Sequence[str]) -> None:
    wanted = {f"{place}{at:04}": commit for at, commit in enumerate(commits)}
    there = repository.refs(place)
    for ref, commit in wanted.items():
        if there.get(ref) != commit:
            repository.set_ref(ref, commit)
    for ref in there.keys() - wanted.keys():
        repository.drop_ref(ref)


def put_back(tree: Worktree, run: str, number: int, worker: str = "") -> None:
    """Have in the stash what was pinned, and what the user put there since."""
    with _alone(tree.repository):
        _put_back(tree, run, number, worker)


def _put_back(tree: Worktree, run: str, number: int, worker: str) -> None:
    repository = tree.repository
    taken = _taken(repository, run) if worker else set()
    pinned = [one for one in repository.refs(_place(run, worker)).values() if one not in taken]
    now = entries(repository)
    there = {one.commit for one in now}
    lost = [Entry(commit=one, message=repository.message(one)) for one in pinned if one not in there]
    agents = [one for one in now if one.commit not in pinned and _of(one, tree)]
    others = [one for one in lost if _where(one).startswith(BRANCHES)]  # of a run or a worker beside this one
    if not agents and len(lost) == len(others):
        return
    for at, one in enumerate(agents + others):
        repository.set_ref(f"{REFS}/{run}/{number}{_TAKEN}{at}", one.commit)
    new = [one for one in now if one.commit not in pinned and one not in agents]
    known = {one.commit: one for one in (*lost, *now)}
    whole = new + [known[one] for one in pinned if known[one] not in others]
    # Else a crash before the end would lose what is new.
    _pinned(repository, _place(run, worker), [one.commit for one in whole])
    repository.unlock(STASH)
    if repository.commit(STASH):
        repository.drop_ref(STASH)
    passed("after-stash")
    for one in reversed(whole):
        repository.git("stash", "store", "-q", "-m", one.message, one.commit, tree=repository.root)


@contextmanager
def _alone(repository: Repository) -> Iterator[None]:
    """Several workers share the stash."""
    folder = file_lock.open_locked(repository.git.dir, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield
    finally:
        os.close(folder)


def _place(run: str, worker: str) -> str:
    return f"{REFS}/{run}/{_PINS}{worker}/"


def _taken(repository: Repository, run: str) -> set[str]:
    """What agents beside this one had stashed."""
    return {commit for ref, commit in repository.refs(f"{REFS}/{run}/").items() if _TAKEN in ref}


def _of(one: Entry, tree: Worktree) -> bool:
    """Whether it was stashed there: git says in the message what was checked out.

    A branch that another worktree has now is its user's, who may have stashed meanwhile.
    """
    where = _where(one)
    if where == tree.branch:
        return True
    moves = durable_files.text(os.path.join(tree.admin, "logs", "HEAD")).splitlines()
    visited = {line.rpartition(" ")[2] for line in moves if _MOVED in line}
    if where == _NOBODYS:  # who never left its branch did not stash without one
        return bool(visited)
    return where in visited and not elsewhere(tree.repository, where, os.path.realpath(tree.path))


def _where(one: Entry) -> str:
    return one.message.partition("n ")[2].partition(": ")[0]
