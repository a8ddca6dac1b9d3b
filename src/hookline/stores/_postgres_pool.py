"""Connections to a PostgreSQL server that may be slow, down, or started anew at any moment."""

from __future__ import annotations

import logging
import os
import re
import socket
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import Conninfo
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from hookline.core.store import StoreFailed
from hookline.stores import _postgres_schema as schema
from hookline.stores._sql import Answer, Dialect, Rows, Work

PATIENCE = 2.0
"""Seconds for a connection, and for one thing that is said: an answer may be waiting."""
REST = 5.0
"""Seconds for which a server that did not answer is left alone."""
TRIES = 5
"""How often something is done that others were in the way of."""
_MOST = 8  # connections
_STEERING = {
    "host", "hostaddr", "port", "dbname", "user", "password", "passfile", "options", "sslmode", "sslrootcert",
    "sslcert", "sslkey",
}  # fmt: skip
_NAMED = re.compile(r"(?<!:):([a-z_][a-z_0-9]*)")
_AGAIN = (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure)
_SETTINGS = (
    f"SET search_path TO {schema.SCHEMA}, pg_catalog; SET statement_timeout TO {int(PATIENCE * 1000)}; "
    "SET client_min_messages TO warning"
)

# A hook's stderr is read by its host: what the pool would say there is said by the store.
logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())


class _Silent(psycopg.OperationalError):
    """The server did not answer in time."""


class Server:
    """A database on a server, behind a few connections that are shared by all threads."""

    problem = ""

    def __init__(self, address: str, dialect: Dialect) -> None:
        self.dialect = dialect
        self._where = told(address)
        self._resting, self._trouble = 0.0, ""
        where = _pinned(address)
        self._prepare(where)
        self._pool = ConnectionPool(
            where,
            min_size=0,
            max_size=_MOST,
            max_idle=60.0,
            timeout=PATIENCE,
            reconnect_timeout=PATIENCE,  # or it would wait ever longer before it tries again
            num_workers=1,
            kwargs={"autocommit": True},
            configure=_configure,
            open=True,
        )

    def read(self, work: Work[Answer]) -> Answer:
        with self._errors(), self._connection() as db:
            return work(_Said(db))

    def write(self, work: Work[Answer]) -> Answer:
        with self._errors():
            for _ in range(TRIES - 1):
                with suppress(*_AGAIN):
                    return self._written(work)
            return self._written(work)

    def erase(self) -> None:
        """The server sees to that by itself, when it vacuums."""

    def shrink(self, within: float) -> None:
        """The server sees to that by itself."""

    def check(self) -> str:
        self.read(lambda db: db.execute("SELECT 1 FROM records LIMIT 1", {}).fetchall())
        return ""

    def close(self) -> None:
        self._pool.close(timeout=PATIENCE)

    def _written(self, work: Work[Answer]) -> Answer:
        with self._connection() as db, db.transaction():
            return work(_Said(db))

    @contextmanager
    def _connection(self) -> Iterator[Any]:
        """A connection that is alive: the server may have been started anew since the last time."""
        for _ in range(_MOST + 1):
            db = self._pool.getconn()
            try:
                with _limit(db) as late:
                    if _alive(db, late):
                        yield db
                        return
            finally:
                self._pool.putconn(db)
        raise psycopg.OperationalError("the server drops every connection")

    def _prepare(self, where: str) -> None:
        """Here, and not in the pool, because here it is known what is wrong."""
        with self._errors(), psycopg.connect(where, autocommit=True) as db, _limit(db):
            encoding = db.info.parameter_status("server_encoding")
            if encoding != "UTF8":
                raise StoreFailed(f"{self._where} keeps texts as {encoding}; make a database with UTF8")
            _configure(db)
            if schema.version(db) < schema.KNOWN:
                schema.migrate(db)
            self._refuse_newer(schema.version(db))

    def _refuse_newer(self, found: int) -> None:
        if found > schema.KNOWN:
            raise StoreFailed(
                f"{self._where} has version {found}, this hookline knows versions up to {schema.KNOWN}; "
                "upgrade hookline, or use another database; nothing was changed"
            )

    @contextmanager
    def _errors(self) -> Iterator[None]:
        if time.monotonic() < self._resting:
            raise StoreFailed(self._trouble)
        try:
            yield
        except PoolClosed as error:
            raise StoreFailed(f"{self._where} cannot be used: it was closed") from error
        except (PoolTimeout, _Silent) as error:
            # An answer asks for several things: not each of them waits for a server that is not there.
            self._resting = time.monotonic() + REST
            text = f"the server does not answer within {PATIENCE:g} seconds; see whether it is up"
            self._trouble = f"{self._where} cannot be used: {text}"
            raise StoreFailed(self._trouble) from error
        except (psycopg.Error, OSError) as error:
            raise StoreFailed(f"{self._where} cannot be used: {_one_line(error)}") from error


class _Said:
    """A connection to which our statements are said, with values `:so` as psycopg wants them."""

    def __init__(self, db: Any) -> None:
        self._db = db

    def execute(self, statement: str, values: Mapping[str, Any]) -> Rows:
        rows: Rows = self._db.execute(_in_psycopg(statement), values)
        return rows

    def executemany(self, statement: str, rows: Sequence[Mapping[str, Any]]) -> None:
        with self._db.cursor() as cursor:
            cursor.executemany(_in_psycopg(statement), rows)


def told(address: str) -> str:
    """The store at *address*, without its password."""
    try:
        given = conninfo_to_dict(address)
    except psycopg.ProgrammingError:  # its text has all of the address in it, and so has a chained one
        given = {}
    if not given:
        raise StoreFailed("the store's address cannot be read; write it postgresql://user@host/database")
    place = ":".join(str(given[name]) for name in ("host", "port") if given.get(name))
    return f"the store postgres at {place or 'this machine'!r}, database {given.get('dbname', '')!r},"


@lru_cache(maxsize=200)
def _in_psycopg(statement: str) -> str:
    return _NAMED.sub(r"%(\1)s", statement.replace("%", "%%"))


def _pinned(address: str) -> str:
    """The *address*, whatever `PGHOST` and the like say: those may come from a repository."""
    usual = {
        option.keyword.decode(): (option.compiled or b"").decode()
        for option in Conninfo.get_defaults()
        if option.keyword.decode() in _STEERING
    }
    loose = usual if any(name.startswith("PG") for name in os.environ) else {}
    limits = {"connect_timeout": str(int(PATIENCE)), "application_name": "hookline"}
    return make_conninfo("", **{**loose, **limits, **conninfo_to_dict(address)})


def _configure(db: Any) -> None:
    db.execute(_SETTINGS)


@contextmanager
def _limit(db: Any) -> Iterator[threading.Event]:
    """Hang up on a server that does not answer; whether that was done."""
    late = threading.Event()
    line = socket.socket(fileno=os.dup(db.pgconn.socket))

    def hang_up() -> None:
        late.set()
        with suppress(OSError):
            line.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(PATIENCE + 0.5, hang_up)  # the server's own limit comes first
    timer.daemon = True
    timer.start()
    try:
        yield late
    except psycopg.OperationalError as error:
        if late.is_set():
            raise _Silent from error
        raise
    finally:
        timer.cancel()
        timer.join()  # or it would hang up on whoever has the connection next
        line.close()


def _alive(db: Any, late: threading.Event) -> bool:
    try:
        db.execute("SELECT 1")
    except psycopg.OperationalError:
        if late.is_set():
            raise
        return False
    return True


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
