"""Reports that wait on disk for a sink that is far away: bounded, and what did not fit is counted.

Many processes put lines in, one at a time takes them out: so a receiver that is down or slow holds up
nobody, and a short outage loses nothing. The gate is held for an instant only.
"""

import fcntl
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from hookline.record import asdict, record

MOST = 8 << 20
"""Bytes that may wait."""
_QUEUE, _TAKEN, _GATE, _LEAD, _STATE, _DROPPED = (
    "queue.jsonl",
    "taken.jsonl",
    "gate",
    "exporter",
    "state.json",
    "dropped",
)


@record
class State:
    """How the last export went."""

    failed: str = ""
    """Why it failed; empty where it did not."""
    at: float = 0.0
    again: float = 0.0
    """When it may be tried again."""
    sent: int = 0


def put(folder: str, lines: Sequence[bytes], most: int = MOST) -> int:
    """Add the *lines*; how many of them found no room. Raises `OSError`."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    data = b"".join(line + b"\n" for line in lines)
    with _gate(folder):
        if _size(folder, _QUEUE) + _size(folder, _TAKEN) + len(data) > most or not _written(folder, data):
            _drop(folder, len(lines))
            return len(lines)
    return 0


def take(folder: str) -> list[bytes]:
    """The lines that are to be sent next; until `keep` says otherwise they stay so."""
    if not os.path.isdir(folder):
        return []
    with _gate(folder):
        taken = os.path.join(folder, _TAKEN)
        if not os.path.exists(taken):
            with suppress(FileNotFoundError):
                os.rename(os.path.join(folder, _QUEUE), taken)
        with suppress(FileNotFoundError), open(taken, "rb") as file:
            return [line for line in file.read().split(b"\n") if line]
    return []


def keep(folder: str, rest: Sequence[bytes]) -> None:
    """Of what was taken only the *rest* is still to be sent."""
    taken = os.path.join(folder, _TAKEN)
    with _gate(folder):
        if not rest:
            with suppress(FileNotFoundError):
                os.unlink(taken)
            return
        _replace(taken, b"".join(line + b"\n" for line in rest))


def drop(folder: str, count: int) -> None:
    """Count what was lost."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    with _gate(folder):
        _drop(folder, count)


def waiting(folder: str) -> int:
    """How many lines wait."""
    count = 0
    for name in (_QUEUE, _TAKEN):
        with suppress(OSError), open(os.path.join(folder, name), "rb") as file:
            count += file.read().count(b"\n")
    return count


def dropped(folder: str) -> int:
    """How many lines were lost so far."""
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
    """Remember how an export went."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    _replace(os.path.join(folder, _STATE), json.dumps(asdict(how)).encode())


@contextmanager
def leading(folder: str) -> Iterator[bool]:
    """Whether this process is the one that exports, for as long as it holds this."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    lock = _opened(folder, _LEAD)
    try:
        yield _locked(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    finally:
        os.close(lock)


def led(folder: str) -> bool:
    """Whether some process is exporting."""
    with leading(folder) as free:
        return not free


def _drop(folder: str, count: int) -> None:
    _replace(os.path.join(folder, _DROPPED), str(dropped(folder) + count).encode())


def _written(folder: str, data: bytes) -> bool:
    queue = _opened(folder, _QUEUE)
    try:
        end = os.fstat(queue).st_size
        if os.pwrite(queue, data, end) == len(data):
            return True
        os.ftruncate(queue, end)
        return False
    finally:
        os.close(queue)


def _size(folder: str, name: str) -> int:
    with suppress(FileNotFoundError):
        return os.stat(os.path.join(folder, name)).st_size
    return 0


def _replace(path: str, data: bytes) -> None:
    new = f"{path}.{os.getpid()}"
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb") as file:
        file.write(data)
    os.replace(new, path)


def _opened(folder: str, name: str) -> int:
    return os.open(os.path.join(folder, name), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


@contextmanager
def _gate(folder: str) -> Iterator[None]:
    lock = _opened(folder, _GATE)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _locked(lock: int, how: int) -> bool:
    with suppress(BlockingIOError):
        fcntl.flock(lock, how)
        return True
    return False
