"""Marks that all processes of one run inherit, by which they are found again.

There are three marks, because each can be lost: a process may clear its environment, some shells and runtimes
unblock signals, and the resource limit is set an instant after the process began, unless the program starts
one process at a time.
"""

import os
import resource
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from msgspec import Struct, field

VARIABLE = "HOOKLINE_MARK"
_SIGNALS = range(42, 62)  # real-time signals that no C library and no runtime of a language uses itself
_BITS = len(_SIGNALS)
_LIMIT_BASE = 1 << 52  # microseconds of CPU time of real-time processes; so high that it is never reached


class Mark(Struct, frozen=True, kw_only=True):
    """A random token, and the signal mask and resource limit derived from it."""

    token: str = field(default_factory=lambda: os.urandom(6).hex())

    @property
    def blocked(self) -> int:
        """The blocked signals as bits: never none and never all, because other processes have those."""
        return (int(self.token, 16) | 1) & ((1 << _BITS - 1) - 1)

    @property
    def limit(self) -> int:
        return _LIMIT_BASE + int(self.token, 16)


def add_mark(env: Mapping[str, str], mark: Mark) -> dict[str, str]:
    # Nested runs keep the outer tokens: a process of the inner run belongs to the outer run, too.
    return {**env, VARIABLE: f"{env.get(VARIABLE, '')} {mark.token}".lstrip()}


@contextmanager
def mark_children(mark: Mark) -> Iterator[None]:
    """Mark the processes that this thread starts, but none that other threads start meanwhile."""
    if sys.platform != "linux":
        yield
        return
    bits = mark.blocked
    blocked = {number for bit, number in enumerate(_SIGNALS) if bits >> bit & 1}
    previous = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    signal.pthread_sigmask(signal.SIG_SETMASK, (previous - set(_SIGNALS)) | blocked)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous)


@contextmanager
def lend_limit(mark: Mark) -> Iterator[None]:
    """Give this program the limit of *mark*, so that a process has it from its first instant.

    Processes that other threads start meanwhile have it, too: only for programs that start one at a time.
    """
    if sys.platform != "linux":
        yield
        return
    previous = resource.getrlimit(resource.RLIMIT_RTTIME)
    mark_process(os.getpid(), mark)
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_RTTIME, previous)


def mark_process(pid: int, mark: Mark) -> None:
    if sys.platform == "linux":
        with suppress(OSError, ValueError):
            _, hard = resource.prlimit(pid, resource.RLIMIT_RTTIME)
            resource.prlimit(pid, resource.RLIMIT_RTTIME, (mark.limit, hard))


def is_marked(pid: int, mark: Mark) -> bool:
    """Return whether the process, alive or a zombie, has the mark."""
    with suppress(OSError):
        if resource.prlimit(pid, resource.RLIMIT_RTTIME)[0] == mark.limit:
            return True
    with suppress(OSError):
        return _read_blocked(pid) == mark.blocked or mark.token.encode() in read_proc(f"/proc/{pid}/environ")
    return False


def _read_blocked(pid: int) -> int:
    _, _, rest = read_proc(f"/proc/{pid}/status").partition(b"\nSigBlk:\t")
    return int(rest[:16] or b"0", 16) >> _SIGNALS.start - 1 & (1 << _BITS) - 1


def read_proc(path: str) -> bytes:
    """Return a file of /proc, which has no size; raise `OSError` if it vanished."""
    fd = os.open(path, os.O_RDONLY)
    try:
        parts = []
        while part := os.read(fd, 1 << 16):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(fd)
