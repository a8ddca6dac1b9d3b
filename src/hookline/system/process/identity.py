"""Identity and start time of this process, and tests whether another process still runs."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from functools import cache

NOTE = "hookline.process"
"""Key of the session note that holds the mark of its process."""
BOOT_ID_FILE = "/proc/sys/kernel/random/boot_id"
SHELLS = ("sh", "bash", "dash", "ash", "zsh", "ksh", "fish", "busybox")
"""Names of processes through which a program may start another one."""
STAT_BYTES = 4_096
"""More bytes than a process's line in /proc has."""


def now() -> float:
    """Return seconds on the clock that all processes of this machine share and that cannot be set."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.time()


_IMPORTED = now()


@cache
def boot_id() -> str:
    """Return the id of the machine's current boot: the clock of `now` starts again at each."""
    try:
        with open(BOOT_ID_FILE, encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return ""


def new_name() -> str:
    """Return a new name for a task of this process, by which others can test whether the process is alive."""
    return f"{os.getpid()}:{_own_start_ticks(os.getpid())}:{os.urandom(6).hex()}"


def random_id() -> str:
    """Return a random id; `uuid` would load the module `platform` to create one."""
    return os.urandom(16).hex()


def is_alive(name: str) -> bool:
    """Return whether the process that got *name* from `new_name` still runs."""
    pid, start = (*name.split(":"), "", "")[:2]
    if not pid.isdecimal() or not start.isdecimal():
        return False
    return _start_ticks(int(pid)) == int(start) and (start != "0" or _accepts_signals(int(pid)))


def describe_process(pid: int = 0) -> dict[str, str]:
    """Return a mark of this process, or of *pid*, with which `is_running` works later and elsewhere."""
    return {"name": f"{pid}:{_start_ticks(pid)}" if pid else new_name(), "boot": boot_id()}


def is_running(mark: object) -> bool | None:
    """Return whether the process of that *mark* still runs; None if it is from another machine or boot."""
    if not isinstance(mark, Mapping) or not boot_id() or mark.get("boot") != boot_id():
        return None
    return is_alive(str(mark.get("name", "")))


def start_time() -> float:
    """Return when this process started, on the clock of `now`; may be late, never early."""
    ticks = _own_start_ticks(os.getpid())
    if not ticks or not hasattr(time, "CLOCK_BOOTTIME"):
        return _IMPORTED
    return min(_IMPORTED, (ticks + 1) / os.sysconf("SC_CLK_TCK"))


@cache
def _own_start_ticks(pid: int) -> int:
    """Return `_start_ticks` of our own process, which never changes."""
    return _start_ticks(pid)


def find_starter(pid: int) -> str:
    """Return a name of the nearest ancestor of *pid* that is not a shell; empty without /proc."""
    name, fields = SHELLS[0], read_stat(pid)[1]
    while name in SHELLS and fields and int(fields[1]) > 1:
        pid = int(fields[1])
        name, fields = read_stat(pid)
    return _format_name(pid, fields) if name not in SHELLS else ""


def name_process(pid: int) -> str:
    """Return the name that `find_starter` gives to the process *pid*; empty if it has ended."""
    return _format_name(pid, read_stat(pid)[1])


def _format_name(pid: int, fields: list[bytes]) -> str:
    return f"{boot_id()}:{pid}:{fields[19].decode()}" if fields else ""


def _start_ticks(pid: int) -> int:
    """Return a process's start time in ticks since boot; 0 if it has ended or /proc is missing."""
    _, fields = read_stat(pid)
    return 0 if not fields or fields[0] in b"ZX" else int(fields[19])


def read_stat(pid: int) -> tuple[str, list[bytes]]:
    """Return a process's name and the other fields from its state on; empty if there is no such process."""
    try:
        file = os.open(f"/proc/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC)
        try:
            head, _, rest = os.read(file, STAT_BYTES).rpartition(b")")
        finally:
            os.close(file)
    except OSError:
        return "", []
    return head.partition(b"(")[2].decode(errors="replace"), rest.split()


def _accepts_signals(pid: int) -> bool:
    """Return whether the process exists, on systems without /proc."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
