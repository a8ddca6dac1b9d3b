"""Removal of a run's leftovers in a repository: worktrees, refs, and on request branches and journals."""

import os
import shutil

from msgspec import Struct

from hookline.engine import durable_files, lock, progress, watchdog
from hookline.engine.git.keep_refs import find_other_worktree
from hookline.engine.git.repository import HEADS, REFS, Repository
from hookline.engine.git.worktree import Worktree
from hookline.engine.runs import Run
from hookline.engine.workplace import workers, worktrees

UNCOMMITTED = ("spawned", "left")
"""Phases of an experiment in which its change is not committed yet."""


class RunLeftovers(Struct, frozen=True, kw_only=True):
    """The removable parts of a run."""

    run: Run
    trees: tuple[str, ...]
    refs: tuple[str, ...]
    size: int
    """Bytes of the worktrees."""
    busy: bool
    unfinished: int | None = None
    """Number of an interrupted experiment, whose changes may exist only in a worktree."""
    elsewhere: str = ""
    """Another worktree that has the run's branch checked out."""


def find_leftovers(run: Run, repository: Repository) -> RunLeftovers:
    trees = [tree.path for tree in _all_worktrees(run, repository) if tree.exists]
    return RunLeftovers(
        run=run,
        trees=tuple(trees),
        refs=tuple(repository.refs(f"{REFS}/{run.id}/")),
        size=sum(map(_size, trees)),
        busy=lock.is_running(run),
        unfinished=_unfinished(run) if trees else None,
        elsewhere=find_other_worktree(repository, run.branch, run.checkout),
    )


def _unfinished(run: Run) -> int | None:
    steps = (progress.load(run.worker_folder(name)) for name in ("", *workers(run)))
    return next((step.experiment for step in steps if step and step.phase in UNCOMMITTED), None)


def _all_worktrees(run: Run, repository: Repository) -> list[Worktree]:
    """Return the worktrees of all workers."""
    return [tree for name in ("", *workers(run)) for tree in worktrees(run, repository, name).values()]


def _size(path: str) -> int:
    return sum(
        os.lstat(os.path.join(folder, name)).st_size for folder, _, names in os.walk(path) for name in names
    )


def clean(leftovers: RunLeftovers, repository: Repository, *, refs: bool, everything: bool) -> None:
    """Remove the worktrees of a run.

    With *refs* also remove the commits of discarded experiments; with *everything* also the branch and the
    journal.
    """
    with lock.acquire(leftovers.run):
        for tree in _all_worktrees(leftovers.run, repository):
            tree.remove()
            if tree.branch not in ("", leftovers.run.branch):
                repository.delete_ref(f"{HEADS}{tree.branch}")
        for ref in leftovers.refs if refs or everything else ():
            repository.delete_ref(ref)
        if everything:
            repository.delete_ref(f"{HEADS}{leftovers.run.branch}")
            shutil.rmtree(leftovers.run.folder, ignore_errors=True)
        shutil.rmtree(leftovers.run.scratch, ignore_errors=True)
        os.unlink(lock.lock_path(leftovers.run))
        for path in (watchdog.state_path(leftovers.run), f"{leftovers.run.scratch}.measure"):
            durable_files.remove(path)
