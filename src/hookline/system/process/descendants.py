"""The end of a process and all its descendants, also of those that left its process group.

All are stopped before any is killed: a stopped process cannot fork, and as long as none has died, every
process is still a descendant of the process that started it.

Processes that our children orphan are adopted, so that all of them can be found. Being a subreaper is a
property of the whole program, not of a thread: the program is one as long as any caller needs it, then the
previous state is restored.
"""

import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache

from hookline.system.process.marks import is_marked
from hookline.system.process.procfs import (
    Key,
    ProcessInfo,
    is_usable,
    list_children,
    list_processes,
    read_process,
)
from hookline.system.process.spawn import Process

GRACE_SECONDS = 0.2
"""Seconds for a process to end by itself after SIGTERM."""
END_SECONDS = 0.45
"""Seconds after its time limit within which a process and all its descendants must be dead."""

Caught = dict[Key, ProcessInfo]


def end_all(main: Process, *, by: float, adopted: bool) -> int:
    """End *main* and all its descendants; return the number of descendants.

    With *adopted*, its orphans are our children, so that not all processes need to be searched.
    """
    if not is_usable():
        return end_group(main, by=by)
    if adopted and main.exited and not reap_orphans(main):
        return 0
    caught = _stop(main, by=(time.monotonic() + by) / 2, adopted=adopted)
    _kill(main, caught, by=by, adopted=adopted)
    return len([process for process in caught.values() if process.pid != main.pid and not process.dead])


def reap_orphans(main: Process) -> bool:
    """Reap the dead orphans of *main*; return whether there were any orphans, dead or alive."""
    orphans = list(_orphans(main)) if is_usable() else []
    for pid in orphans:
        _reap(pid)
    return len(orphans) > 0


def ask_to_end(main: Process) -> None:
    signal_group(main.pid, signal.SIGTERM)


def end_group(main: Process, *, by: float) -> int:
    """End the process group of *main*, the best possible without /proc; return 0.

    Processes that left the group are not found, and the number of those ended is unknown.
    """
    signal_group(main.pid, signal.SIGKILL)
    pauses = _pauses()
    while not main.exited and time.monotonic() < by:
        time.sleep(next(pauses))
    return 0


def _stop(main: Process, *, by: float, adopted: bool) -> Caught:
    caught: Caught = {}
    signal_group(main.pid, signal.SIGSTOP)
    while _catch(main, caught, signal.SIGSTOP, adopted=adopted) and time.monotonic() < by:
        pass
    return caught


def _kill(main: Process, caught: Caught, *, by: float, adopted: bool) -> None:
    alive = list(caught.values())
    pauses = _pauses()
    active = True
    while alive or active:
        _signal(alive, signal.SIGKILL)
        pids = {process.pid for process in alive}
        alive = [process for process in alive if not _is_gone(process, main, pids)]
        if time.monotonic() > by:
            return
        if alive:
            time.sleep(next(pauses))
        earlier = set(caught)
        active = _catch(main, caught, signal.SIGKILL, adopted=adopted)
        alive += [caught[key] for key in caught.keys() - earlier]


def _catch(main: Process, caught: Caught, number: int, *, adopted: bool) -> bool:
    return (adopted and _catch_orphans(main, caught, number)) or _catch_members(
        main, caught, number, adopted=adopted
    )


def _catch_orphans(main: Process, caught: Caught, number: int) -> bool:
    """Signal each orphan as soon as it is seen; return whether there was activity.

    New dead orphans are activity: they come from a process that forks and dies faster than /proc is read.
    """
    active = False
    for pid in _orphans(main):  # they are our children, so their pids are not reused before we reap them
        signal_group(pid, number)
        _send(pid, None, number)
        process = None if _reap(pid) else read_process(pid)
        if process is None or process.key not in caught:
            active = True
        if process:
            caught.setdefault(process.key, process)
    return active


def _catch_members(main: Process, caught: Caught, number: int, *, adopted: bool) -> bool:
    new = {process.key: process for process in _members(main, adopted=adopted) if process.key not in caught}
    _signal(new.values(), number)
    caught |= new
    return len(new) > 0


def _orphans(main: Process) -> Iterator[int]:
    """Yield the process ids of *main*'s orphans, the newest first."""
    own_session = os.getsid(0)
    for pid in reversed(list_children()):
        session = _session_of(pid)
        if pid == main.pid:
            continue
        if main.sole or session == main.pid or is_marked(pid, main.mark):
            yield pid
        elif session not in (pid, own_session, None):
            # An orphan of another run, adopted meanwhile; only we can reap it. Processes that we start
            # ourselves are in our session or lead their own.
            _reap(pid)


def _members(main: Process, *, adopted: bool) -> list[ProcessInfo]:
    table = list_processes()
    children_of: dict[int, list[ProcessInfo]] = {}
    for process in table:
        children_of.setdefault(process.parent, []).append(process)
    members = {process.pid: process for process in table if _is_root(process, main, adopted=adopted)}
    pending = list(members)
    while pending:
        children = [process for process in children_of.get(pending.pop(), ()) if process.pid not in members]
        members |= {process.pid: process for process in children}
        pending += [process.pid for process in children]
    return list(members.values())


def _is_root(process: ProcessInfo, main: Process, *, adopted: bool) -> bool:
    if main.pid in (process.pid, process.session):
        return True
    if process.parent == os.getpid() and main.sole:
        return True
    return (process.parent == os.getpid() or not adopted) and is_marked(process.pid, main.mark)


def _is_gone(process: ProcessInfo, main: Process, alive_pids: Container[int]) -> bool:
    current = read_process(process.pid)
    if current is None or current.born != process.born:
        return True
    if current.dead and current.pid != main.pid and current.parent == os.getpid():
        return _reap(current.pid)
    return current.dead and (
        current.pid == main.pid or current.parent not in alive_pids
    )  # else we may still adopt it from its dying parent


def _signal(processes: Iterable[ProcessInfo], number: int) -> None:
    signalled = {os.getpgrp()}  # never our own
    for process in processes:
        with _open_pidfd(process.pid) as fd:
            current = read_process(process.pid)
            if current and current.key == process.key:  # else the pid was reused
                # A group gets the signal at one instant, so forks cannot escape it. The whole group belongs
                # to this run: these processes have left our session, and a group never spans two sessions.
                if current.group > 1 and current.group not in signalled:
                    signalled.add(current.group)
                    signal_group(current.group, number)
                _send(process.pid, fd, number)


def signal_group(group: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


@contextmanager
def _open_pidfd(pid: int) -> Iterator[int | None]:
    try:
        fd = os.pidfd_open(pid)
    except (AttributeError, OSError):  # gone, an old kernel, or no descriptors left
        yield None
        return
    try:
        yield fd
    finally:
        os.close(fd)


def _send(pid: int, fd: int | None, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if fd is None:
            os.kill(pid, number)
        else:
            signal.pidfd_send_signal(fd, number)


def _reap(pid: int) -> bool:
    with suppress(ChildProcessError):
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    return False


def _session_of(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return None


def _pauses() -> Iterator[float]:
    yield from (0.001, 0.002)
    while True:
        yield 0.005


_PR_SET_CHILD_SUBREAPER, _PR_GET_CHILD_SUBREAPER = 36, 37


class _Holders:
    lock = threading.Lock()
    count = 0
    previous = 0


@contextmanager
def adopt_orphans() -> Iterator[bool]:
    """Adopt orphans; yield False if the system does not allow it."""
    with _Holders.lock:
        _Holders.count += 1
        if _Holders.count == 1:
            _Holders.previous = _get_subreaper()
            _set_subreaper(1)
        adopted = _get_subreaper() == 1
    try:
        yield adopted
    finally:
        with _Holders.lock:
            _Holders.count -= 1
            if _Holders.count == 0:
                _set_subreaper(_Holders.previous)


def _get_subreaper() -> int:
    if sys.platform != "linux":
        return 0
    value = ctypes.c_int(0)
    _libc().prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(value), 0, 0, 0)
    return value.value


def _set_subreaper(value: int) -> None:
    if sys.platform == "linux":
        _libc().prctl(_PR_SET_CHILD_SUBREAPER, ctypes.c_ulong(value), 0, 0, 0)


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def _reset_after_fork() -> None:
    # A forked copy is not a subreaper, and a lock that another thread held would stay locked there.
    _Holders.lock = threading.Lock()
    _Holders.count = 0


os.register_at_fork(after_in_child=_reset_after_fork)
