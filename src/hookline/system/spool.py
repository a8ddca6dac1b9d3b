"""Records on their way to the store: appended before the reply goes out, stored afterwards.

A process that dies leaves its file, and the next one that drains the folder stores its records. A record is
stored once, because its id is unique, even if two processes bring it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from operator import attrgetter
from typing import Any

import msgspec

from hookline.core.frozen import frozen, plain
from hookline.core.store import Record, Store, StoreFailed
from hookline.core.values import replace
from hookline.system import spool_files as files

Turn = Callable[[], AbstractContextManager[None]]

PIECE = 20
"""Records stored in one turn, about a millisecond, while calls wait for their answers."""
_BATCH = 4 << 20
"""Bytes of lines stored in one transaction."""
_TORN = "spool.torn"
_NAMES = Record.__struct_fields__
_values = attrgetter(*_NAMES)
_encode = msgspec.json.Encoder(enc_hook=plain).encode_lines
_decode = msgspec.json.Decoder(Record).decode


class Spool:
    """The file of this process in *folder*, created with the first record, and the records in it."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._lock, self._draining = threading.Lock(), threading.Lock()
        self._file: int | None = None
        self._path = ""
        self._held: list[Record] = []
        self._moving: _Moving | None = None
        self._failed = False

    def append(self, record: Record) -> None:
        """Write *record* to the file; raise `OSError` if that fails."""
        line, held = _written(record)
        with self._lock:
            files.write(self._opened(), line, self._path)
            self._held.append(held)

    def drain(self, store: Store, turn: Turn = nullcontext) -> int:
        """Store all records held so far and those that dead processes left; return how many.

        Records that another thread began to store are in the store, too, when this returns. Each piece takes
        a *turn*, so that a call that is being answered waits for one piece at most.
        """
        try:
            moved = self._moved(store, turn)
            self._take()
            moved += self._moved(store, turn)
            with turn():
                moved += _drain_left_over(self.folder, store)
        except (StoreFailed, OSError):
            self._failed = True
            raise
        self._failed = False
        return moved

    def bring(self, store: Store) -> None:
        """Drain for an answer that reads the store; do nothing if the last attempt failed."""
        if not self._failed:
            self.drain(store)

    def _take(self) -> None:
        with self._draining, self._lock:
            if self._moving is None and self._file is not None:
                self._moving = _Moving(self._file, self._path, self._held)
                self._file, self._held = None, []

    def _moved(self, store: Store, turn: Turn) -> int:
        moved = 0
        while self._moving is not None:
            with turn(), self._draining:
                moved += self._piece(store)
        return moved

    def _piece(self, store: Store) -> int:
        moving = self._moving
        if moving is None:  # another thread was quicker
            return 0
        piece = moving.records[moving.done : moving.done + PIECE]
        over = True  # if the store fails, the file is left over for the next drain
        try:
            store.record(piece)
            moving.done += len(piece)
            over = moving.done == len(moving.records)
            if over:
                files.remove(moving.path)
        finally:
            if over:
                self._moving = None
                os.close(moving.file)
        return len(piece)

    def _opened(self) -> int:
        if self._file is not None and os.fstat(self._file).st_nlink:
            return self._file
        file, path = files.create(self.folder)
        if self._file is not None:  # the file was removed, and what it held is written again
            os.close(self._file)
        self._file, self._path = file, path
        for record in self._held:
            files.write(file, to_json(record), path)
        return file


class _Moving:
    """A file whose records are being stored."""

    def __init__(self, file: int, path: str, records: list[Record]) -> None:
        self.file, self.path, self.records, self.done = file, path, records, 0


def append(folder: str, record: Record) -> None:
    """Write one *record* to *folder*, for any process to store; raise `OSError` if that fails."""
    files.append(folder, to_json(record))


def drain(folder: str, store: Store) -> int:
    """Store all records in *folder*, also those that living processes still hold; return how many."""
    moved = 0
    for path in files.paths(folder):
        file = files.lock_left_over(path)
        moved += _copy(path, store) if file is None else _replay(file, path, store)
    return moved


def _drain_left_over(folder: str, store: Store) -> int:
    locked = ((files.lock_left_over(path), path) for path in files.paths(folder))
    return sum(_replay(file, path, store) for file, path in locked if file is not None)


def problem(folder: str) -> str:
    """Return a sentence for the user about records that were cut short; empty if there are none."""
    path = os.path.join(folder, _TORN)
    if not os.path.lexists(path):
        return ""
    return (
        f"records were cut short while being written; read what is left of them in {path!r}, then delete it"
    )


def to_json(record: Record) -> bytes:
    """Return the line for *record*; lone surrogates become U+FFFD, and infinite numbers in the trail null."""
    return _written(record)[0]


def _written(record: Record) -> tuple[bytes, Record]:
    """Return the line for *record*, and the record as a reader of the line will see it."""
    values = dict(zip(_NAMES, _values(record), strict=True))
    try:
        line = _encode((values,))
    except UnicodeEncodeError:
        line = _encode((_sayable(values),))
        return line, from_json(line)
    return line, from_json(line) if b"null" in line else record


def from_json(line: bytes) -> Record:
    """Return the record in *line*, without unknown fields; raise `ValueError` if there is none."""
    try:
        record = _decode(line)
    except RecursionError as error:
        raise ValueError("nested too deeply for a record") from error
    return replace(record, trail=frozen(record.trail), counts=frozen(record.counts))


def _sayable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_sayable(key): _sayable(item) for key, item in value.items()}
    return [_sayable(item) for item in value] if isinstance(value, list | tuple) else value


def _replay(file: int, path: str, store: Store) -> int:
    moved, torn = 0, b""
    with open(file, "rb") as lines:
        for records, rest in _batches(lines.readlines):
            store.record(records)
            moved, torn = moved + len(records), torn + rest
        _set_aside(os.path.dirname(path), torn)
        files.remove(path)
    return moved


def _copy(path: str, store: Store) -> int:
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:  # its process has stored the records and removed it
        return 0
    moved = 0
    with open(file, "rb") as lines:
        for records, _ in _batches(lines.readlines):
            store.record(records)
            moved += len(records)
    return moved


def _batches(read: Callable[[int], list[bytes]]) -> Iterator[tuple[list[Record], bytes]]:
    while batch := read(_BATCH):
        records, torn = [], b""
        for line in filter(None, map(bytes.strip, batch)):
            try:
                records.append(from_json(line))
            except ValueError:
                torn += line + b"\n"
        yield records, torn


def _set_aside(folder: str, torn: bytes) -> None:
    if not torn:
        return
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    aside = os.open(os.path.join(folder, _TORN), flags, 0o600)
    with open(aside, "r+b", buffering=0) as file:
        if torn not in file.read():  # a drainer that was killed here left the same
            file.write(torn)
