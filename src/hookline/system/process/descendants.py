"""Find everything that a process has started, wherever it hid, and end it.

All of it is stopped before any of it is killed: what is stopped cannot fork, and as long as nobody has died
every process still hangs under the one that started it.
"""

import os
import signal
import time
from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager, suppress

from hookline.system.process.marks import bears
from hookline.system.process.procfs import Key, Seen, children, everything, see, usable
from hookline.system.process.spawn import Process

GRACE = 0.2
"""How long a process has to end by itself after SIGTERM, in seconds."""
OVER = 0.45
"""How long after its time all that a process started has to be dead."""

Held = dict[Key, Seen]


def end(main: Process, *, by: float, adopted: bool) -> int:
    """End *main* and all that it started; gives how many there were beside it.

    *adopted*: its orphans came to us, and need not be looked for everywhere.
    """
    if not usable():
        return end_group(main, by=by)
    if adopted and main.exited and not tidy(main):
        return 0
    held = _stop(main, by=(time.monotonic() + by) / 2, adopted=adopted)
    _kill(main, held, by=by, adopted=adopted)
    return len([one for one in held.values() if one.pid != main.pid and not one.dead])


def tidy(main: Process) -> bool:
    """Wait for the dead among the orphans of *main*; whether there were any orphans, dead or alive."""
    orphans = list(_orphans(main)) if usable() else []
    for pid in orphans:
        _reap(pid)
    return len(orphans) > 0


def ask_to_end(main: Process) -> None:
    signal_group(main.pid, signal.SIGTERM)


def end_group(main: Process, *, by: float) -> int:
    """End the process group of *main*: the best there is without /proc.

    What left the group is not found, and how many were ended is not known: 0.
    """
    signal_group(main.pid, signal.SIGKILL)
    pauses = _pauses()
    while not main.exited and time.monotonic() < by:
        time.sleep(next(pauses))
    return 0


def _stop(main: Process, *, by: float, adopted: bool) -> Held:
    held: Held = {}
    signal_group(main.pid, signal.SIGSTOP)
    while _catch(main, held, signal.SIGSTOP, adopted=adopted) and time.monotonic() < by:
        pass
    return held


def _kill(main: Process, held: Held, *, by: float, adopted: bool) -> None:
    left = list(held.values())
    pauses = _pauses()
    moving = True
    while left or moving:
        _signal(left, signal.SIGKILL)
        numbers = {one.pid for one in left}
        left = [one for one in left if not _gone(one, main, numbers)]
        if time.monotonic() > by:
            return
        if left:
            time.sleep(next(pauses))
        known = set(held)
        moving = _catch(main, held, signal.SIGKILL, adopted=adopted)
        left += [held[key] for key in held.keys() - known]


def _catch(main: Process, held: Held, number: int, *, adopted: bool) -> bool:
    return (adopted and _catch_orphans(main, held, number)) or _catch_members(
        main, held, number, adopted=adopted
    )


def _catch_orphans(main: Process, held: Held, number: int) -> bool:
    """Signal the orphans, each as soon as it is seen; whether something moved.

    Fresh dead ones are movement: the trail of something that forks and dies faster than /proc can be read.
    """
    moved = False
    for pid in _orphans(main):  # children of ours: their numbers are theirs until we wait for them
        signal_group(pid, number)
        _send(pid, None, number)
        one = None if _reap(pid) else see(pid)
        if one is None or one.key not in held:
            moved = True
        if one:
            held.setdefault(one.key, one)
    return moved


def _catch_members(main: Process, held: Held, number: int, *, adopted: bool) -> bool:
    fresh = {one.key: one for one in _members(main, adopted=adopted) if one.key not in held}
    _signal(fresh.values(), number)
    held |= fresh
    return len(fresh) > 0


def _orphans(main: Process) -> Iterator[int]:
    """Those of the run whose parents have died, the newest first."""
    ours = os.getsid(0)
    for pid in reversed(children()):
        session = _session(pid)
        if pid == main.pid:
            continue
        if main.sole or session == main.pid or bears(pid, main.mark):
            yield pid
        elif session not in (pid, ours, None):
            # Another's orphan that came to us while we adopted: what we start ourselves is in our session or
            # leads its own. Nobody else can wait for it.
            _reap(pid)


def _members(main: Process, *, adopted: bool) -> list[Seen]:
    table = everything()
    below: dict[int, list[Seen]] = {}
    for one in table:
        below.setdefault(one.parent, []).append(one)
    found = {one.pid: one for one in table if _is_root(one, main, adopted=adopted)}
    todo = list(found)
    while todo:
        new = [one for one in below.get(todo.pop(), ()) if one.pid not in found]
        found |= {one.pid: one for one in new}
        todo += [one.pid for one in new]
    return list(found.values())


def _is_root(one: Seen, main: Process, *, adopted: bool) -> bool:
    if main.pid in (one.pid, one.session):
        return True
    if one.parent == os.getpid() and main.sole:
        return True
    return (one.parent == os.getpid() or not adopted) and bears(one.pid, main.mark)


def _gone(one: Seen, main: Process, left: Container[int]) -> bool:
    now = see(one.pid)
    if now is None or now.born != one.born:
        return True
    if now.dead and now.pid != main.pid and now.parent == os.getpid():
        return _reap(now.pid)
    return now.dead and (now.pid == main.pid or now.parent not in left)  # else its parent leaves it to us yet


def _signal(those: Iterable[Seen], number: int) -> None:
    groups = {os.getpgrp()}  # never this one
    for one in those:
        with _pinned(one.pid) as fd:
            now = see(one.pid)
            if now and now.key == one.key:  # else the number is another's by now
                # A group hears it in one instant, which forks cannot outrun. All of the group is of this run:
                # what is here has left our session, and no group reaches over a session's border.
                if now.group > 1 and now.group not in groups:
                    groups.add(now.group)
                    signal_group(now.group, number)
                _send(one.pid, fd, number)


def signal_group(group: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


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


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return None


def _pauses() -> Iterator[float]:
    yield from (0.001, 0.002)
    while True:
        yield 0.005
