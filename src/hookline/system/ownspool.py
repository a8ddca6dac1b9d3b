"""The spool of a process that stays: what it appends it also holds, until the store has it.

The file is there for whoever comes after a death: its owner keeps the sole lock on it, so that one which can
be locked is left over, and `spool.drain` moves it into the store like all others. To append is one write.
"""

import fcntl
import os
import secrets
import threading

from hookline.store import Record, Store, StoreFailed
from hookline.system import spool


class OwnSpool:
    """One in *folder*; made when something is appended."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._lock, self._draining = threading.Lock(), threading.Lock()
        self._file: int | None = None
        self._path = ""
        self._held: list[Record] = []
        self._failed = False

    def append(self, record: Record) -> None:
        """Add *record*; raises `OSError` where that cannot be done."""
        line = spool.line(record)
        with self._lock:
            spool.write(self._opened(), line, self._path)
            self._held.append(record)

    def drain(self, store: Store) -> int:
        """Move what is held into *store*, and what others left in the folder; how many records.

        Afterwards all is there that was appended before, also what another thread was about to move.
        """
        with self._draining:
            try:
                moved = self._drain(store)
            except (StoreFailed, OSError):
                self._failed = True
                raise
            self._failed = False
            return moved

    def bring(self, store: Store) -> None:
        """As `drain`, for an answer that needs it; which does not wait where the last one came to nothing."""
        if not self._failed:
            self.drain(store)

    def _drain(self, store: Store) -> int:
        with self._lock:
            file, path, held = self._file, self._path, self._held
            self._file, self._held = None, []
        if file is None:
            return spool.drain(self.folder, store)
        try:
            store.record(held)
            spool.unlink(path)
        finally:
            os.close(file)  # where the store did not take them, the next one to drain finds the file
        return len(held) + spool.drain(self.folder, store)

    def _opened(self) -> int:
        """The file, which somebody may have removed: what is written then would be found by nobody."""
        if self._file is not None and os.fstat(self._file).st_nlink:
            return self._file
        file, path = _new(self.folder)
        if self._file is not None:
            os.close(self._file)
        self._file, self._path = file, path
        for record in self._held:
            spool.write(file, spool.line(record), path)
        return file


def _new(folder: str) -> tuple[int, str]:
    while True:
        path = os.path.join(folder, f"{spool.OWN}{secrets.token_hex(8)}")
        file = spool.opened(path)
        fcntl.flock(file, fcntl.LOCK_EX)
        if os.fstat(file).st_nlink:  # a drainer may have come between
            return file, path
        os.close(file)
