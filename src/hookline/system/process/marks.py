"""Marks that all the processes of one run inherit, by which they are known again wherever they hide.

Three of them, because each is lost somewhere: a process may clear its environment, some shells and runtimes
unblock signals, and the limit can be set only an instant after the process began.
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
_FAR = (
    1 << 52
)  # microseconds: the limit is on what real-time processes may compute, and must never be reached


class Mark(Struct, frozen=True, kw_only=True):
    token: str = field(default_factory=lambda: os.urandom(6).hex())

    @property
    def blocked(self) -> int:
        """Which signals are blocked, as bits: never none, never all, for other processes have those."""
        return (int(self.token, 16) | 1) & ((1 << _BITS - 1) - 1)

    @property
    def limit(self) -> int:
        return _FAR + int(self.token, 16)


def marked(env: Mapping[str, str], mark: Mark) -> dict[str, str]:
    # Runs within runs keep the outer tokens: what the inner one started, the outer one started too.
    return {**env, VARIABLE: f"{env.get(VARIABLE, '')} {mark.token}".lstrip()}


@contextmanager
def wearing(mark: Mark) -> Iterator[None]:
    """Mark what this thread starts, and nothing that another thread starts meanwhile."""
    if sys.platform != "linux":
        yield
        return
    bits = mark.blocked
    worn = {number for bit, number in enumerate(_SIGNALS) if bits >> bit & 1}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    signal.pthread_sigmask(signal.SIG_SETMASK, (before - set(_SIGNALS)) | worn)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def stamp(pid: int, mark: Mark) -> None:
    if sys.platform == "linux":
        with suppress(OSError, ValueError):
            _, hard = resource.prlimit(pid, resource.RLIMIT_RTTIME)
            resource.prlimit(pid, resource.RLIMIT_RTTIME, (mark.limit, hard))


def bears(pid: int, mark: Mark) -> bool:
    """Whether the process, alive or dead and not yet waited for, is marked."""
    with suppress(OSError):
        if resource.prlimit(pid, resource.RLIMIT_RTTIME)[0] == mark.limit:
            return True
    with suppress(OSError):
        return _blocked(pid) == mark.blocked or mark.token.encode() in read(f"/proc/{pid}/environ")
    return False


def _blocked(pid: int) -> int:
    _, _, rest = read(f"/proc/{pid}/status").partition(b"\nSigBlk:\t")
    return int(rest[:16] or b"0", 16) >> _SIGNALS.start - 1 & (1 << _BITS) - 1


def read(path: str) -> bytes:
    """A file of /proc, which has no size and may vanish: then it is an `OSError`."""
    fd = os.open(path, os.O_RDONLY)
    try:
        parts = []
        while part := os.read(fd, 1 << 16):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(fd)
