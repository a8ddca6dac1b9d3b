"""Opening of a store's sqlite file: created once even if many processes start, migrated, and repaired.

A damaged database is renamed and kept beside the new one, never deleted, and the caller gets a message.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

from hookline.stores._migrations import LATEST_VERSION, migrate, read_version

TIMEOUT_SECONDS = 2.0  # seconds; short, because a call may be waiting, while the spool can wait longer
_DAMAGE_CODES = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def open_database(path: str) -> tuple[sqlite3.Connection, str]:
    """Return a connection to the migrated database at *path*, and a message if a damaged one was replaced."""
    if db := _open_current(path):
        return db, ""
    with _lock(path):
        return _prepare(path)


def repair_database(path: str) -> tuple[sqlite3.Connection, str]:
    """Return the same as `open_database`, after the database was found to be damaged while in use."""
    with _lock(path):
        return _prepare(path) if _is_sound(path) else _replace_damaged(path)


def is_damaged(error: sqlite3.Error) -> bool:
    return primary_code(error) in _DAMAGE_CODES


def primary_code(error: sqlite3.Error) -> int:
    """Return sqlite's primary error code; 0 if the error has none."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def find_damage(db: sqlite3.Connection) -> str:
    """Return the result of sqlite's integrity check; empty if the database is sound."""
    try:
        damage = str(db.execute("PRAGMA integrity_check(1)").fetchone()[0])
    except sqlite3.DatabaseError as error:
        if not is_damaged(error):
            raise
        damage = str(error)
    return "" if damage == "ok" else damage


def _open_current(path: str) -> sqlite3.Connection | None:
    # A missing, old or damaged database is handled while holding the lock.
    with suppress(sqlite3.DatabaseError), _closing_on_error(_connect(path)) as db:
        if read_version(db) == LATEST_VERSION and _in_wal(db):
            return db
        db.close()
    return None


def _prepare(path: str) -> tuple[sqlite3.Connection, str]:
    _create(path)
    try:
        return _open_and_migrate(path), ""
    except sqlite3.DatabaseError as error:
        if not is_damaged(error):
            raise
    return _replace_damaged(path)


def _replace_damaged(path: str) -> tuple[sqlite3.Connection, str]:
    aside = _set_aside(path)
    _create(path)
    problem = f"the store {path!r} was damaged: it was renamed to {aside!r}, and a new one was created"
    return _open_and_migrate(path), problem


def _open_and_migrate(path: str) -> sqlite3.Connection:
    with _closing_on_error(_connect(path)) as db:
        refuse_newer(path, db)
        # Has an effect only before the first table; an older database reuses its free pages instead.
        db.execute("PRAGMA auto_vacuum = INCREMENTAL")
        db.execute("PRAGMA journal_mode = WAL").fetchone()
        migrate(db)
    return db


def refuse_newer(path: str, db: sqlite3.Connection) -> None:
    """Raise `OSError` if a newer release created or migrated the store."""
    number = read_version(db)
    if number > LATEST_VERSION:
        raise OSError(
            f"the store {path!r} has version {number}; this hookline supports up to {LATEST_VERSION}; "
            "upgrade hookline, or move the file away to create a new store; nothing was changed"
        )


def _connect(path: str) -> sqlite3.Connection:
    uri = f"file:{_quote_path(path)}?mode=rw"
    return sqlite3.connect(
        uri, uri=True, timeout=TIMEOUT_SECONDS, isolation_level=None, check_same_thread=False
    )


@contextmanager
def _closing_on_error(db: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    try:
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("PRAGMA secure_delete = ON")  # overwrites changed and deleted data in the pages
        yield db
    except BaseException:
        db.close()
        raise


def _quote_path(path: str) -> str:
    return os.path.abspath(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _in_wal(db: sqlite3.Connection) -> bool:
    return bool(db.execute("PRAGMA journal_mode").fetchone()[0] == "wal")


def _create(path: str) -> None:
    os.makedirs(os.path.dirname(os.path.abspath(path)), mode=0o700, exist_ok=True)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))


def _is_sound(path: str) -> bool:
    try:
        db = _connect(path)
    except sqlite3.DatabaseError as error:
        return not is_damaged(error)
    with closing(db):
        return not find_damage(db)


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
def _lock(path: str) -> Iterator[None]:
    # Not on the database file itself: closing another descriptor of it would release sqlite's own locks.
    os.makedirs(os.path.dirname(os.path.abspath(path)), mode=0o700, exist_ok=True)
    lock = os.open(f"{path}.lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
