"""Processes beside the engine that count the active time of a run, and end its agents in time.

The kernel closes the pipe to the engine when the engine ends, however it ends; then the agents are ended.
They are also ended if their time is over and the engine, which may be stopped, did not do it. There are two
watchdogs, in case one is killed or stopped. They are not children of the engine, so that the engine can still
tell which processes descend from an agent.
"""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from types import TracebackType
from typing import Self

from hookline.engine import durable_files, progress, runs
from hookline.engine.runs import Run
from hookline.system import file_lock
from hookline.system.own_command import module_command
from hookline.system.process import unattended

INTERVAL = 1.0
"""Seconds between two records of the active time."""
LATE_SECONDS = 5.0
"""Seconds that the engine has to end an agent itself when its time is over."""
TAKEOVER_SECONDS = 10.0
"""Seconds that the watchdogs of an earlier engine have to end; then they are killed."""
COUNT = 2
_MODULE = "hookline.engine.watchdog"
_START = '"$@" &'
_DIGITS = 32


def state_path(run: Run) -> str:
    """Return the path of the file with the active time, which the first watchdog locks until it ends."""
    return f"{run.scratch}.time"


class Watchdog:
    """Context manager that runs the watchdogs; waits for those of an earlier engine to finish."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def __enter__(self) -> Self:
        state = _lock_state(self._run)
        signal_watchdogs(self._run, signal.SIGKILL)  # a stopped one of an earlier engine
        self._spent = max(self._run.spent, _read_seconds(state))
        self._began = time.monotonic()
        reader, self._writer = os.pipe()
        try:
            self._start(reader, state)
        finally:
            os.close(reader)
            os.close(state)
        return self

    def _start(self, reader: int, state: int) -> None:
        run, none = self._run, subprocess.DEVNULL
        words = (str(reader), str(state), str(self._spent), run.mark, run.root, run.id)
        subprocess.run(
            ("/bin/sh", "-c", _START, "sh", *module_command(_MODULE), *words),
            check=True,
            stdin=none,
            stdout=none,
            stderr=none,
            pass_fds=(reader, state),
            start_new_session=True,
        )

    @property
    def seconds(self) -> float:
        """Seconds during which the run was active, in all its processes."""
        return self._spent + time.monotonic() - self._began

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(BrokenPipeError):
            os.write(self._writer, b"." * COUNT)
        os.close(self._writer)
        signal_watchdogs(self._run, signal.SIGCONT)


def _lock_state(run: Run) -> int:
    """Return the locked file with the active time; a watchdog that does not release it was stopped."""
    deadline = time.monotonic() + TAKEOVER_SECONDS
    while (state := file_lock.try_open_locked(state_path(run))) is None:
        if time.monotonic() > deadline:
            signal_watchdogs(run, signal.SIGKILL)
        time.sleep(0.05)
    return state


def signal_watchdogs(run: Run, number: int) -> None:
    for pid in find_watchdogs(run):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def find_watchdogs(run: Run) -> list[int]:
    """Return the process ids of the run's watchdogs."""
    pids = [int(name) for name in os.listdir("/proc") if name.isdecimal()] if os.path.isdir("/proc") else []
    return [pid for pid in pids if _is_watchdog(pid, run)]


def _is_watchdog(pid: int, run: Run) -> bool:
    words = durable_files.read_text(f"/proc/{pid}/cmdline").split("\0")
    return _MODULE in words and run.mark in words and words[0] != "/bin/sh"


def _read_seconds(state: int) -> float:
    try:
        return float(os.pread(state, _DIGITS, 0) or 0)
    except ValueError:
        return 0.0


class _Deadlines:
    """The times at which the agents of the run must be dead, on the clock that never jumps."""

    def __init__(self, run: Run | None) -> None:
        self._run, self._deadlines = run, dict[str, float]()

    @property
    def marks(self) -> Iterable[str]:
        return self._deadlines

    def read(self) -> None:
        """Read which agents were started."""
        for step in progress.running_steps(self._run) if self._run else ():
            if step.phase == "spawned" and step.mark and step.limit:
                self._deadlines.setdefault(step.mark, time.monotonic() + step.limit + LATE_SECONDS)

    def check(self) -> None:
        """End the agents whose time is over, also those whose progress file was deleted meanwhile."""
        self.read()
        now = time.monotonic()
        for mark in [mark for mark, deadline in self._deadlines.items() if now > deadline]:
            unattended.end_marked(mark)
            self._deadlines[mark] = float("inf")


def main() -> None:
    """Record the time until the engine ends; end its agents if it died."""
    reader, state, spent, mark = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
    began, deadlines = time.monotonic(), _Deadlines(_load_run(*sys.argv[5:7]))
    if os.fork() == 0:  # the second watchdog, which does not keep the time
        os.setsid()
        os.close(state)
        state = -1
    while not select.select([reader], [], [], INTERVAL)[0]:
        _record(state, spent + time.monotonic() - began)
        deadlines.check()
    finished = os.read(reader, 1)
    _record(state, spent + time.monotonic() - began)
    if not finished:
        deadlines.read()
        for each in (mark, *deadlines.marks):  # a process without its environment has only its agent's mark
            unattended.end_marked(each)


def _load_run(root: str, name: str) -> Run | None:
    try:
        return runs.load(root, name)
    except (LookupError, ValueError):
        return None


def _record(state: int, seconds: float) -> None:
    if state >= 0:
        with suppress(OSError):  # a full disk
            os.pwrite(state, f"{seconds:<{_DIGITS}.3f}".encode(), 0)


if __name__ == "__main__":
    main()
