"""One process a run."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from hookline.engine.runs import Run


class Busy(OSError):
    """Somebody is at it already."""


def path(run: Run) -> str:
    """Beside the folder that its agents work in: they may delete what they find there."""
    return f"{run.scratch}.lock"


@contextmanager
def held(run: Run) -> Iterator[None]:
    """Raises `Busy` where another process carries the run out."""
    os.makedirs(run.scratch, mode=0o700, exist_ok=True)
    with open(path(run), "w", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Busy(
                f"run {run.id!r} is at work in another process; wait for it, or end that one"
            ) from None
        yield


def busy(run: Run) -> bool:
    """Whether somebody carries the run out now."""
    try:
        with open(path(run), encoding="ascii") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
