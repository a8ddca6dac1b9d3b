"""Which process this is, since when, and whether another one still lives."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from functools import cache

NOTE = "hookline.process"
"""The note of a session that says by a mark in which process it is."""
BOOT = "/proc/sys/kernel/random/boot_id"


def now() -> float:
    """Seconds on the clock that all processes of this machine share and nobody sets."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.time()


_IMPORTED = now()


@cache
def boot() -> str:
    """What tells this run of the machine from the last one, whose clock began anew."""
    try:
        with open(BOOT, encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return ""


def own() -> str:
    """A new name for something that this process does, by which the process is known."""
    return f"{os.getpid()}:{_own_birth(os.getpid())}:{os.urandom(6).hex()}"


def fresh() -> str:
    """A name that nothing else has; as random as those of `uuid`, which loads `platform` to make one."""
    return os.urandom(16).hex()


def alive(name: str) -> bool:
    """Whether the process that has that *name* from `own` is still there."""
    pid, born = (*name.split(":"), "", "")[:2]
    if not pid.isdecimal() or not born.isdecimal():
        return False
    return _born(int(pid)) == int(born) and (born != "0" or _answers(int(pid)))


def mark(pid: int = 0) -> dict[str, str]:
    """What tells others, also later and on other machines, whether this process, or *pid*, is still there."""
    return {"name": f"{pid}:{_born(pid)}" if pid else own(), "boot": boot()}


def there(mark: object) -> bool | None:
    """Whether the process of that *mark* is still there; None where that cannot be told from here."""
    if not isinstance(mark, Mapping) or not boot() or mark.get("boot") != boot():
        return None
    return alive(str(mark.get("name", "")))


def started() -> float:
    """When this process began, by `now`: rather too late than too early."""
    born = _own_birth(os.getpid())
    if not born or not hasattr(time, "CLOCK_BOOTTIME"):
        return _IMPORTED
    return min(_IMPORTED, (born + 1) / os.sysconf("SC_CLK_TCK"))


@cache
def _own_birth(pid: int) -> int:
    """Asked with our own process, for which it never changes."""
    return _born(pid)


def _born(pid: int) -> int:
    """When a process began, in ticks since the machine did; 0 where it is gone, or that is told nowhere."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            state, *rest = file.read().rpartition(b")")[2].split()
    except (OSError, ValueError):
        return 0
    return 0 if state in b"ZX" else int(rest[18])


def _answers(pid: int) -> bool:
    """For systems without /proc."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
