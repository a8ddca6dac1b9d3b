"""What /proc tells about processes."""

import os
from contextlib import suppress
from typing import NamedTuple

from hookline.system.process.marks import read

Key = tuple[int, int]
"""Number and time of birth of a process: together they are never used twice."""


class Seen(NamedTuple):
    """A process at a moment."""

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
        # A program of which only the first thread has ended looks like a zombie as well.
        return self.state in "ZX" and self.threads <= 1


def usable() -> bool:
    """Whether there is a /proc, and it counts processes as we do."""
    try:
        return os.readlink("/proc/self") == str(os.getpid())
    except OSError:
        return False


def lonely() -> bool:
    """Whether this program has no child, and no thread but this one that could start any."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return usable() and len(_numbers("/proc/self/task")) == 1
    return False


def see(pid: int) -> Seen | None:
    try:
        raw = read(f"/proc/{pid}/stat")
    except OSError:
        return None
    # The name, in parentheses, may hold anything, parentheses too.
    state, parent, group, session, *rest = raw.rpartition(b")")[2].split()
    return Seen(pid, state.decode(), int(parent), int(group), int(session), int(rest[13]), int(rest[15]))


def everything() -> list[Seen]:
    return [one for pid in _numbers("/proc") if (one := see(pid))]


def children() -> list[int]:
    """The children of this program, by whichever of its threads, the newest last."""
    found: list[int] = []
    # Twice: while a thread ends, or a child is waited for, a list may leave something out.
    for tid in _numbers("/proc/self/task") + _numbers("/proc/self/task"):
        with suppress(FileNotFoundError, ProcessLookupError):
            found += [int(pid) for pid in read(f"/proc/self/task/{tid}/children").split()]
    return list(dict.fromkeys(found)) or [one.pid for one in everything() if one.parent == os.getpid()]


def _numbers(folder: str) -> list[int]:
    return [int(name) for name in os.listdir(folder) if name.isdecimal()]
