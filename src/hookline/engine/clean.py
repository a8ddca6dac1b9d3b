"""Take away what runs leave in a repository: worktrees, refs, and if wanted branches and journals."""

import os
import shutil

from msgspec import Struct

from hookline.engine import lock, progress
from hookline.engine.git.keep_refs import elsewhere
from hookline.engine.git.repository import HEADS, REFS, Repository
from hookline.engine.git.worktree import Worktree
from hookline.engine.runs import Run
from hookline.engine.workplace import workers, worktrees

UNCOMMITTED = ("spawned", "left")
"""Phases of an experiment in which its change is in no commit yet."""


class Leavings(Struct, frozen=True, kw_only=True):
    """What there is of a run to be taken away."""

    run: Run
    trees: tuple[str, ...]
    refs: tuple[str, ...]
    size: int
    """Bytes of its worktrees."""
    busy: bool
    unfinished: int | None = None
    """An experiment that was interrupted: what its agent left may be nowhere but in a worktree."""
    elsewhere: str = ""
    """The folder in which somebody has its branch checked out."""


def leavings(run: Run, repository: Repository) -> Leavings:
    trees = [one.path for one in _all(run, repository) if one.there]
    return Leavings(
        run=run,
        trees=tuple(trees),
        refs=tuple(repository.refs(f"{REFS}/{run.id}/")),
        size=sum(map(_size, trees)),
        busy=lock.busy(run),
        unfinished=_unfinished(run) if trees else None,
        elsewhere=elsewhere(repository, run.branch, run.checkout),
    )


def _unfinished(run: Run) -> int | None:
    found = (progress.load(run.of(name)) for name in ("", *workers(run)))
    return next((step.experiment for step in found if step and step.phase in UNCOMMITTED), None)


def _all(run: Run, repository: Repository) -> list[Worktree]:
    """Of all its workers."""
    return [tree for name in ("", *workers(run)) for tree in worktrees(run, repository, name).values()]


def _size(path: str) -> int:
    return sum(
        os.lstat(os.path.join(folder, name)).st_size for folder, _, names in os.walk(path) for name in names
    )


def clean(one: Leavings, repository: Repository, *, refs: bool, everything: bool) -> None:
    """The worktrees; with *refs* what discarded experiments came to; with *everything* branch and journal."""
    with lock.held(one.run):
        for tree in _all(one.run, repository):
            tree.remove()
            if tree.branch not in ("", one.run.branch):
                repository.drop_ref(f"{HEADS}{tree.branch}")
        for ref in one.refs if refs or everything else ():
            repository.drop_ref(ref)
        if everything:
            repository.drop_ref(f"{HEADS}{one.run.branch}")
            shutil.rmtree(one.run.folder, ignore_errors=True)
        shutil.rmtree(one.run.scratch, ignore_errors=True)
        os.unlink(lock.path(one.run))
