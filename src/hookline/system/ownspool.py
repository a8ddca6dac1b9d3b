"""The spool of a process that stays: what it appends it also holds, until the store has it.

The file is there for whoever comes after a death: its owner keeps the sole lock on it, so that one which can
be locked is left over, and `spool.drain` moves it into the store like all others. To append is one write.
"""

import fcntl
import os
import secrets
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import msgspec

from hookline.store import Record, Store, StoreFailed
from hookline.system import spool

Turn = Callable[[], AbstractContextManager[None]]

_encode = msgspec.json.Encoder().encode
PIECE = 20
"""Records that are stored in one go, while those who answer wait: about a millisecond."""


class OwnSpool:
    """One in *folder*; made when something is appended."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._lock, self._draining = threading.Lock(), threading.Lock()
        self._file: int | None = None
        self._path = ""
        self._held: list[Record] = []
        self._moving: _Moving | None = None
        self._failed = False

    def append(self, record: Record) -> None:
        """Add *record*; raises `OSError` where that cannot be done."""
        line = _line(record)
        with self._lock:
            spool.write(self._opened(), line, self._path)
            self._held.append(record)

    def drain(self, store: Store, turn: Turn = nullcontext) -> int:
        """Move what is held into *store*, and what others left in the folder; how many records.

        Afterwards all is there that was appended before, also what another thread was about to move. It goes
        by pieces, each in a *turn* of its own, so that whoever answers meanwhile waits for one at most.
        """
        try:
            moved = self._moved(store, turn)
            self._take()
            moved += self._moved(store, turn)
            with turn():
                moved += spool.drain(self.folder, store)
        except (StoreFailed, OSError):
            self._failed = True
            raise
        self._failed = False
        return moved

    def bring(self, store: Store) -> None:
        """As `drain`, for an answer that needs it; which does not wait where the last one came to nothing."""
        if not self._failed:
            self.drain(store)

    def _take(self) -> None:
        """Begin to move what is held by now."""
        with self._draining, self._lock:
            if self._moving is None and self._file is not None:
                self._moving = _Moving(self._file, self._path, self._held)
                self._file, self._held = None, []

    def _moved(self, store: Store, turn: Turn) -> int:
        """Move what somebody has begun to; how many records."""
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
        over = True  # where the store does not take them, the next one to drain finds the file
        try:
            store.record(piece)
            moving.done += len(piece)
            over = moving.done == len(moving.records)
            if over:
                spool.unlink(moving.path)
        finally:
            if over:
                self._moving = None
                os.close(moving.file)
        return len(piece)

    def _opened(self) -> int:
        """The file, which somebody may have removed: what is written then would be found by nobody."""
        if self._file is not None and os.fstat(self._file).st_nlink:
            return self._file
        file, path = _new(self.folder)
        if self._file is not None:
            os.close(self._file)
        self._file, self._path = file, path
        for record in self._held:
            spool.write(file, _line(record), path)
        return file


def _line(record: Record) -> bytes:
    """As `spool.line`, in a tenth of its time, but for what only that can write."""
    try:
        line = b"\n%b\n" % _encode(spool.whole(record))
    except (TypeError, ValueError, RecursionError):
        return spool.line(record)
    return spool.line(record) if b"null" in line else line  # of an infinite number it makes none


class _Moving:
    """A file whose records are on their way."""

    def __init__(self, file: int, path: str, records: list[Record]) -> None:
        self.file, self.path, self.records, self.done = file, path, records, 0


def _new(folder: str) -> tuple[int, str]:
    while True:
        path = os.path.join(folder, f"{spool.OWN}{secrets.token_hex(8)}")
        file = spool.opened(path)
        fcntl.flock(file, fcntl.LOCK_EX)
        if os.fstat(file).st_nlink:  # a drainer may have come between
            return file, path
        os.close(file)
