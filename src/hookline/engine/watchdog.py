"""A process beside the engine that counts the active time of a run, and ends its agents if the engine dies.

The kernel closes the pipe between both when the engine ends, however it ends. The watchdog is not a child of
the engine, so that the engine can still tell which processes descend from an agent.
"""

import os
import select
import subprocess
import sys
import time
from contextlib import suppress
from types import TracebackType
from typing import Self

from hookline.engine.runs import Run
from hookline.system import file_lock
from hookline.system.own_command import module_command
from hookline.system.process import unattended

INTERVAL = 1.0
"""Seconds between two records of the active time."""
_START = '"$@" &'
_DIGITS = 32


def state_path(run: Run) -> str:
    """Return the path of the file with the active time, which the watchdog locks until it ends."""
    return f"{run.scratch}.time"


class Watchdog:
    """Context manager that runs the watchdog; waits for one of an earlier engine to finish."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def __enter__(self) -> Self:
        state = file_lock.open_locked(state_path(self._run))
        self._spent = max(self._run.spent, _read_seconds(state))
        self._began = time.monotonic()
        reader, self._writer = os.pipe()
        words = (str(reader), str(state), str(self._spent), self._run.mark)
        argv = ("/bin/sh", "-c", _START, "sh", *module_command("hookline.engine.watchdog"), *words)
        none = subprocess.DEVNULL
        try:
            subprocess.run(
                argv,
                check=True,
                stdin=none,
                stdout=none,
                stderr=none,
                pass_fds=(reader, state),
                start_new_session=True,
            )
        finally:
            os.close(reader)
            os.close(state)
        return self

    @property
    def seconds(self) -> float:
        """Seconds during which the run was active, in all its processes."""
        return self._spent + time.monotonic() - self._began

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(BrokenPipeError):
            os.write(self._writer, b".")
        os.close(self._writer)


def _read_seconds(state: int) -> float:
    try:
        return float(os.pread(state, _DIGITS, 0) or 0)
    except ValueError:
        return 0.0


def main() -> None:
    """Record the time until the engine ends; end its agents if it died."""
    reader, state, spent, mark = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
    began = time.monotonic()
    while not select.select([reader], [], [], INTERVAL)[0]:
        _record(state, spent + time.monotonic() - began)
    finished = os.read(reader, 1)
    _record(state, spent + time.monotonic() - began)
    if not finished:
        unattended.end_marked(mark)


def _record(state: int, seconds: float) -> None:
    with suppress(OSError):  # a full disk
        os.pwrite(state, f"{seconds:<{_DIGITS}.3f}".encode(), 0)


if __name__ == "__main__":
    main()
