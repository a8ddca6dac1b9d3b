"""Pool of connections to a PostgreSQL server that may be slow, down or restarted at any time."""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import Conninfo
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from hookline.core.store import StoreFailed
from hookline.lazy import re
from hookline.stores import _postgres_schema as schema
from hookline.stores._sql import Rows, SqlDialect, T, Work

TIMEOUT_SECONDS = 2.0
"""Seconds for a connection and for one statement; short, because a call may be waiting."""
RETRY_AFTER_SECONDS = 5.0
"""Seconds until a server that timed out is tried again."""
MAX_ATTEMPTS = 5
"""Maximum attempts of a transaction that conflicts with others."""
_MAX_CONNECTIONS = 8  # connections
_PINNED_OPTIONS = {
    "host", "hostaddr", "port", "dbname", "user", "password", "passfile", "options", "sslmode", "sslrootcert",
    "sslcert", "sslkey",
}  # fmt: skip
_NAMED_PARAMETER = re.compile(r"(?<!:):([a-z_][a-z_0-9]*)")
_RETRIED_ERRORS = (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure)
_SESSION_SETTINGS = (
    f"SET search_path TO {schema.SCHEMA}, pg_catalog; "
    f"SET statement_timeout TO {int(TIMEOUT_SECONDS * 1000)}; "
    "SET client_min_messages TO warning"
)

# The host reads a hook's stderr, so the pool must not log there; the store reports its errors.
logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())


class _ServerTimeout(psycopg.OperationalError):
    """The server did not respond in time."""


_TIMEOUTS = (PoolTimeout, _ServerTimeout, psycopg.errors.ConnectionTimeout, psycopg.errors.QueryCanceled)


class Server:
    """A database on a server, behind a few connections that all threads share."""

    problem = ""

    def __init__(self, address: str, dialect: SqlDialect) -> None:
        self.dialect = dialect
        self._description = describe_address(address)
        self._retry_at, self._last_error = 0.0, ""
        pinned = _pin_address(address)
        self._prepare(pinned)
        self._pool = ConnectionPool(
            pinned,
            min_size=0,
            max_size=_MAX_CONNECTIONS,
            max_idle=60.0,
            timeout=TIMEOUT_SECONDS,
            reconnect_timeout=TIMEOUT_SECONDS,  # otherwise its pauses between attempts grow without limit
            num_workers=1,
            kwargs={"autocommit": True},
            configure=_configure,
            open=True,
        )

    def read(self, work: Work[T]) -> T:
        with self._translate_errors(), self._connection() as db:
            return work(_Connection(db))

    def write(self, work: Work[T]) -> T:
        with self._translate_errors():
            for _ in range(MAX_ATTEMPTS - 1):
                with suppress(*_RETRIED_ERRORS):
                    return self._write_once(work)
            return self._write_once(work)

    def erase(self) -> None:
        """Do nothing: the server removes deleted data when it vacuums."""

    def shrink(self, within: float) -> None:
        """Do nothing: the server manages its space itself."""

    def check(self) -> str:
        self.read(lambda db: db.execute("SELECT 1 FROM records LIMIT 1", {}).fetchall())
        return ""

    def close(self) -> None:
        self._pool.close(timeout=TIMEOUT_SECONDS)

    def _write_once(self, work: Work[T]) -> T:
        with self._connection() as db, db.transaction():
            return work(_Connection(db))

    @contextmanager
    def _connection(self) -> Iterator[Any]:
        """Yield a live connection; the server may have been restarted since its last use."""
        for _ in range(_MAX_CONNECTIONS + 1):
            db = self._pool.getconn()
            try:
                with _limit_time(db) as timed_out:
                    if _is_alive(db, timed_out):
                        yield db
                        return
            finally:
                self._pool.putconn(db)
        raise psycopg.OperationalError("the server drops every connection")

    def _prepare(self, address: str) -> None:
        """Migrate the database outside the pool, which would hide the cause of an error."""
        with self._translate_errors(), _connect(address) as db, _limit_time(db):
            encoding = db.info.parameter_status("server_encoding")
            if encoding != "UTF8":
                raise StoreFailed(
                    f"{self._description} uses the encoding {encoding}; create a database with UTF8"
                )
            _configure(db)
            if schema.read_version(db) < schema.LATEST_VERSION:
                schema.migrate(db)
            self._refuse_newer(schema.read_version(db))

    def _refuse_newer(self, number: int) -> None:
        if number > schema.LATEST_VERSION:
            raise StoreFailed(
                f"{self._description} has version {number}; this hookline supports "
                f"up to {schema.LATEST_VERSION}; "
                "upgrade hookline, or use another database; nothing was changed"
            )

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        if time.monotonic() < self._retry_at:
            raise StoreFailed(self._last_error)
        try:
            yield
        except PoolClosed as error:
            raise StoreFailed(f"{self._description} cannot be used: it was closed") from error
        except _TIMEOUTS as error:
            # A call runs several statements; not each of them waits for an unreachable server.
            self._retry_at = time.monotonic() + RETRY_AFTER_SECONDS
            text = f"the server timed out after {TIMEOUT_SECONDS:g} seconds; check that it is running"
            self._last_error = f"{self._description} cannot be used: {text}"
            raise StoreFailed(self._last_error) from error
        except (psycopg.Error, OSError) as error:
            raise StoreFailed(f"{self._description} cannot be used: {_to_one_line(error)}") from error


class _Connection:
    """A connection that accepts our statements with `:named` parameters."""

    def __init__(self, db: Any) -> None:
        self._db = db

    def execute(self, statement: str, values: Mapping[str, Any]) -> Rows:
        rows: Rows = self._db.execute(_to_psycopg(statement), values)
        return rows

    def executemany(self, statement: str, rows: Sequence[Mapping[str, Any]]) -> None:
        with self._db.cursor() as cursor:
            cursor.executemany(_to_psycopg(statement), rows)


def describe_address(address: str) -> str:
    """Return a description of the store at *address*, without its password."""
    try:
        options = conninfo_to_dict(address)
    except psycopg.ProgrammingError:  # its message contains the address, so it is not chained either
        options = {}
    if not options:
        raise StoreFailed("invalid store address; expected postgresql://user@host/database")
    place = ":".join(str(options[name]) for name in ("host", "port") if options.get(name))
    return f"the store postgres at {place or 'this machine'!r}, database {options.get('dbname', '')!r},"


@lru_cache(maxsize=200)
def _to_psycopg(statement: str) -> str:
    return _NAMED_PARAMETER.sub(r"%(\1)s", statement.replace("%", "%%"))


def _pin_address(address: str) -> str:
    """Return *address* with defaults pinned: `PGHOST` and the like may come from a repository."""
    defaults = {
        option.keyword.decode(): (option.compiled or b"").decode()
        for option in Conninfo.get_defaults()
        if option.keyword.decode() in _PINNED_OPTIONS
    }
    pinned = defaults if any(name.startswith("PG") for name in os.environ) else {}
    own = {"application_name": "hookline", **conninfo_to_dict(address)}
    return make_conninfo("", **{**pinned, **own, "connect_timeout": str(max(2, int(TIMEOUT_SECONDS)))})


def _connect(address: str) -> psycopg.Connection[Any]:
    """Connect in time: libpq limits neither the search for an address nor the sum of several attempts."""
    result: Future[psycopg.Connection[Any]] = Future()
    threading.Thread(target=_connect_for, args=(result, address), daemon=True).start()
    try:
        return result.result(TIMEOUT_SECONDS + 0.5)
    except TimeoutError:
        result.add_done_callback(_close_late)
        raise _ServerTimeout from None


def _connect_for(result: Future[psycopg.Connection[Any]], address: str) -> None:
    try:
        result.set_result(psycopg.connect(address, autocommit=True))
    except (psycopg.Error, OSError) as error:
        result.set_exception(error)


def _close_late(result: Future[psycopg.Connection[Any]]) -> None:
    if result.exception() is None:
        result.result().close()


def _configure(db: Any) -> None:
    db.execute(_SESSION_SETTINGS)


@contextmanager
def _limit_time(db: Any) -> Iterator[threading.Event]:
    """Disconnect from a server that does not respond in time; the yielded event is set if that happened."""
    timed_out = threading.Event()
    connection = socket.socket(fileno=os.dup(db.pgconn.socket))

    def disconnect() -> None:
        timed_out.set()
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(TIMEOUT_SECONDS + 0.5, disconnect)  # the server's own timeout is shorter
    timer.daemon = True
    timer.start()
    try:
        yield timed_out
    except psycopg.OperationalError as error:
        if timed_out.is_set():
            raise _ServerTimeout from error
        raise
    finally:
        timer.cancel()
        timer.join()  # otherwise it could disconnect the next user of the connection
        connection.close()


def _is_alive(db: Any, timed_out: threading.Event) -> bool:
    try:
        db.execute("SELECT 1")
    except psycopg.OperationalError:
        if timed_out.is_set():
            raise
        return False
    return True


def _to_one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
