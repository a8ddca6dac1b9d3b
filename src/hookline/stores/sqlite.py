"""Store in one sqlite file: the default, safe for many processes and threads on one machine.

It raises `OSError` if the file cannot be read or written; `problem` describes a damaged file that was
replaced.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import RLock

from hookline.core.store import Store, StoreFailed
from hookline.stores._database import (
    TIMEOUT_SECONDS,
    find_damage,
    is_damaged,
    open_database,
    primary_code,
    refuse_newer,
    repair_database,
)
from hookline.stores._sql import Database, SqlDialect, T, Work
from hookline.stores._sql_store import SqlStore
from hookline.stores._sqlite_recall import find_best

_RETRY_SECONDS = 0.01
_SHORT_TIMEOUT_SECONDS = 0.1
"""Seconds to wait for another writer after a wait has timed out."""
_VACUUM_PAGES = 256  # pages that one step frees: a megabyte
_ADVICE = {
    sqlite3.SQLITE_BUSY: f"another process has been writing for over {TIMEOUT_SECONDS:g} seconds; "
    "hookline will try again",
    sqlite3.SQLITE_FULL: "free some disk space; the stored data is safe",
    sqlite3.SQLITE_READONLY: "make the file and its folder writable for your user; the stored data is safe",
    sqlite3.SQLITE_CANTOPEN: "make the file and its folder readable and writable for your user",
    sqlite3.SQLITE_IOERR: "check whether the disk is full or failing; the stored data is safe",
}
"""Advice to the user by error code."""
_left_open: list[sqlite3.Connection] = []


def open_store(place: str) -> Store:
    """Return the store in the database file at *place*; create the file if it is missing."""
    if not os.path.isabs(place):
        raise StoreFailed(f"the store 'sqlite' requires an absolute path, not {place!r}")
    return SqlStore(SqliteFile(place))


class SqliteFile:
    def __init__(self, path: str) -> None:
        self.path = path
        self.problem = ""
        """A sentence about the file for the user, or empty."""
        self.dialect = DIALECT
        self._lock = RLock()
        self._timeout = TIMEOUT_SECONDS
        with self._translate_errors():
            self._db, self.problem = open_database(path)

    def read(self, work: Work[T]) -> T:
        with self._lock:
            deadline = time.monotonic() + self._timeout
            try:
                return work(self._db)
            except sqlite3.Error as error:
                return self._recover(work, error, deadline)

    def _recover(self, work: Work[T], cause: sqlite3.Error, deadline: float) -> T:
        """Wait for another writer after the error *cause*, and replace a damaged database."""
        with self._translate_errors():
            try:
                if primary_code(cause) != sqlite3.SQLITE_BUSY or time.monotonic() >= deadline:
                    raise cause
                return _retry_while_busy(work, self._db, deadline)
            except sqlite3.DatabaseError as error:
                if primary_code(error) == sqlite3.SQLITE_BUSY:
                    self._set_timeout(
                        _SHORT_TIMEOUT_SECONDS
                    )  # a call writes several times, but waits only once
                if not is_damaged(error):
                    raise
                self._db.close()
                self._db, problem = repair_database(self.path)
                self.problem = problem or self.problem
                return _retry_while_busy(work, self._db, time.monotonic() + TIMEOUT_SECONDS)

    def write(self, work: Work[T]) -> T:
        def run_in_transaction(db: Database) -> T:
            with _transaction(db):
                refuse_newer(self.path, self._db)  # a newer release may have migrated it since
                return work(db)

        result = self.read(run_in_transaction)
        if self._timeout != TIMEOUT_SECONDS:
            self._set_timeout(TIMEOUT_SECONDS)
        return result

    def _set_timeout(self, seconds: float) -> None:
        self._db.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")
        self._timeout = seconds

    def erase(self) -> None:
        with self._lock, self._translate_errors():
            # Deleted text remains in the index until it is rebuilt, and in the journal.
            self._db.execute("INSERT INTO memory_words (memory_words) VALUES ('rebuild')")
            self._db.execute("INSERT INTO memory_words (memory_words) VALUES ('optimize')")
            self._db.execute("PRAGMA incremental_vacuum").fetchall()
            deadline = time.monotonic() + TIMEOUT_SECONDS
            while self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                if time.monotonic() > deadline:
                    hint = "the memory is deleted; it leaves the journal when all readers have ended"
                    raise OSError(f"the store {self.path!r} is in use: {hint}")
                time.sleep(_RETRY_SECONDS)

    def defer(self) -> None:
        """Leave it to `fold` to move written data into the file, which waits for the disk."""
        with self._translate_errors():
            self._db.execute("PRAGMA wal_autocheckpoint = 0")

    def fold(self) -> None:
        with self._lock, self._translate_errors():
            self._db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def shrink(self, within: float) -> None:
        deadline = time.monotonic() + within
        while time.monotonic() < deadline and self.read(_vacuum_step):
            pass

    def check(self) -> str:
        with self._lock, self._translate_errors():
            damage = find_damage(self._db)
        return (
            f"the store {self.path!r} is damaged: {damage}; move it away to create a new one"
            if damage
            else ""
        )

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def leave(self) -> None:
        """Keep the connection open until the process ends, so that nothing waits for the disk."""
        _left_open.append(self._db)

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            advice = _ADVICE.get(primary_code(error))
            message = f"{error}; {advice}" if advice else str(error)
            raise OSError(f"the store {self.path!r} cannot be used: {message}") from error


@contextmanager
def _transaction(db: Database) -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE", {})
    try:
        yield
        db.execute("COMMIT", {})
    except BaseException:
        with suppress(sqlite3.OperationalError):  # already rolled back, as on a full disk
            db.execute("ROLLBACK", {})
        raise


def _retry_while_busy(work: Work[T], db: sqlite3.Connection, deadline: float) -> T:
    # Sqlite itself waits, except where it assumes that waiting cannot help.
    while True:
        try:
            return work(db)
        except sqlite3.OperationalError as error:
            if primary_code(error) != sqlite3.SQLITE_BUSY or time.monotonic() >= deadline:
                raise
            time.sleep(_RETRY_SECONDS)


def _vacuum_step(db: Database) -> bool:
    """Free some pages of the file; return whether there were any."""
    before = _count_free_pages(db)
    db.execute(f"PRAGMA incremental_vacuum({_VACUUM_PAGES})", {}).fetchall()
    return _count_free_pages(db) < before


def _count_free_pages(db: Database) -> int:
    return int(db.execute("PRAGMA freelist_count", {}).fetchall()[0][0])


def _format_words(words: Sequence[str], project: str | None) -> str:
    any_word = " OR ".join(f'"{word}"' for word in words)
    if project is None:
        return f"words : ({any_word})"
    return f'(words : ({any_word})) AND (whose : ("p{project.encode().hex()}" OR "p"))'


DIALECT = SqlDialect(
    has_rule="EXISTS (SELECT 1 FROM json_each(rules) WHERE value = :rule)",
    match_query="""
        SELECT memories.*, -best.rank AS score FROM (
            SELECT rowid AS number, rank FROM memory_words
            WHERE memory_words MATCH :words AND rank MATCH 'bm25(1.0, 0.0)' ORDER BY rank LIMIT :most
        ) AS best CROSS JOIN memories ON memories.number = best.number
    """,
    format_words=_format_words,
    find_best=find_best,
)
