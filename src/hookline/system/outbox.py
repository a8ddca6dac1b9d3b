"""Reports that wait on disk for a remote sink: a bounded spool, and the state of its export.

Many processes add lines and one sends them, so that a receiver that is down or slow delays no call, and a
short outage loses nothing.
"""

import json
import os
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress

from msgspec import Struct, to_builtins

from hookline.system import file_lock, spool_files
from hookline.system.paths import create_private

MAX_BYTES = 8 << 20
"""Bytes that may wait; processes that add lines at the same moment may exceed it by those lines."""
_QUEUE, _EXPORTER_LOCK, _STATE, _DROPPED = "queue", "exporter", "state.json", "dropped"


class OutboxState(Struct, frozen=True, kw_only=True):
    """The result of the last export."""

    failed: str = ""
    """Error message; empty if the export succeeded."""
    at: float = 0.0
    again: float = 0.0
    """Time of the next attempt."""
    sent: int = 0


class LockedQueue:
    """A locked queue file whose lines are being sent."""

    def __init__(self, file: int, path: str) -> None:
        self._file, self._path = file, path
        with open(file, "rb", closefd=False) as reader:
            self.lines = [line for line in reader.read().split(b"\n") if line]

    def keep(self, rest: Sequence[bytes]) -> None:
        """Remove all lines but the *rest*."""
        self.lines = list(rest)
        if not rest:
            spool_files.remove(self._path)
            return
        # The new file is locked before it takes the place of the old one, so that no process can add to it.
        new = f"{self._path}.new"
        with file_lock.lock(new) as file:
            os.ftruncate(file, 0)
            spool_files.write(file, b"".join(line + b"\n" for line in rest), new)
            os.replace(new, self._path)
            os.dup2(file, self._file, inheritable=False)


def put(folder: str, lines: Sequence[bytes], max_bytes: int = MAX_BYTES) -> int:
    """Add the *lines*; return the number of lines dropped for lack of room. Raise `OSError`."""
    queue = os.path.join(folder, _QUEUE)
    data = b"".join(line + b"\n" for line in lines)
    if sum(map(_size, spool_files.paths(queue))) + len(data) > max_bytes:
        drop(folder, len(lines))
        return len(lines)
    try:
        spool_files.append(queue, data)
    except OSError:
        with suppress(OSError):
            drop(folder, len(lines))
        raise
    return 0


def take(folder: str) -> Generator[LockedQueue]:
    """Yield the queue files to send next, each locked until the following one is requested."""
    for file, path in spool_files.left_over(os.path.join(folder, _QUEUE)):
        yield LockedQueue(file, path)


def drop(folder: str, count: int) -> None:
    """Add to the count of lost lines."""
    create_private(folder)
    with file_lock.lock(os.path.join(folder, _DROPPED)) as file:
        os.pwrite(file, str(count_dropped(folder) + count).encode(), 0)


def count_waiting(folder: str) -> int:
    """Return the number of lines that wait."""
    count = 0
    for path in spool_files.paths(os.path.join(folder, _QUEUE)):
        with suppress(OSError), open(path, "rb") as file:
            count += sum(1 for line in file if line.strip())
    return count


def count_dropped(folder: str) -> int:
    """Return the number of lines lost so far."""
    with suppress(OSError, ValueError), open(os.path.join(folder, _DROPPED), encoding="ascii") as file:
        return int(file.read() or 0)
    return 0


def read_state(folder: str) -> OutboxState:
    with (
        suppress(OSError, ValueError, TypeError),
        open(os.path.join(folder, _STATE), encoding="utf-8") as file,
    ):
        return OutboxState(**json.load(file))
    return OutboxState()


def write_state(folder: str, state: OutboxState) -> None:
    """Store the result of an export."""
    create_private(folder)
    new = os.path.join(folder, f"{_STATE}.{os.getpid()}")
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb") as file:
        file.write(json.dumps(to_builtins(state)).encode())
    os.replace(new, os.path.join(folder, _STATE))


@contextmanager
def lead(folder: str) -> Iterator[bool]:
    """Try to become the exporting process; yield whether that succeeded."""
    create_private(folder)
    with file_lock.try_lock(os.path.join(folder, _EXPORTER_LOCK)) as file:
        yield file is not None


def is_exporting(folder: str) -> bool:
    """Return whether a process is exporting."""
    return file_lock.is_locked(os.path.join(folder, _EXPORTER_LOCK))


def _size(path: str) -> int:
    with suppress(FileNotFoundError):
        return os.stat(path).st_size
    return 0
