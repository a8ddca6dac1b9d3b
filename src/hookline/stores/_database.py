"""Open the sqlite file of a store: made once however many processes come first, kept up to date, healed.

A database that is no longer one is set aside beside the new one, never deleted, and the opener is told.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

from hookline.stores._migrations import KNOWN, migrate, version

PATIENCE = 2.0  # seconds: an answer may be waiting, and what is in the spool can wait longer
_BROKEN = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def opened(path: str) -> tuple[sqlite3.Connection, str]:
    """A connection to the up-to-date database at *path*, and what had to be set aside, if anything."""
    if db := _ready(path):
        return db, ""
    with _alone(path):
        return _prepared(path)


def healed(path: str) -> tuple[sqlite3.Connection, str]:
    """As `opened`, after the database turned out to be broken in the middle of work."""
    with _alone(path):
        return _prepared(path) if _sound(path) else _anew(path)


def broken(error: sqlite3.Error) -> bool:
    return code(error) in _BROKEN


def code(error: sqlite3.Error) -> int:
    """What is wrong, as one of sqlite's primary codes; 0 where it is no error of sqlite's own."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def unsound(db: sqlite3.Connection) -> str:
    """What a close look finds wrong; empty where all is well."""
    try:
        found = str(db.execute("PRAGMA integrity_check(1)").fetchone()[0])
    except sqlite3.DatabaseError as error:
        if not broken(error):
            raise
        found = str(error)
    return "" if found == "ok" else found


def _ready(path: str) -> sqlite3.Connection | None:
    # A missing, old or broken database is the business of whoever has the lock.
    with suppress(sqlite3.DatabaseError), _closing_on_error(_connected(path)) as db:
        if version(db) == KNOWN and _in_wal(db):
            return db
        db.close()
    return None


def _prepared(path: str) -> tuple[sqlite3.Connection, str]:
    _create(path)
    try:
        return _current(path), ""
    except sqlite3.DatabaseError as error:
        if not broken(error):
            raise
    return _anew(path)


def _anew(path: str) -> tuple[sqlite3.Connection, str]:
    aside = _set_aside(path)
    _create(path)
    problem = f"the store {path!r} was damaged: it is kept as {aside!r}, and a new one was begun"
    return _current(path), problem


def _current(path: str) -> sqlite3.Connection:
    with _closing_on_error(_connected(path)) as db:
        _refuse_newer(path, version(db))
        # Only a database without tables takes this; an older one goes on without, and uses its space again.
        db.execute("PRAGMA auto_vacuum = INCREMENTAL")
        db.execute("PRAGMA journal_mode = WAL").fetchone()
        migrate(db)
    return db


def _refuse_newer(path: str, found: int) -> None:
    if found > KNOWN:
        raise OSError(
            f"the store {path!r} has version {found}, this hookline knows versions up to {KNOWN}; "
            "upgrade hookline, or move the file away to begin a new store; nothing was changed"
        )


def _connected(path: str) -> sqlite3.Connection:
    place = f"file:{_quoted(path)}?mode=rw"
    return sqlite3.connect(place, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False)


@contextmanager
def _closing_on_error(db: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    try:
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("PRAGMA secure_delete = ON")  # what is changed or deleted is not left in the pages
        yield db
    except BaseException:
        db.close()
        raise


def _quoted(path: str) -> str:
    return os.path.abspath(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _in_wal(db: sqlite3.Connection) -> bool:
    return bool(db.execute("PRAGMA journal_mode").fetchone()[0] == "wal")


def _create(path: str) -> None:
    os.makedirs(os.path.dirname(os.path.abspath(path)), mode=0o700, exist_ok=True)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))


def _sound(path: str) -> bool:
    try:
        db = _connected(path)
    except sqlite3.DatabaseError as error:
        return not broken(error)
    with closing(db):
        return not unsound(db)


def _set_aside(path: str) -> str:
    number = 1
    while os.path.lexists(aside := f"{path}.corrupt-{number}"):
        number += 1
    os.rename(path, aside)
    for part in ("-wal", "-shm"):
        with suppress(FileNotFoundError):
            os.rename(path + part, aside + part)
    return aside


@contextmanager
def _alone(path: str) -> Iterator[None]:
    # Not a lock on the database file itself: closing a second descriptor of it would drop sqlite's own locks.
    os.makedirs(os.path.dirname(os.path.abspath(path)), mode=0o700, exist_ok=True)
    lock = os.open(f"{path}.lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
