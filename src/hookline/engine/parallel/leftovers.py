"""The folders of experiments on a machine of a cluster, and what is left there of those that were killed."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from hookline.system import file_lock
from hookline.system.process import unattended

LOCK, ALIVE, PREFIX = "lock", "alive", "at-"
OVER = b"over"
LONG = 7 * 86400.0
"""Seconds after which a run that nobody worked on is forgotten by a machine."""


@contextmanager
def locked(place: str) -> Iterator[None]:
    """While one has it, the others wait; it also says when the run was last at work here."""
    path = os.path.join(place, LOCK)
    with file_lock.lock(path):
        os.utime(path)
        yield


@contextmanager
def folder(place: str) -> Iterator[tuple[str, str]]:
    """A folder for one experiment, and the mark of its processes; nothing of either stays.

    Whoever is killed cannot tidy up: one that watches does so for it, or whoever comes next here.
    """
    with locked(place):
        _tidied(place)
        path, mark = tempfile.mkdtemp(prefix=PREFIX, dir=place), unattended.new_mark()
        alive = file_lock.open_locked(os.path.join(path, ALIVE))
        os.write(alive, mark.encode())
    watch = _watched(path, mark)
    try:
        yield path, mark
    finally:
        _removed(path)
        os.close(alive)
        with suppress(BrokenPipeError):
            os.write(watch, OVER)
        os.close(watch)


def _watched(path: str, mark: str) -> int:
    """Where it is said that all is over; whoever ends without a word is tidied up after.

    Ray kills what a worker started along with it: so nobody may be its parent.
    """
    reads, writes = os.pipe()
    argv = (sys.executable, "-m", "hookline.engine.parallel.leftovers", path, mark)
    told = 'exec 3<&0; "$@" <&3 3<&- &'
    null = subprocess.DEVNULL
    subprocess.run(
        ["/bin/sh", "-c", told, "sh", *argv],
        stdin=reads,
        stdout=null,
        stderr=null,
        start_new_session=True,
        check=False,
    )
    os.close(reads)
    return writes


def _tidied(place: str) -> None:
    for name in os.listdir(place):
        path = os.path.join(place, name)
        if name.startswith(PREFIX) and (mark := _dead(path)) is not None:
            unattended.end_marked(mark)
            _removed(path)


def _dead(path: str) -> str | None:
    """The mark of whoever worked there; None where it still does."""
    try:
        with open(os.path.join(path, ALIVE), encoding="ascii") as file:
            return None if file_lock.is_locked(file.name) else file.read()
    except FileNotFoundError:
        return ""


def forget_others(place: str) -> None:
    """Take away what is here of runs that are long over."""
    around = os.path.dirname(place)
    for name in os.listdir(around):
        other = os.path.join(around, name)
        with suppress(FileNotFoundError):
            if other != place and time.time() - os.stat(os.path.join(other, LOCK)).st_mtime > LONG:
                _tidied(other)
                _removed(other)


def _removed(path: str) -> None:
    subprocess.run(["chmod", "-R", "u+rwX", path], check=False, capture_output=True)
    shutil.rmtree(path, ignore_errors=True)


def main() -> None:
    path, mark = sys.argv[1:]
    if sys.stdin.buffer.read() != OVER:
        unattended.end_marked(mark)
        _removed(path)


if __name__ == "__main__":
    main()
