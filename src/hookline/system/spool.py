"""Records on their way to the store: appended before the reply goes out, stored afterwards.

A process that dies leaves its file, and the next one that drains the folder stores its records. A record is
stored once, because its id is unique, even if two processes bring it.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from math import inf
from operator import attrgetter
from typing import Any

import msgspec

from hookline.core.frozen import encode_mapping, freeze
from hookline.core.store import Record, Store, StoreFailed
from hookline.core.values import replace
from hookline.system import spool_files

Turn = Callable[[], AbstractContextManager[None]]
"""Context manager in which one piece is stored."""

PIECE_RECORDS = 20
"""Records stored in one turn, about a millisecond, while calls wait for their answers."""
FILE_RECORDS = 500
"""Records in a file of a living process; it leaves a longer one for any process to store."""
BACKLOG_SECONDS = 1.0
"""Seconds in which one call stores files of other processes; after an outage the rest waits for the next."""
_BATCH_BYTES = 256 << 10
"""Bytes of lines stored in one transaction, which a busy server must finish within its timeout."""
_TORN_FILE = "spool.torn"
_FIELDS = Record.__struct_fields__
_values = attrgetter(*_FIELDS)
_encode = msgspec.json.Encoder(enc_hook=encode_mapping).encode_lines
_decode = msgspec.json.Decoder(Record).decode


class Spool:
    """The file of this process in *folder*, created with the first record, and the records in it."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._lock, self._draining = threading.Lock(), threading.Lock()
        self._file: int | None = None
        self._path = ""
        self._records: list[Record] = []
        self._in_transfer: _Transfer | None = None
        self._last_drain_failed = False

    def append(self, record: Record) -> None:
        """Write *record* to the file; raise `OSError` if that fails."""
        line, stored = _encode_record(record)
        with self._lock:
            file = self._open()
            spool_files.write(file, line, self._path)
            self._records.append(stored)
            if len(self._records) >= FILE_RECORDS:  # the store has failed for long
                os.close(file)
                self._file, self._records = None, []

    def drain(self, store: Store, turn: Turn = nullcontext, *, within: float = inf) -> int:
        """Store all records held so far and, within so many seconds, those in other files; return how many.

        Records that another thread began to store are in the store, too, when this returns. Each piece takes
        a *turn*, so that a call that is being answered waits for one piece at most.
        """
        try:
            count = self._store_transfer(store, turn)
            self._begin_transfer()
            count += self._store_transfer(store, turn)
            with turn():
                count += _drain_left_over(self.folder, store, within)
        except (StoreFailed, OSError):
            self._last_drain_failed = True
            raise
        self._last_drain_failed = False
        return count

    def drain_for_reply(self, store: Store) -> None:
        """Drain before a reply that reads the store; do nothing if the last drain failed."""
        if not self._last_drain_failed:
            self.drain(store, within=BACKLOG_SECONDS)

    def _begin_transfer(self) -> None:
        with self._draining, self._lock:
            if self._in_transfer is None and self._file is not None:
                self._in_transfer = _Transfer(self._file, self._path, self._records)
                self._file, self._records = None, []

    def _store_transfer(self, store: Store, turn: Turn) -> int:
        count = 0
        while self._in_transfer is not None:
            with turn(), self._draining:
                count += self._store_piece(store)
        return count

    def _store_piece(self, store: Store) -> int:
        transfer = self._in_transfer
        if transfer is None:  # another thread was quicker
            return 0
        piece = transfer.records[transfer.done : transfer.done + PIECE_RECORDS]
        done = True  # if the store fails, the next drain stores the file
        try:
            store.record(piece)
            transfer.done += len(piece)
            done = transfer.done == len(transfer.records)
            if done:
                spool_files.remove(transfer.path)
        finally:
            if done:
                self._in_transfer = None
                os.close(transfer.file)
        return len(piece)

    def _open(self) -> int:
        if self._file is not None and os.fstat(self._file).st_nlink:
            return self._file
        file, path = spool_files.create(self.folder)
        if self._file is not None:  # the file was removed: write its records again
            os.close(self._file)
        self._file, self._path = file, path
        for record in self._records:
            spool_files.write(file, to_json(record), path)
        return file


class _Transfer:
    """A file whose records are being stored."""

    def __init__(self, file: int, path: str, records: list[Record]) -> None:
        self.file, self.path, self.records, self.done = file, path, records, 0


def append(folder: str, record: Record) -> None:
    """Write one *record* to *folder*, for any process to store; raise `OSError` if that fails."""
    spool_files.append(folder, to_json(record))


def drain(folder: str, store: Store) -> int:
    """Store all records in *folder*, also those that living processes still hold; return how many."""
    count = 0
    for path in spool_files.paths(folder):
        file = spool_files.lock_left_over(path)
        count += _store_held(path, store) if file is None else _store_and_remove(file, path, store)
    return count


def _drain_left_over(folder: str, store: Store, within: float) -> int:
    count, deadline = 0, time.monotonic() + within
    for path in spool_files.paths(folder):
        file = spool_files.lock_left_over(path)
        count += 0 if file is None else _store_and_remove(file, path, store)
        if time.monotonic() > deadline:
            break
    return count


def problem(folder: str) -> str:
    """Return a sentence for the user about incomplete records; empty if there are none."""
    path = os.path.join(folder, _TORN_FILE)
    if not os.path.lexists(path):
        return ""
    return f"incomplete records were found; read them in {path!r}, then delete the file"


def to_json(record: Record) -> bytes:
    """Return the line for *record*; lone surrogates become U+FFFD, and infinite numbers in the trail null."""
    return _encode_record(record)[0]


def _encode_record(record: Record) -> tuple[bytes, Record]:
    """Return the line for *record*, and the record as a reader of the line will see it."""
    fields = dict(zip(_FIELDS, _values(record), strict=True))
    try:
        line = _encode((fields,))
    except UnicodeEncodeError:
        line = _encode((_replace_surrogates(fields),))
        return line, from_json(line)
    return line, from_json(line) if b"null" in line else record


def from_json(line: bytes) -> Record:
    """Return the record in *line*, without unknown fields; raise `ValueError` if there is none."""
    try:
        record = _decode(line)
    except RecursionError as error:
        raise ValueError("nesting is too deep for a record") from error
    return replace(record, trail=freeze(record.trail), counts=freeze(record.counts))


def _replace_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_replace_surrogates(key): _replace_surrogates(item) for key, item in value.items()}
    return [_replace_surrogates(item) for item in value] if isinstance(value, list | tuple) else value


def _store_and_remove(file: int, path: str, store: Store) -> int:
    count, torn = 0, b""
    with open(file, "rb") as lines:
        for records, rest in _batches(lines.readlines):
            store.record(records)
            count, torn = count + len(records), torn + rest
        _set_aside(os.path.dirname(path), torn)
        spool_files.remove(path)
    return count


def _store_held(path: str, store: Store) -> int:
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:  # its process has stored the records and removed it
        return 0
    count = 0
    with open(file, "rb") as lines:
        for records, _ in _batches(lines.readlines):
            store.record(records)
            count += len(records)
    return count


def _batches(read: Callable[[int], list[bytes]]) -> Iterator[tuple[list[Record], bytes]]:
    while batch := read(_BATCH_BYTES):
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
    descriptor = os.open(os.path.join(folder, _TORN_FILE), flags, 0o600)
    with open(descriptor, "r+b", buffering=0) as file:
        if torn not in file.read():  # a drain that was killed here already wrote the same
            file.write(torn)
