"""One answer at a time, where all wait for the same interpreter.

Threads that answer at once hand the interpreter to each other whenever one of them looks at the disk, and
each has its answer only when nearly all have: one after another, most have theirs early, and nobody later.
"""

import threading
import time

BREATH = 0.001
"""Seconds in which those who wait go first: who lets go of a lock and asks again at once, has it again."""
PATIENCE = 0.02
"""Seconds after which whoever waits goes on beside those before: they may wait for something themselves."""


class Turns:
    def __init__(self) -> None:
        self.lock = threading.Lock()

    def taken(self) -> "_Turn":
        return _Turn(self)

    def spare(self) -> "_Turn":
        """One for who has time: after a moment, in which whoever waited is answered."""
        time.sleep(BREATH)
        return _Turn(self)


class _Turn:
    """From its beginning to its end, by `with`; every call takes one, so that it is made of little."""

    __slots__ = ("_lock", "_turns")
    _lock: threading.Lock

    def __init__(self, turns: Turns) -> None:
        self._turns = turns

    def __enter__(self) -> None:
        lock = self._turns.lock
        if not lock.acquire(timeout=PATIENCE):
            # Who comes next waits for us, not for who waits itself.
            lock = self._turns.lock = threading.Lock()
            lock.acquire()
        self._lock = lock

    def __exit__(self, *told: object) -> None:
        self._lock.release()
