"""Processes as /proc shows them."""

import os
from contextlib import suppress
from typing import NamedTuple

from hookline.system.process.marks import read_proc

Key = tuple[int, int]
"""Process id and start time: together they are never reused."""


class ProcessInfo(NamedTuple):
    """A snapshot of a process."""

    pid: int
    state: str
    parent: int
    group: int
    session: int
    threads: int
    born: int

    @property
    def key(self) -> Key:
        return self.pid, self.born

    @property
    def dead(self) -> bool:
        # A program whose first thread has ended, but not the others, looks like a zombie as well.
        return self.state in "ZX" and self.threads <= 1


def is_usable() -> bool:
    """Return whether /proc exists and belongs to our process namespace."""
    try:
        return os.readlink("/proc/self") == str(os.getpid())
    except OSError:
        return False


def is_alone() -> bool:
    """Return whether this program has no child, and no other thread that could start one."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return is_usable() and len(_numeric_names("/proc/self/task")) == 1
    return False


def read_process(pid: int) -> ProcessInfo | None:
    try:
        raw = read_proc(f"/proc/{pid}/stat")
    except OSError:
        return None
    # The name, in parentheses, may contain any character, also parentheses.
    state, parent, group, session, *rest = raw.rpartition(b")")[2].split()
    return ProcessInfo(
        pid, state.decode(), int(parent), int(group), int(session), int(rest[13]), int(rest[15])
    )


def list_processes() -> list[ProcessInfo]:
    return [process for pid in _numeric_names("/proc") if (process := read_process(pid))]


def list_children() -> list[int]:
    """Return the process ids of this program's children, of all its threads, the newest last."""
    pids: list[int] = []
    # Twice: a list may be incomplete while a thread ends or a child is waited for.
    for tid in _numeric_names("/proc/self/task") + _numeric_names("/proc/self/task"):
        with suppress(FileNotFoundError, ProcessLookupError):
            pids += [int(pid) for pid in read_proc(f"/proc/self/task/{tid}/children").split()]
    return list(dict.fromkeys(pids)) or [
        process.pid for process in list_processes() if process.parent == os.getpid()
    ]


def _numeric_names(folder: str) -> list[int]:
    return [int(name) for name in os.listdir(folder) if name.isdecimal()]
