"""JSON lines in a local file, one per event, with rotation of the files."""

import errno
import fcntl
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from hookline.core.report import to_json
from hookline.core.sink import Report, Sink, SinkFailed

ALLOWS_DIRECT_WRITES = True
TIMEOUT_SECONDS = 2.0
"""Seconds that another process may hold the lock; one that holds it longer hangs."""
_TAIL_BYTES = 1 << 20


class _JsonlSink:
    """A file, and its rotated predecessors."""

    def __init__(self, path: str, size: int, keep: int) -> None:
        self._path, self._size, self._keep = path, size, keep

    def export(self, reports: Sequence[Report]) -> None:
        data = b"".join(to_json(report) + b"\n" for report in reports)
        if not data:
            return
        os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
        with _lock_file(f"{self._path}.lock"):
            self._rotate(len(data))
            _append(self._path, data)

    def close(self) -> None:
        """Do nothing: no file is open between two exports."""

    def _rotate(self, more: int) -> None:
        """Rotate the files if this one would grow too large."""
        try:
            if os.stat(self._path).st_size + more <= self._size:
                return
        except FileNotFoundError:
            return
        for number in range(self._keep - 1, 0, -1):
            with suppress(FileNotFoundError):
                os.replace(self._rotated_path(number), self._rotated_path(number + 1))
        if self._keep:
            os.replace(self._path, self._rotated_path(1))
        else:
            os.unlink(self._path)

    def _rotated_path(self, number: int) -> str:
        return f"{self._path}.{number}"


def _append(path: str, data: bytes) -> None:
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        end = _truncate_partial_line(file)
        if os.pwrite(file, data, end) != len(data):
            os.ftruncate(file, end)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
    finally:
        os.close(file)


def _truncate_partial_line(file: int) -> int:
    """Return the end of the last complete line; cut off a partial line that a killed process left."""
    size = os.fstat(file).st_size
    tail = os.pread(file, _TAIL_BYTES, max(0, size - _TAIL_BYTES))
    end = size - len(tail) + tail.rfind(b"\n") + 1
    if end < size:
        os.ftruncate(file, end)
    return end


@contextmanager
def _lock_file(path: str) -> Iterator[None]:
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while not _try_lock(lock):
            if time.monotonic() > deadline:
                raise SinkFailed(f"another process keeps {path!r} locked")
            time.sleep(0.005)
        yield
    finally:
        os.close(lock)


def _try_lock(lock: int) -> bool:
    with suppress(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def open_sink(
    place: str, *, file: str = "", size: int = 10_000_000, keep: int = 5, content: bool = False
) -> Sink:
    """Return a sink that writes to *file*, or to `telemetry.jsonl` in *place*.

    A file has at most *size* bytes; *keep* older files are kept.
    """
    path = os.path.join(place, os.path.expanduser(file) or "telemetry.jsonl")
    return _JsonlSink(path, max(1, size), max(0, keep))
