"""Lines of JSON in a file on this machine, one an event, in files that take turns."""

import errno
import fcntl
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from hookline.core.report import to_json
from hookline.core.sink import Report, Sink, SinkFailed

NEAR = True
PATIENCE = 2.0
"""Seconds that another process may hold the file: nobody needs as many, who has more has hung."""
_TAIL = 1 << 20


class _Lines:
    """One file, and those that it was before."""

    def __init__(self, path: str, size: int, keep: int) -> None:
        self._path, self._size, self._keep = path, size, keep

    def export(self, reports: Sequence[Report]) -> None:
        data = b"".join(to_json(one) + b"\n" for one in reports)
        if not data:
            return
        os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
        with _alone(f"{self._path}.lock"):
            self._make_room(len(data))
            _append(self._path, data)

    def close(self) -> None:
        """Nothing is held open between two exports."""

    def _make_room(self, more: int) -> None:
        """Let the files take turns, where this one would grow too large."""
        try:
            if os.stat(self._path).st_size + more <= self._size:
                return
        except FileNotFoundError:
            return
        for number in range(self._keep - 1, 0, -1):
            with suppress(FileNotFoundError):
                os.replace(self._turn(number), self._turn(number + 1))
        if self._keep:
            os.replace(self._path, self._turn(1))
        else:
            os.unlink(self._path)

    def _turn(self, number: int) -> str:
        return f"{self._path}.{number}"


def _append(path: str, data: bytes) -> None:
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        end = _whole(file)
        if os.pwrite(file, data, end) != len(data):
            os.ftruncate(file, end)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
    finally:
        os.close(file)


def _whole(file: int) -> int:
    """Where the last whole line ends; what a process that was killed left of one is cut off."""
    size = os.fstat(file).st_size
    tail = os.pread(file, _TAIL, max(0, size - _TAIL))
    end = size - len(tail) + tail.rfind(b"\n") + 1
    if end < size:
        os.ftruncate(file, end)
    return end


@contextmanager
def _alone(path: str) -> Iterator[None]:
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        give_up = time.monotonic() + PATIENCE
        while not _locked(lock):
            if time.monotonic() > give_up:
                raise SinkFailed(f"another process holds {path!r} and does not let go of it")
            time.sleep(0.005)
        yield
    finally:
        os.close(lock)


def _locked(lock: int) -> bool:
    with suppress(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def open_sink(
    place: str, *, file: str = "", size: int = 10_000_000, keep: int = 5, content: bool = False
) -> Sink:
    """Lines in *file*, else in `telemetry.jsonl` at *place*: at most *size* bytes, and *keep* older files."""
    path = os.path.join(place, os.path.expanduser(file) or "telemetry.jsonl")
    return _Lines(path, max(1, size), max(0, keep))
