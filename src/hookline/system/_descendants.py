"""Find everything that a process has started, wherever it hid, and end it.

All of it is stopped before any of it is killed: what is stopped cannot fork, and as long as nobody has died
every process still hangs under the one that started it.
"""

import os
import signal
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress

from hookline.system._marks import bears
from hookline.system._proc import Seen, children, everything, see, usable
from hookline.system._spawn import Process

GRACE = 0.2
"""How long a process has to end by itself after SIGTERM, in seconds."""
OVER = 0.45
"""How long after its time all that a process started has to be dead."""


def end(main: Process, *, by: float, adopted: bool) -> int:
    """End *main* and all that it started; gives how many there were beside it.

    *adopted*: its orphans came to us, and need not be looked for everywhere.
    """
    if not usable():
        return end_group(main, by=by)
    if adopted and main.exited and not _left_behind(main):
        return 0
    held = _stop(main, by=by, adopted=adopted)
    _kill(main, held, by=by, adopted=adopted)
    return len([one for one in held.values() if one.pid != main.pid and not one.dead])


def ask_to_end(main: Process) -> None:
    _signal_group(main.pid, signal.SIGTERM)


def end_group(main: Process, *, by: float) -> int:
    """End the process group of *main*: the best there is without /proc.

    What left the group is not found, and how many were ended is not known: 0.
    """
    _signal_group(main.pid, signal.SIGKILL)
    pauses = _pauses()
    while not main.exited and time.monotonic() < by:
        time.sleep(next(pauses))
    return 0


def _left_behind(main: Process) -> bool:
    born = _born(main)
    found = False
    for pid in children() - {main.pid}:
        one = see(pid)
        if one and _belongs(one, main, born):
            found = True
        elif one and one.dead and one.session not in (one.pid, os.getsid(0)):
            # Somebody's orphan that came to us while we adopted: no child that we started ourselves can be in
            # a third session. Nobody else will wait for it.
            _reap(one.pid)
    return found


def _stop(main: Process, *, by: float, adopted: bool) -> dict[int, Seen]:
    held: dict[int, Seen] = {}
    enough = (time.monotonic() + by) / 2
    _signal_group(main.pid, signal.SIGSTOP)
    # Fresh dead ones count: they are the trail of something that forks and dies faster than we can look.
    while fresh := [one for one in _members(main, adopted=adopted) if one.pid not in held]:
        _signal(fresh, signal.SIGSTOP)
        held |= {one.pid: one for one in fresh}
        if time.monotonic() > enough:
            break
    return held


def _kill(main: Process, held: dict[int, Seen], *, by: float, adopted: bool) -> None:
    left = dict(held)
    pauses = _pauses()
    while left:
        _signal(left.values(), signal.SIGKILL)
        left = {pid: one for pid, one in left.items() if not _gone(one, main, left)}
        if left:
            time.sleep(next(pauses))
        more = {
            one.pid: one for one in _members(main, adopted=adopted) if one.pid != main.pid or not one.dead
        }
        held |= more | held  # as they were first seen
        left |= more
        if time.monotonic() > by:
            return


def _gone(one: Seen, main: Process, left: Collection[int]) -> bool:
    now = see(one.pid)
    if now is None or now.born != one.born:
        return True
    if now.dead and now.parent == os.getpid() and now.pid != main.pid:
        _reap(now.pid)
    return now.dead and (now.pid == main.pid or now.parent not in left)  # else its parent will leave it to us


def _members(main: Process, *, adopted: bool) -> list[Seen]:
    ours, born = os.getpid(), _born(main)
    table = everything()
    found = {
        one.pid: one
        for one in table
        if (not adopted or one.parent == ours or one.session == main.pid) and _belongs(one, main, born)
    }
    below: dict[int, list[Seen]] = {}
    for one in table:
        below.setdefault(one.parent, []).append(one)
    todo = list(found)
    while todo:
        new = [one for one in below.get(todo.pop(), ()) if one.pid not in found]
        found |= {one.pid: one for one in new}
        todo += [one.pid for one in new]
    return list(found.values())


def _belongs(one: Seen, main: Process, born: int) -> bool:
    return main.pid in (one.pid, one.session) or (one.born >= born and bears(one.pid, main.mark))


def _born(main: Process) -> int:
    seen = see(main.pid)
    return seen.born if seen else 0


def _signal(those: Collection[Seen], number: int) -> None:
    # A group hears it in one instant, which forks cannot outrun. None of these groups is ours: every process
    # here has left our session, and no group reaches over a session's border.
    for group in {one.group for one in those} - {os.getpgrp()}:
        _signal_group(group, number)
    for one in those:
        _signal_one(one, number)


def _signal_group(group: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _signal_one(one: Seen, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError), _pinned(one.pid) as fd:
        now = see(one.pid)
        if now is None or now.born != one.born:
            return  # the number is another's by now
        if fd is None:
            os.kill(one.pid, number)
        else:
            signal.pidfd_send_signal(fd, number)


@contextmanager
def _pinned(pid: int) -> Iterator[int | None]:
    try:
        fd = os.pidfd_open(pid)
    except (AttributeError, OSError):  # gone, an old kernel, or no descriptors left
        yield None
        return
    try:
        yield fd
    finally:
        os.close(fd)


def _reap(pid: int) -> None:
    with suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def _pauses() -> Iterator[float]:
    yield from (0.001, 0.002)
    while True:
        yield 0.005
