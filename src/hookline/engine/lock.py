"""The lock that allows one process per run."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from hookline.engine import durable_files
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
        os.ftruncate(file, 0)
        os.pwrite(file, str(os.getpid()).encode(), 0)
        yield


def running_pid(run: Run) -> int:
    """Return the id of the process that carries out the run, or 0."""
    text = durable_files.read_text(lock_path(run)) if is_running(run) else ""
    return int(text) if text.isdecimal() else 0


def is_running(run: Run) -> bool:
    """Return whether a process carries out the run now."""
    return file_lock.is_locked(lock_path(run))
