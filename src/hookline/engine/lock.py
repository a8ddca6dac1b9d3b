"""The lock that allows one process per run."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from hookline.engine.runs import Run
from hookline.system import file_lock


class Busy(OSError):
    """Raised when another process already carries out the run."""


def lock_path(run: Run) -> str:
    """Return the path of the lock file: beside the scratch folder, whose content agents may delete."""
    return f"{run.scratch}.lock"


@contextmanager
def acquire(run: Run) -> Iterator[None]:
    """Hold the lock of the run; raise `Busy` if another process holds it."""
    os.makedirs(run.scratch, mode=0o700, exist_ok=True)
    with file_lock.try_lock(lock_path(run)) as file:
        if file is None:
            raise Busy(f"run {run.id!r} is at work in another process; wait for it, or end that one")
        yield


def is_running(run: Run) -> bool:
    """Return whether a process carries out the run now."""
    return file_lock.is_locked(lock_path(run))
