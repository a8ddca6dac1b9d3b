"""One answer at a time, where all wait for the same interpreter.

Threads that answer at once hand the interpreter to each other whenever one of them looks at the disk, and
each has its answer only when nearly all have: one after another, most have theirs early, and nobody later.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 0.02
"""Seconds after which whoever waits goes on beside those before: they may wait for something themselves."""


class Turns:
    def __init__(self) -> None:
        self._lock = threading.Lock()

    @contextmanager
    def taken(self) -> Iterator[None]:
        turn = self._lock
        if not turn.acquire(timeout=PATIENCE):
            turn = self._lock = threading.Lock()  # who comes next waits for us, not for who waits itself
            turn.acquire()
        try:
            yield
        finally:
            turn.release()
