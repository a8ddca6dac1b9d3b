"""The lock that allows one process per run."""

from collections.abc import Iterator
from contextlib import contextmanager

from hookline.engine.runs import Run
from hookline.system import file_lock
from hookline.system.paths import create_private


class Busy(OSError):
    """Raised when another process already carries out the run."""


def lock_path(run: Run) -> str:
    """Return the path of the lock file: beside the scratch folder, whose content agents may delete."""
    return f"{run.scratch}.lock"


@contextmanager
def acquire(run: Run) -> Iterator[None]:
    """Hold the lock of the run; raise `Busy` if another process holds it."""
    create_private(run.scratch)
    with file_lock.try_lock(lock_path(run)) as file:
        if file is None:
            raise Busy(f"run {run.id!r} is already running in another process; wait for it, or stop it")
        yield


def is_running(run: Run) -> bool:
    """Return whether a process carries out the run now."""
    return file_lock.is_locked(lock_path(run))
