"""One process a run."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from hookline.engine.runs import Run
from hookline.system import file_lock


class Busy(OSError):
    """Somebody is at it already."""


def path(run: Run) -> str:
    """Beside the folder that its agents work in: they may delete what they find there."""
    return f"{run.scratch}.lock"


@contextmanager
def held(run: Run) -> Iterator[None]:
    """Raises `Busy` where another process carries the run out."""
    os.makedirs(run.scratch, mode=0o700, exist_ok=True)
    with file_lock.try_lock(path(run)) as file:
        if file is None:
            raise Busy(f"run {run.id!r} is at work in another process; wait for it, or end that one")
        yield


def busy(run: Run) -> bool:
    """Whether somebody carries the run out now."""
    return file_lock.is_locked(path(run))
