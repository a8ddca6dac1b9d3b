"""Reading and writing of several pipes at once without blocking on any."""

import os
import selectors
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import IO

from hookline.system.process.spawn import Process

CHUNK_BYTES = 64 * 1024
_MAX_WAIT_SECONDS = 3600.0  # poll counts milliseconds in 32 bits
_POLL_SECONDS = 0.005  # where the system cannot notify us of a process's end

Watch = selectors.BaseSelector
"""Selector of pipes; the data of each is the function to call when it is ready."""


def serve_pipes(
    watch: Watch, done: Callable[[], bool], *, until: float, step: float = _MAX_WAIT_SECONDS
) -> bool:
    """Serve the pipes until *done* returns true, or until the time *until*; then return False."""
    while not done():
        left = until - time.monotonic()
        if left <= 0:
            return False
        for key, _ in watch.select(min(left, step)):
            key.data()
    return True


def watch_output(watch: Watch, fd: int, take: Callable[[bytes], object]) -> None:
    """Pass the data of a pipe to *take* as it arrives; stop watching the pipe at its end."""

    def ready() -> None:
        with suppress(BlockingIOError):
            if chunk := os.read(fd, CHUNK_BYTES):
                take(chunk)
            else:
                watch.unregister(fd)

    os.set_blocking(fd, False)
    watch.register(fd, selectors.EVENT_READ, ready)


def all_read(watch: Watch, fds: Iterable[int]) -> bool:
    """Return whether all these pipes have been read to their end."""
    return not any(fd in watch.get_map() for fd in fds)


class PipeWriter:
    """Pending data for a pipe; the pipe is closed once nobody can read it."""

    def __init__(self, watch: Watch, pipe: IO[bytes]) -> None:
        self._watch, self._pipe = watch, pipe
        self._pending = memoryview(b"")
        self._last = False
        os.set_blocking(pipe.fileno(), False)

    def add(self, data: bytes, *, last: bool = False) -> None:
        """Write as much as the pipe accepts now, and the rest in `serve_pipes`; never block."""
        self._pending = memoryview(bytes(self._pending) + data if self._pending else data)
        self._last = last
        self._write()

    def close(self) -> None:
        if not self._pipe.closed:
            self._unwatch()
            self._pipe.close()

    def _write(self) -> None:
        try:
            while self._pending and not self._pipe.closed:
                self._pending = self._pending[os.write(self._pipe.fileno(), self._pending[:CHUNK_BYTES]) :]
        except BlockingIOError:
            self._wait()
        except OSError:  # EPIPE: the reader may close the pipe early
            self.close()
        else:
            self.close() if self._last else self._unwatch()

    def _wait(self) -> None:
        if all_read(self._watch, [self._pipe.fileno()]):
            self._watch.register(self._pipe.fileno(), selectors.EVENT_WRITE, self._write)

    def _unwatch(self) -> None:
        if not self._pipe.closed and not all_read(self._watch, [self._pipe.fileno()]):
            self._watch.unregister(self._pipe.fileno())


@contextmanager
def watch_exit(watch: Watch, process: Process) -> Iterator[float]:
    """Wake the selector when *process* ends; yield the longest wait to use, short if polling is needed."""
    try:
        fd = os.pidfd_open(process.pid)
    except (AttributeError, OSError):
        yield _POLL_SECONDS
        return
    watch.register(fd, selectors.EVENT_READ, lambda: watch.unregister(fd))
    try:
        yield _MAX_WAIT_SECONDS
    finally:
        if fd in watch.get_map():
            watch.unregister(fd)
        os.close(fd)


@contextmanager
def broken_pipes_are_errors() -> Iterator[None]:
    """Block SIGPIPE in this thread, so that writing to a closed pipe raises an error instead."""
    if sys.platform != "linux" or signal.getsignal(signal.SIGPIPE) is signal.SIG_IGN:
        yield
        return
    previous = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGPIPE,))
    try:
        yield
    finally:
        signal.sigtimedwait((signal.SIGPIPE,), 0)
        signal.pthread_sigmask(signal.SIG_SETMASK, previous)
