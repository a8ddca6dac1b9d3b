"""A lock by which calls are answered one after another.

Threads that answer at the same time hand the interpreter to each other at every file access, and nearly all
of them finish late. One after another, most finish early and none later.
"""

import threading
import time

BREATH = 0.001
"""Seconds that background work pauses, so that waiting calls get the lock first."""
PATIENCE = 0.02
"""Seconds after which a waiting call proceeds anyway: the one before it may wait for something itself."""


class Turns:
    def __init__(self) -> None:
        self.lock = threading.Lock()

    def taken(self) -> "_Turn":
        return _Turn(self)

    def spare(self) -> "_Turn":
        """Return a turn for background work, after a pause in which waiting calls are answered."""
        time.sleep(BREATH)
        return _Turn(self)


class _Turn:
    """A context manager that holds the lock; small, because every call makes one."""

    __slots__ = ("_lock", "_turns")
    _lock: threading.Lock

    def __init__(self, turns: Turns) -> None:
        self._turns = turns

    def __enter__(self) -> None:
        lock = self._turns.lock
        if not lock.acquire(timeout=PATIENCE):
            # The next call waits for this one, not for the one that is stuck.
            lock = self._turns.lock = threading.Lock()
            lock.acquire()
        self._lock = lock

    def __exit__(self, *told: object) -> None:
        self._lock.release()
