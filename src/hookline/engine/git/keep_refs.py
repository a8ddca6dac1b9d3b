"""Nothing that was reachable is lost: refs that went away as an agent worked, and commits on a run's branch.

A person may work in the repository all the while, so what moved is not moved back: what it was is kept beside
the run's experiments, and a sentence says where. Only the run's own refs are put where they belong.
"""

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from hookline.engine import durable_files
from hookline.engine.git.repository import HEADS, REFS, Repository, ref
from hookline.engine.journal import Row
from hookline.redact import redact

Complain = Callable[[str], None]
FILE = "refs.json"
_STASH = ("refs/stash", "/stash")


class Before(Struct, frozen=True, kw_only=True):
    """The refs as they were when an agent began."""

    ours: Mapping[str, str]
    """The run's own."""
    users: Mapping[str, str]


def before(repository: Repository, run: str) -> Before:
    told, own = repository.refs("refs/"), f"{REFS}/{run}/"
    return Before(
        ours={name: at for name, at in told.items() if name.startswith(own) and _STASH[1] not in name},
        users={
            name: at
            for name, at in told.items()
            if not name.startswith((f"{REFS}/", f"{HEADS}hookline/", _STASH[0]))
        },
    )


def note(folder: str, was: Before) -> None:
    """Write it down for whoever goes on after a crash."""
    durable_files.folder(folder)
    durable_files.write(os.path.join(folder, FILE), json.dumps({"ours": was.ours, "users": was.users}))


def noted(folder: str) -> Before:
    """What was written down; nothing where somebody else wrote there."""
    try:
        told = json.loads(durable_files.text(os.path.join(folder, FILE)))
        return Before(ours=dict(told["ours"]), users=dict(told["users"]))
    except (ValueError, TypeError, LookupError):
        return Before(ours={}, users={})


def after(repository: Repository, run: str, number: int, was: Before, complain: Complain) -> None:
    """Put refs of the run back that are gone, and keep what a user's refs were that lead elsewhere now."""
    now = repository.refs("refs/")
    for name, at in was.ours.items():
        if name not in now:
            _set(repository, name, at, complain)
    for name, at in was.users.items():
        if now.get(name) != at and not _leads_to(repository, now.get(name, ""), at):
            kept = f"{ref(run, number)}-was/{name.removeprefix('refs/')}"
            what = "leads elsewhere" if name in now else "is gone"
            if _set(repository, kept, at, complain):
                complain(redact(f"{name} {what} since experiment {number}; what it was is kept as {kept}"))


def of_rows(repository: Repository, run: str, rows: Iterable[Row], complain: Complain) -> None:
    """Every commit of the journal, under its own ref."""
    now = repository.refs(f"{REFS}/{run}/")
    for row in rows:
        name = ref(run, row.iteration)
        if row.commit and now.get(name) != row.commit:
            _set(repository, name, row.commit, complain)


def put_branch(
    repository: Repository,
    branch: str,
    at: str,
    *,
    ours: str,
    keep: str,
    known: Sequence[str],
    complain: Complain,
) -> None:
    """Point a run's branch at *at*; what is on it and below none of *known* is kept as *keep*.

    Where somebody else than the worktree *ours* has it checked out, it would change below them, and stays.
    """
    tip = repository.commit(f"{HEADS}{branch}")
    if tip == at:
        return
    if place := elsewhere(repository, branch, ours):
        complain(
            f"{branch} is checked out in {place!r}, so it stays at {tip[:12]} though {at[:12]} stands; "
            "say `git switch -` there, and it follows with the next row, or with `--resume`"
        )
        return
    safe = not tip or any(_leads_to(repository, one, tip) for one in (at, *known))
    if not safe and _set(repository, keep, tip, complain):
        complain(f"{branch} had other commits on it than the journal says; they are kept as {keep}")
    repository.set_ref(f"{HEADS}{branch}", at)


def elsewhere(repository: Repository, branch: str, ours: str) -> str:
    """The folder of another worktree than *ours* that has the branch checked out; empty where none has."""
    folder = ""
    for line in repository.git("worktree", "list", "--porcelain").split("\n"):
        word, _, rest = line.partition(" ")
        folder = rest if word == "worktree" else folder
        if word == "branch" and rest == f"{HEADS}{branch}" and folder != ours:
            return folder
    return ""


def _leads_to(repository: Repository, commit: str, old: str) -> bool:
    return bool(commit) and (commit == old or repository.descends(commit, old))


def _set(repository: Repository, name: str, commit: str, complain: Complain) -> bool:
    """An agent may have had objects collected that no ref led to any more."""
    try:
        repository.set_ref(name, commit)
    except OSError as error:
        complain(redact(f"{name} could not be kept: {error}"))
        return False
    return True
