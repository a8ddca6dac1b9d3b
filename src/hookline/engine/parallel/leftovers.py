"""The experiment folders on a cluster machine, and removal of those whose process was killed."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from hookline.system import file_lock
from hookline.system.own_command import module_command
from hookline.system.process import unattended

LOCK, ALIVE, PREFIX = "lock", "alive", "at-"
DONE = b"over"
MAX_IDLE_SECONDS = 7 * 86400.0
"""Seconds after which a machine removes the folder of an unused run."""


@contextmanager
def lock_folder(run_folder: str) -> Iterator[None]:
    """Hold the lock of the run's folder, and record the time of its last use."""
    path = os.path.join(run_folder, LOCK)
    with file_lock.lock(path):
        os.utime(path)
        yield


@contextmanager
def experiment_folder(run_folder: str) -> Iterator[tuple[str, str]]:
    """Yield a new folder and a process mark for one experiment; remove both afterwards.

    A killed process cannot clean up: a watchdog process does it, or the next experiment on this machine.
    """
    with lock_folder(run_folder):
        _remove_dead(run_folder)
        path, mark = tempfile.mkdtemp(prefix=PREFIX, dir=run_folder), unattended.new_mark()
        alive = file_lock.open_locked(os.path.join(path, ALIVE))
        os.write(alive, mark.encode())
    watchdog = _start_watchdog(path, mark)
    try:
        yield path, mark
    finally:
        _remove(path)
        os.close(alive)
        with suppress(BrokenPipeError):
            os.write(watchdog, DONE)
        os.close(watchdog)


def _start_watchdog(path: str, mark: str) -> int:
    """Start the watchdog; return the pipe on which `DONE` is written at a normal end.

    Ray kills the children of a worker with it, so the watchdog is detached from its parent.
    """
    read_end, write_end = os.pipe()
    argv = (*module_command("hookline.engine.parallel.leftovers"), path, mark)
    script = 'exec 3<&0; "$@" <&3 3<&- &'
    devnull = subprocess.DEVNULL
    subprocess.run(
        ["/bin/sh", "-c", script, "sh", *argv],
        stdin=read_end,
        stdout=devnull,
        stderr=devnull,
        start_new_session=True,
        check=False,
    )
    os.close(read_end)
    return write_end


def _remove_dead(run_folder: str) -> None:
    for name in os.listdir(run_folder):
        path = os.path.join(run_folder, name)
        if name.startswith(PREFIX) and (mark := _dead_mark(path)) is not None:
            unattended.end_marked(mark)
            _remove(path)


def _dead_mark(path: str) -> str | None:
    """Return the process mark of a dead experiment, or None if it is still running."""
    try:
        with open(os.path.join(path, ALIVE), encoding="ascii") as file:
            return None if file_lock.is_locked(file.name) else file.read()
    except FileNotFoundError:
        return ""


def remove_old_runs(run_folder: str) -> None:
    """Remove the folders of runs that have not been used for `MAX_IDLE_SECONDS`."""
    parent = os.path.dirname(run_folder)
    for name in os.listdir(parent):
        other = os.path.join(parent, name)
        with suppress(FileNotFoundError):
            if (
                other != run_folder
                and time.time() - os.stat(os.path.join(other, LOCK)).st_mtime > MAX_IDLE_SECONDS
            ):
                _remove_dead(other)
                _remove(other)


def _remove(path: str) -> None:
    subprocess.run(["chmod", "-R", "u+rwX", path], check=False, capture_output=True)
    shutil.rmtree(path, ignore_errors=True)


def main() -> None:
    path, mark = sys.argv[1:]
    if sys.stdin.buffer.read() != DONE:
        unattended.end_marked(mark)
        _remove(path)


if __name__ == "__main__":
    main()
