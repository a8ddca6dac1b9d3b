"""A lock that lets calls be answered one after another.

Threads that answer at the same time pass the interpreter to each other at every file access, and nearly all
of them finish late. One after another, most finish early and none later.
"""

import threading
import time

YIELD_SECONDS = 0.001
"""Seconds that background work pauses, so that waiting calls get the lock first."""
MAX_WAIT_SECONDS = 0.02
"""Seconds after which a waiting call proceeds anyway: the call before it may be blocked."""


class Turns:
    """The turns of calls and of background work."""

    def __init__(self) -> None:
        self.lock = threading.Lock()

    def take(self) -> "_Turn":
        return _Turn(self)

    def take_in_background(self) -> "_Turn":
        """Return a turn for background work, after a pause in which waiting calls are answered."""
        time.sleep(YIELD_SECONDS)
        return _Turn(self)


class _Turn:
    """A context manager that holds the lock; small, because every call creates one."""

    __slots__ = ("_lock", "_turns")
    _lock: threading.Lock

    def __init__(self, turns: Turns) -> None:
        self._turns = turns

    def __enter__(self) -> None:
        lock = self._turns.lock
        if not lock.acquire(timeout=MAX_WAIT_SECONDS):
            # Later calls wait for this call, not for the blocked one.
            lock = self._turns.lock = threading.Lock()
            lock.acquire()
        self._lock = lock

    def __exit__(self, *exception: object) -> None:
        self._lock.release()
