"""Reports that wait on disk for a remote sink: a bounded spool, and the state of its export.

Many processes add lines and one sends them, so that a receiver that is down or slow delays no call, and a
short outage loses nothing.
"""

import json
import os
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress

from msgspec import Struct, to_builtins

from hookline.system import file_lock
from hookline.system import spool_files as files

MOST = 8 << 20
"""Bytes that may wait; processes that add lines at the same moment may exceed it by those lines."""
_QUEUE, _LEAD, _STATE, _DROPPED = "queue", "exporter", "state.json", "dropped"


class State(Struct, frozen=True, kw_only=True):
    """The result of the last export."""

    failed: str = ""
    """Why it failed; empty if it did not."""
    at: float = 0.0
    again: float = 0.0
    """The time before which nobody tries again."""
    sent: int = 0


class Taken:
    """A file whose lines are being sent, locked."""

    def __init__(self, file: int, path: str) -> None:
        self._file, self._path = file, path
        with open(file, "rb", closefd=False) as read:
            self.lines = [line for line in read.read().split(b"\n") if line]

    def keep(self, rest: Sequence[bytes]) -> None:
        """Remove all lines but the *rest*."""
        self.lines = list(rest)
        if not rest:
            files.remove(self._path)
            return
        # The new file is locked before it takes the place of the old one, so that no process can add to it.
        new = f"{self._path}.new"
        with file_lock.lock(new) as file:
            os.ftruncate(file, 0)
            files.write(file, b"".join(line + b"\n" for line in rest), new)
            os.replace(new, self._path)
            os.dup2(file, self._file, inheritable=False)


def put(folder: str, lines: Sequence[bytes], most: int = MOST) -> int:
    """Add the *lines*; return how many found no room. Raise `OSError`."""
    queue = os.path.join(folder, _QUEUE)
    data = b"".join(line + b"\n" for line in lines)
    if sum(map(_size, files.paths(queue))) + len(data) > most:
        drop(folder, len(lines))
        return len(lines)
    try:
        files.append(queue, data)
    except OSError:
        with suppress(OSError):
            drop(folder, len(lines))
        raise
    return 0


def take(folder: str) -> Generator[Taken]:
    """Yield the files whose lines are to be sent next, each locked until the next one is asked for."""
    for file, path in files.left_over(os.path.join(folder, _QUEUE)):
        yield Taken(file, path)


def drop(folder: str, count: int) -> None:
    """Add to the count of lost lines."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    with file_lock.lock(os.path.join(folder, _DROPPED)) as file:
        os.pwrite(file, str(dropped(folder) + count).encode(), 0)


def waiting(folder: str) -> int:
    """Return how many lines wait."""
    count = 0
    for path in files.paths(os.path.join(folder, _QUEUE)):
        with suppress(OSError), open(path, "rb") as file:
            count += sum(1 for line in file if line.strip())
    return count


def dropped(folder: str) -> int:
    """Return how many lines were lost so far."""
    with suppress(OSError, ValueError), open(os.path.join(folder, _DROPPED), encoding="ascii") as file:
        return int(file.read() or 0)
    return 0


def state(folder: str) -> State:
    with (
        suppress(OSError, ValueError, TypeError),
        open(os.path.join(folder, _STATE), encoding="utf-8") as file,
    ):
        return State(**json.load(file))
    return State()


def note(folder: str, how: State) -> None:
    """Keep the result of an export."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    new = os.path.join(folder, f"{_STATE}.{os.getpid()}")
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb") as file:
        file.write(json.dumps(to_builtins(how)).encode())
    os.replace(new, os.path.join(folder, _STATE))


@contextmanager
def leading(folder: str) -> Iterator[bool]:
    """Become the process that exports; yield whether no other process is."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    with file_lock.try_lock(os.path.join(folder, _LEAD)) as file:
        yield file is not None


def led(folder: str) -> bool:
    """Return whether a process is exporting."""
    return file_lock.is_locked(os.path.join(folder, _LEAD))


def _size(path: str) -> int:
    with suppress(FileNotFoundError):
        return os.stat(path).st_size
    return 0
