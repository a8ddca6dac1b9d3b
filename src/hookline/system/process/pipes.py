"""Read and feed several pipes at once, none of which can be trusted to move."""

import os
import selectors
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import IO

from hookline.system.process.spawn import Process

CHUNK = 64 * 1024
_LONGEST = 3600.0  # of one wait; poll counts milliseconds in 32 bits
_STEP = 0.005  # between looks at a process where the system cannot tell us that it ended

Watch = selectors.BaseSelector
"""Pipes to wait for; the data of each is the function to call when it is ready."""


def attend(watch: Watch, done: Callable[[], bool], *, until: float, step: float = _LONGEST) -> bool:
    """Serve the pipes until *done*, or until the time has come: then it is False."""
    while not done():
        left = until - time.monotonic()
        if left <= 0:
            return False
        for key, _ in watch.select(min(left, step)):
            key.data()
    return True


def read(watch: Watch, fd: int, take: Callable[[bytes], object]) -> None:
    """Hand all that comes out of a pipe to *take*; at its end it is watched no more."""

    def ready() -> None:
        with suppress(BlockingIOError):
            if chunk := os.read(fd, CHUNK):
                take(chunk)
            else:
                watch.unregister(fd)

    os.set_blocking(fd, False)
    watch.register(fd, selectors.EVENT_READ, ready)


def ended(watch: Watch, fds: Iterable[int]) -> bool:
    """Whether all there was to read of these pipes has been read."""
    return not any(fd in watch.get_map() for fd in fds)


class Feed:
    """What is still to be written into a pipe; it is closed for good once nobody can read it."""

    def __init__(self, watch: Watch, pipe: IO[bytes]) -> None:
        self._watch, self._pipe = watch, pipe
        self._left = memoryview(b"")
        self._last = False
        os.set_blocking(pipe.fileno(), False)

    def add(self, data: bytes, *, last: bool = False) -> None:
        """Write what the pipe takes at once, and the rest while pipes are attended; never waits."""
        self._left = memoryview(bytes(self._left) + data if self._left else data)
        self._last = last
        self._write()

    def close(self) -> None:
        if not self._pipe.closed:
            self._unwatch()
            self._pipe.close()

    def _write(self) -> None:
        try:
            while self._left and not self._pipe.closed:
                self._left = self._left[os.write(self._pipe.fileno(), self._left[:CHUNK]) :]
        except BlockingIOError:
            self._wait()
        except OSError:  # EPIPE: nobody need read what we say
            self.close()
        else:
            self.close() if self._last else self._unwatch()

    def _wait(self) -> None:
        if ended(self._watch, [self._pipe.fileno()]):
            self._watch.register(self._pipe.fileno(), selectors.EVENT_WRITE, self._write)

    def _unwatch(self) -> None:
        if not self._pipe.closed and not ended(self._watch, [self._pipe.fileno()]):
            self._watch.unregister(self._pipe.fileno())


@contextmanager
def exit_watched(watch: Watch, process: Process) -> Iterator[float]:
    """Wake the watch when *process* ends; gives how long to wait at most where that cannot be had."""
    try:
        fd = os.pidfd_open(process.pid)
    except (AttributeError, OSError):
        yield _STEP
        return
    watch.register(fd, selectors.EVENT_READ, lambda: watch.unregister(fd))
    try:
        yield _LONGEST
    finally:
        if fd in watch.get_map():
            watch.unregister(fd)
        os.close(fd)


@contextmanager
def broken_pipes_are_errors() -> Iterator[None]:
    """Keep a program that wants to be ended by SIGPIPE alive while it feeds a hook."""
    if sys.platform != "linux" or signal.getsignal(signal.SIGPIPE) is signal.SIG_IGN:
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGPIPE,))
    try:
        yield
    finally:
        signal.sigtimedwait((signal.SIGPIPE,), 0)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
