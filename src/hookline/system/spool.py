"""Records on their way to the store: a line is appended before a reply goes out, and drained afterwards.

Whoever dies at whatever moment, an answered decision is in the spool or in the store. Appenders share a lock
on the file they opened and check that it is still the one in place; a drainer moves it away under the sole
lock, so that nobody writes into a file that is being read.
"""

from __future__ import annotations

import errno
import fcntl
import os
from contextlib import contextmanager, suppress
from operator import attrgetter

from hookline import plainjson as json
from hookline.frozen import frozen, plain
from hookline.record import fields
from hookline.store import Record, Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_CURRENT = "spool.jsonl"
_TAKEN = "spool.taken"
_TORN = "spool.torn"
_LOCK = "spool.lock"
OWN = "spool.own."
"""How the files are called that belong to a process each, for as long as it locks them."""
_BATCH = 4 << 20  # bytes of lines for one transaction
_NAMES = tuple(field.name for field in fields(Record))
_values = attrgetter(*_NAMES)
_TUPLES = ("rules", "warnings", "trail")
_NUMBERS = ("at", "ms")


def append(folder: str, record: Record) -> None:
    """Add *record* to the spool in *folder*; raises `OSError` where that cannot be done."""
    with _current(folder) as file:
        write(file, line(record), os.path.join(folder, _CURRENT))


def line(record: Record) -> bytes:
    """What is written for *record*: the line break in front ends a line that someone was killed within."""
    return b"\n" + record_to_json(record).encode() + b"\n"


def write(file: int, line: bytes, path: str) -> None:
    if os.write(file, line) != len(line):
        raise OSError(errno.ENOSPC, "the record did not fit", path)


def drain(folder: str, store: Store, *, wait: bool = False) -> int:
    """Move what lies in the spool into *store*; how many records. Without *wait*, 0 if another is at it.

    With it, also what is held by processes that stay comes into the store, before they do that themselves.
    """
    if not os.path.isdir(folder):
        return 0
    with _alone(folder, wait=wait) as alone:
        if not alone:
            return 0
        taken = os.path.join(folder, _TAKEN)
        moved = _replay(folder, taken, store)  # what a drainer that was killed had taken
        while _take(folder):
            moved += _replay(folder, taken, store)
        return moved + sum(_owned(folder, path, store, living=wait) for path in owned(folder))


def owned(folder: str) -> list[str]:
    """The files in *folder* that belong, or belonged, to a process each."""
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.startswith(OWN)]


def _owned(folder: str, path: str, store: Store, *, living: bool) -> int:
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:  # its owner was quicker
        return 0
    try:
        if _locked(file, fcntl.LOCK_EX | fcntl.LOCK_NB):
            return _replay(folder, path, store)
        return _copied(file, store) if living else 0
    finally:
        os.close(file)


def _copied(file: int, store: Store) -> int:
    """What the owner will bring too: a record comes into the store once, whoever brings it."""
    with open(file, "rb", closefd=False) as lines:
        records, _ = _parsed(lines.readlines())
    store.record(records)
    return len(records)


def unlink(path: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)


def problem(folder: str) -> str:
    """What a person should know about the spool in *folder*: empty, or a sentence."""
    path = f"{folder}/{_TORN}"
    if not os.access(path, os.F_OK):
        return ""
    return (
        f"records were cut short while being written; read what is left of them in {path!r}, then delete it"
    )


def record_to_json(record: Record) -> str:
    """*record* as one line of JSON."""
    return json.dumps(whole(record), separators=(",", ":"), default=plain)


def whole(record: Record) -> dict[str, Any]:
    """*record* as an object."""
    return dict(zip(_NAMES, _values(record), strict=True))


def record_from_json(line: str) -> Record:
    """The record in *line*, without fields we do not know; raises `ValueError` that says what is wrong."""
    try:
        value = json.loads(line)
    except RecursionError as error:
        raise ValueError("nested too deeply for a record") from error
    if not isinstance(value, dict):
        raise ValueError(f"a record is an object, this is a {type(value).__name__}")  # noqa: TRY004 -- one to catch
    missing = sorted({"id", "at", "session", "host", "event"} - value.keys())
    if missing:
        raise ValueError(f"not a record, it lacks: {', '.join(missing)}")
    return Record(**{name: _checked(name, value[name]) for name in _NAMES if name in value})


def _checked(name: str, value: Any) -> Any:
    kind = _kind(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ValueError(f"field {name!r} of a record is a {type(value).__name__}")  # noqa: TRY004 -- one to catch
    parts = value.values() if name == "counts" else value if kind is list else ()
    inner = {"counts": int, "trail": dict}.get(name, str)
    if not all(isinstance(part, inner) for part in parts):
        raise ValueError(f"field {name!r} of a record holds what is not a {inner.__name__}")
    return frozen(value)


def _kind(name: str) -> Any:
    if name in _TUPLES:
        return list
    if name in _NUMBERS:
        return int | float
    return dict if name == "counts" else str


@contextmanager
def _current(folder: str) -> Iterator[int]:
    path = os.path.join(folder, _CURRENT)
    while True:
        spool = opened(path)
        try:
            fcntl.flock(spool, fcntl.LOCK_SH)
            if _in_place(spool, path):
                yield spool
                return
        finally:
            os.close(spool)


def opened(path: str) -> int:
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        return os.open(path, flags, 0o600)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        return os.open(path, flags, 0o600)


def _in_place(spool: int, path: str) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(spool), os.stat(path))
    return False


def _take(folder: str) -> bool:
    path = os.path.join(folder, _CURRENT)
    try:
        spool = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(spool, fcntl.LOCK_EX)  # until the last appender is through
        os.rename(path, os.path.join(folder, _TAKEN))
    finally:
        os.close(spool)
    return True


def _replay(folder: str, path: str, store: Store) -> int:
    if not os.path.exists(path):
        return 0
    moved, torn = 0, b""
    with open(path, "rb") as lines:
        while batch := lines.readlines(_BATCH):
            records, rest = _parsed(batch)
            store.record(records)
            moved, torn = moved + len(records), torn + rest
    _set_aside(folder, torn)
    unlink(path)
    return moved


def _parsed(lines: list[bytes]) -> tuple[list[Record], bytes]:
    records, torn = [], b""
    for line in filter(None, map(bytes.strip, lines)):
        try:
            records.append(record_from_json(line.decode()))
        except ValueError:
            torn += line + b"\n"
    return records, torn


def _set_aside(folder: str, torn: bytes) -> None:
    if not torn:
        return
    aside = os.open(os.path.join(folder, _TORN), os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    with open(aside, "r+b", buffering=0) as file:
        if torn not in file.read():  # a drainer that was killed here left the same
            file.write(torn)


@contextmanager
def _alone(folder: str, *, wait: bool) -> Iterator[bool]:
    lock = os.open(os.path.join(folder, _LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield _locked(lock, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    finally:
        os.close(lock)


def _locked(lock: int, how: int) -> bool:
    with suppress(BlockingIOError):
        fcntl.flock(lock, how)
        return True
    return False
