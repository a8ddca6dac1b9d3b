"""The store in one sqlite file: the default, safe for many processes and threads on one machine.

It raises `OSError` where the file cannot be read or written; `problem` says what had to be set aside.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import RLock

from hookline.core.store import Store, StoreFailed
from hookline.stores._database import PATIENCE, broken, code, healed, opened, unsound
from hookline.stores._sql import Answer, Database, Dialect, Work
from hookline.stores._sql_store import SqlStore
from hookline.stores._sqlite_recall import best

_PAUSE = 0.01
_HURRY = 0.1
"""Seconds to wait for whoever writes, after somebody was waited for in vain."""
_PIECE = 256  # pages that are given back in one go: a megabyte
_ADVICE = {
    sqlite3.SQLITE_BUSY: f"another process has been writing for over {PATIENCE:g} seconds; it is tried again",
    sqlite3.SQLITE_FULL: "free some space; what is stored already is safe",
    sqlite3.SQLITE_READONLY: "let your user write to the file and to its folder; what is stored is safe",
    sqlite3.SQLITE_CANTOPEN: "let your user read and write the file and its folder",
    sqlite3.SQLITE_IOERR: "see whether the disk is full or failing; what is stored already is safe",
}
"""By error code: what to do."""
_left: list[sqlite3.Connection] = []


def open_store(place: str) -> Store:
    """The store in the database file at *place*, which is made where it is missing."""
    if not os.path.isabs(place):
        raise StoreFailed(f"the store 'sqlite' lies in a file, and {place!r} is not an absolute path")
    return SqlStore(SqliteFile(place))


class SqliteFile:
    def __init__(self, path: str) -> None:
        self.path = path
        self.problem = ""
        """What a person should know about the file: empty, or a sentence."""
        self.dialect = DIALECT
        self._lock = RLock()
        self._patience = PATIENCE
        with self._errors():
            self._db, self.problem = opened(path)

    def read(self, work: Work[Answer]) -> Answer:
        with self._lock:
            ends = time.monotonic() + self._patience
            try:
                return work(self._db)
            except sqlite3.Error as error:
                return self._again(work, error, ends)

    def _again(self, work: Work[Answer], wrong: sqlite3.Error, ends: float) -> Answer:
        """After something went *wrong*: wait for whoever is in the way, and heal what is broken."""
        with self._errors():
            try:
                if code(wrong) != sqlite3.SQLITE_BUSY or time.monotonic() >= ends:
                    raise wrong
                return _patiently(work, self._db, ends)
            except sqlite3.DatabaseError as error:
                if code(error) == sqlite3.SQLITE_BUSY:
                    self._wait_for(_HURRY)  # a call writes several times, and waits once
                if not broken(error):
                    raise
                self._db.close()
                self._db, problem = healed(self.path)
                self.problem = problem or self.problem
                return _patiently(work, self._db, time.monotonic() + PATIENCE)

    def write(self, work: Work[Answer]) -> Answer:
        def whole(db: Database) -> Answer:
            with _transaction(db):
                return work(db)

        answer = self.read(whole)
        if self._patience != PATIENCE:
            self._wait_for(PATIENCE)
        return answer

    def _wait_for(self, seconds: float) -> None:
        self._db.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")
        self._patience = seconds

    def erase(self) -> None:
        with self._lock, self._errors():
            # What was deleted is still in the index, until it is written anew, and in the journal.
            self._db.execute("INSERT INTO memory_words (memory_words) VALUES ('rebuild')")
            self._db.execute("INSERT INTO memory_words (memory_words) VALUES ('optimize')")
            self._db.execute("PRAGMA incremental_vacuum").fetchall()
            ends = time.monotonic() + PATIENCE
            while self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                if time.monotonic() > ends:
                    told = "it is forgotten, and gone from the journal once whoever reads there has ended"
                    raise OSError(f"the store {self.path!r} is in use: {told}")
                time.sleep(_PAUSE)

    def defer(self) -> None:
        """Leave it to `fold` to move what is written on into the file: that waits for the disk."""
        with self._errors():
            self._db.execute("PRAGMA wal_autocheckpoint = 0")

    def fold(self) -> None:
        with self._lock, self._errors():
            self._db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def shrink(self, within: float) -> None:
        ends = time.monotonic() + within
        while time.monotonic() < ends and self.read(_given_back):
            pass

    def check(self) -> str:
        with self._lock, self._errors():
            wrong = unsound(self._db)
        return (
            f"the store {self.path!r} is damaged: {wrong}; move it away to begin a new one" if wrong else ""
        )

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def leave(self) -> None:
        """Stay open until the process ends: the next one finds all, and nobody waits for the disk."""
        _left.append(self._db)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            advice = _ADVICE.get(code(error))
            told = f"{error}; {advice}" if advice else str(error)
            raise OSError(f"the store {self.path!r} cannot be used: {told}") from error


@contextmanager
def _transaction(db: Database) -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE", {})
    try:
        yield
        db.execute("COMMIT", {})
    except BaseException:
        with suppress(sqlite3.OperationalError):  # where it was rolled back already, as on a full disk
            db.execute("ROLLBACK", {})
        raise


def _patiently(work: Work[Answer], db: sqlite3.Connection, ends: float) -> Answer:
    # Sqlite waits by itself, except where it thinks that waiting could not help.
    while True:
        try:
            return work(db)
        except sqlite3.OperationalError as error:
            if code(error) != sqlite3.SQLITE_BUSY or time.monotonic() >= ends:
                raise
            time.sleep(_PAUSE)


def _given_back(db: Database) -> bool:
    """Whether a piece of the file was given back."""
    before = _unused(db)
    db.execute(f"PRAGMA incremental_vacuum({_PIECE})", {}).fetchall()
    return _unused(db) < before


def _unused(db: Database) -> int:
    return int(db.execute("PRAGMA freelist_count", {}).fetchall()[0][0])


def _matching(words: Sequence[str], project: str | None) -> str:
    any_word = " OR ".join(f'"{word}"' for word in words)
    if project is None:
        return f"words : ({any_word})"
    return f'(words : ({any_word})) AND (whose : ("p{project.encode().hex()}" OR "p"))'


def _best(
    db: Database, words: Sequence[str], project: str | None, most: int
) -> Sequence[tuple[float, int]] | None:
    return best(db, words, project, most)


DIALECT = Dialect(
    has_rule="EXISTS (SELECT 1 FROM json_each(rules) WHERE value = :rule)",
    found="""
        SELECT memories.*, -best.rank AS score FROM (
            SELECT rowid AS number, rank FROM memory_words
            WHERE memory_words MATCH :words AND rank MATCH 'bm25(1.0, 0.0)' ORDER BY rank LIMIT :most
        ) AS best CROSS JOIN memories ON memories.number = best.number
    """,
    matching=_matching,
    best=_best,
)
