"""Store in one sqlite file: the default, safe for many processes and threads on one machine.

It raises `OSError` if the file cannot be read or written; `problem` describes a damaged file that was
replaced.

The full-text index ranks every match of every word; that is best for thousands of memories and too slow for a
hundred thousand. There rare words select the candidates, and common words only add to their scores. A memory
contains a word at most once, so only the rarity of its words counts.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from math import log1p
from threading import RLock

from hookline.core.records import stem_word
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

MAX_FULL_RANKING = 2_000
"""Memories of a project up to which the index ranks; also the number at which counting a word stops."""
MAX_CANDIDATES = 300
"""Maximum number of candidates; further words only add to the scores."""
_COLLECTION_SIZE = 1e6
_FIND_BY_WORDS = (
    "SELECT rowid FROM memory_words WHERE memory_words MATCH :words ORDER BY rowid DESC LIMIT :most"
)
_COUNT_BY_WORDS = """
SELECT count(*) FROM (SELECT 1 FROM memory_words WHERE memory_words MATCH :words LIMIT :most)
"""
_COUNT_IN_PROJECT = "SELECT count(*) FROM (SELECT 1 FROM memories WHERE project = :project LIMIT :most)"
_COUNT_FOREIGN = "SELECT count(*) FROM memories WHERE +project NOT IN (:project, '')"
_COUNT_ALL = "SELECT count(*) FROM (SELECT 1 FROM memories LIMIT :most)"


def find_best(
    db: Database, words: Sequence[str], project: str | None, max_rows: int
) -> list[tuple[float, int]] | None:
    """Return scores and numbers of the best memories; None if the index can rank the whole project."""
    size = db.execute(
        _COUNT_ALL if project is None else _COUNT_IN_PROJECT, {"project": project, "most": MAX_FULL_RANKING}
    ).fetchall()
    if size[0][0] < MAX_FULL_RANKING:
        return None
    # A memory with a word is also indexed under its stem, so only stems are searched.
    stems = [stem for stem in dict.fromkeys(map(stem_word, words)) if stem in words]
    counts = {stem: count for stem in stems if (count := _count_word(db, stem))}
    numbers = (
        _find_candidates(db, sorted(counts, key=lambda stem: counts[stem]), counts, project) if counts else []
    )
    weights = {
        word: log1p(_COLLECTION_SIZE / counts[stem])
        for word in words
        if (stem := _counted_form(word, counts)) in counts
    }
    return sorted(_score(db, numbers, weights), reverse=True)[:max_rows]


def _count_word(db: Database, word: str) -> int:
    return int(
        db.execute(_COUNT_BY_WORDS, {"words": f'words : "{word}"', "most": MAX_FULL_RANKING}).fetchall()[0][0]
    )


def _counted_form(word: str, counts: Mapping[str, int]) -> str:
    return word if word in counts else stem_word(word)


def _find_candidates(
    db: Database, stems: Sequence[str], counts: Mapping[str, int], project: str | None
) -> list[int]:
    """Return candidates with a rare word; if none is rare, those with all words, then the newest with one."""
    queries = [" OR ".join(f'"{word}"' for word in _select_rare_words(stems, counts))]
    if counts[stems[0]] > MAX_CANDIDATES and len(stems) > 1:
        queries = [" AND ".join(f'"{word}"' for word in stems), *queries]
    numbers: list[int] = []
    for query in queries:
        if len(numbers) < MAX_CANDIDATES:
            numbers += _find_numbers(db, f"(words : ({query}))", MAX_CANDIDATES - len(numbers), project)
    return numbers


def _find_numbers(db: Database, query: str, max_rows: int, project: str | None) -> list[int]:
    """Return the newest matches; a search in the project only is slower, so it runs only if needed."""
    numbers = [
        number for (number,) in db.execute(_FIND_BY_WORDS, {"words": query, "most": max_rows}).fetchall()
    ]
    if project is None or not numbers:
        return numbers
    statement = f"{_COUNT_FOREIGN} AND number IN ({', '.join(map(str, numbers))})"
    if not db.execute(statement, {"project": project}).fetchall()[0][0]:
        return numbers
    values = {"words": f'{query} AND (whose : ("p{project.encode().hex()}" OR "p"))', "most": max_rows}
    return [number for (number,) in db.execute(_FIND_BY_WORDS, values).fetchall()]


def _select_rare_words(stems: Sequence[str], counts: Mapping[str, int]) -> list[str]:
    """Return the rarest words, at least one, that select at most `MAX_CANDIDATES` memories together."""
    rare, count = [stems[0]], counts[stems[0]]
    for word in stems[1:]:
        count += counts[word]
        if count > MAX_CANDIDATES:
            break
        rare.append(word)
    return rare


def _score(db: Database, numbers: Sequence[int], weights: Mapping[str, float]) -> Iterator[tuple[float, int]]:
    padded = [(f" {word} ", weight) for word, weight in weights.items()]
    statement = f"SELECT number, words FROM memories WHERE number IN ({', '.join(map(str, numbers))})"
    for number, words in db.execute(statement, {}).fetchall():
        text = f" {words} "
        yield sum([weight for word, weight in padded if word in text]), number


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
    find_text="instr",
    match_query="""
        SELECT memories.*, -best.rank AS score FROM (
            SELECT rowid AS number, rank FROM memory_words
            WHERE memory_words MATCH :words AND rank MATCH 'bm25(1.0, 0.0)' ORDER BY rank LIMIT :most
        ) AS best CROSS JOIN memories ON memories.number = best.number
    """,
    format_words=_format_words,
    find_best=find_best,
)
