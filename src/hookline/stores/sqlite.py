"""The store in one sqlite file: the default, safe for many processes and threads on one machine.

It raises `OSError` where the file cannot be read or written; `problem` says what had to be set aside.
"""

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from hookline.frozen import Frozen, frozen, thawed
from hookline.store import OLDEST_CLAIM, Claim, Query, Record, Store
from hookline.stores._database import broken, healed, opened
from hookline.stores._text import read, written

Answer = TypeVar("Answer")

_TEXTS = ("id", "session", "host", "event", "cwd", "tool", "summary", "action", "reason")
_JSON = ("rules", "warnings", "trail", "counts")
_NUMBERS = ("at", "ms")
_COLUMNS = (*_TEXTS, *_JSON, *_NUMBERS)
_PAGE = 500

_INSERT = (
    f"INSERT INTO records ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))}) "  # noqa: S608 -- our names
    "ON CONFLICT (id) DO NOTHING"
)
_ADD = (
    "INSERT INTO counters (session, name, value) VALUES (?, ?, ?) "
    "ON CONFLICT (session, name) DO UPDATE SET value = value + excluded.value RETURNING value"
)
_SELECT = f"SELECT position, {', '.join(_COLUMNS)} FROM records"  # noqa: S608 -- our names
_CLAUSES = {
    "session": "session = :session",
    "event": "event = :event",
    "action": "action = :action",
    "rule": "EXISTS (SELECT 1 FROM json_each(rules) WHERE value = :rule)",
    "since": "at >= :since",
}


def open_store(place: str) -> Store:
    """The store in the database file at *place*, which is made where it is missing."""
    return SqliteStore(place)


class SqliteStore:
    def __init__(self, path: str) -> None:
        self.path = path
        self.problem = ""
        """What a person should know about the file: empty, or a sentence."""
        self._lock = threading.RLock()
        with self._errors():
            self._db, self.problem = opened(path)

    def record(self, records: Sequence[Record]) -> None:
        self._write(lambda db: _record(db, records))

    def records(self, query: Query) -> Iterator[tuple[int, Record]]:
        where, wanted = _conditions(query)
        wanted["until"] = self._one("SELECT ifnull(max(position), 0) FROM records", wanted)
        if query.last is not None:
            newest = f"SELECT position FROM records WHERE {where} ORDER BY position DESC LIMIT :last"  # noqa: S608
            first = f"SELECT ifnull(min(position) - 1, :until) FROM ({newest})"  # noqa: S608
            wanted["after"] = self._one(first, wanted)
        page = f"{_SELECT} WHERE {where} ORDER BY position LIMIT {_PAGE}"
        # In pages, so that neither the lock nor a snapshot of the database is held while the caller works.
        while rows := self._run(lambda db: db.execute(page, wanted).fetchall()):
            yield from map(_record_from, rows)
            wanted["after"] = rows[-1][0]

    def begin(self, session: str, *, host: str, cwd: str, at: float) -> bool:
        row = (written(session), written(host), written(cwd), at)
        statement = "INSERT INTO sessions (session, host, cwd, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
        return self._write(lambda db: db.execute(statement, row).rowcount == 1)

    def count(self, session: str, name: str, by: int = 1) -> int:
        return self._write(lambda db: _add(db, session, name, by))

    def reset(self, session: str, prefix: str) -> None:
        self._write(lambda db: _reset(db, session, prefix))

    def counters(self, session: str) -> Mapping[str, int]:
        rows = self._named("SELECT name, value FROM counters WHERE session = ? ORDER BY name", session)
        return Frozen({read(name): value for name, value in rows})

    def note(self, session: str, values: Mapping[str, Any]) -> None:
        rows = [(written(session), written(name), _json(value)) for name, value in values.items()]
        statement = (
            "INSERT INTO notes (session, name, value) VALUES (?, ?, ?) "
            "ON CONFLICT (session, name) DO UPDATE SET value = excluded.value"
        )
        self._write(lambda db: db.executemany(statement, rows))

    def notes(self, session: str) -> Mapping[str, Any]:
        rows = self._named("SELECT name, value FROM notes WHERE session = ? ORDER BY name", session)
        return Frozen({read(name): frozen(json.loads(value)) for name, value in rows})

    def keep(self, session: str, texts: Sequence[str]) -> None:
        rows = [(written(session), written(text)) for text in texts]
        self._write(lambda db: db.executemany("INSERT INTO held (session, text) VALUES (?, ?)", rows))

    def take(self, session: str) -> tuple[str, ...]:
        if not self._named("SELECT 1 FROM held WHERE session = ? LIMIT 1", session):
            return ()  # asked at every event, and nearly always so: no need to wait for the writers
        statement = "DELETE FROM held WHERE session = ? RETURNING position, text"
        rows = self._write(lambda db: db.execute(statement, (written(session),)).fetchall())
        return tuple(read(text) for _, text in sorted(rows))

    def claim(self, session: str, name: str, *, by: str, at: float, instead: str = "") -> Claim | None:
        return self._write(lambda db: _claim(db, (written(session), written(name)), by, at, instead))

    def answered(self, session: str, name: str, *, by: str, at: float, said: str = "") -> None:
        row = (at, written(said), written(session), written(name), by)
        statement = "UPDATE claims SET answered = ?, said = ? WHERE session = ? AND name = ? AND owner = ?"
        self._write(lambda db: db.execute(statement, row))

    def release(self, session: str, name: str, *, by: str) -> None:
        row = (written(session), written(name), by)
        statement = "DELETE FROM claims WHERE session = ? AND name = ? AND owner = ?"
        self._write(lambda db: db.execute(statement, row))

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def _one(self, statement: str, wanted: Mapping[str, Any]) -> Any:
        return self._run(lambda db: db.execute(statement, wanted).fetchone()[0])

    def _named(self, statement: str, session: str) -> list[tuple[Any, ...]]:
        return self._run(lambda db: db.execute(statement, (written(session),)).fetchall())

    def _write(self, work: Callable[[sqlite3.Connection], Answer]) -> Answer:
        def whole(db: sqlite3.Connection) -> Answer:
            with _transaction(db):
                return work(db)

        return self._run(whole)

    def _run(self, work: Callable[[sqlite3.Connection], Answer]) -> Answer:
        with self._lock, self._errors():
            try:
                return work(self._db)
            except sqlite3.DatabaseError as error:
                if not broken(error):
                    raise
                self._db.close()
                self._db, problem = healed(self.path)
                self.problem = problem or self.problem
                return work(self._db)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise OSError(f"the store {self.path!r} cannot be used: {error}") from error


@contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _record(db: sqlite3.Connection, records: Sequence[Record]) -> None:
    for record in records:
        if db.execute(_INSERT, _row(record)).rowcount == 1:
            for name, by in record.counts.items():
                _add(db, record.session, name, by)


def _add(db: sqlite3.Connection, session: str, name: str, by: int) -> int:
    rows = db.execute(_ADD, (written(session), written(name), by)).fetchall()
    return int(rows[0][0])


def _reset(db: sqlite3.Connection, session: str, prefix: str) -> None:
    rows = db.execute("SELECT name FROM counters WHERE session = ?", (written(session),)).fetchall()
    gone = [(written(session), name) for (name,) in rows if read(name).startswith(prefix)]
    db.executemany("DELETE FROM counters WHERE session = ? AND name = ?", gone)


def _claim(db: sqlite3.Connection, key: tuple[str, str], by: str, at: float, instead: str) -> Claim | None:
    db.execute("DELETE FROM claims WHERE at < ?", (at - OLDEST_CLAIM,))
    statement = "SELECT owner, at, answered, said FROM claims WHERE session = ? AND name = ?"
    known = db.execute(statement, key).fetchone()
    if known is not None and known[0] != instead:
        return Claim(by=known[0], at=known[1], answered=known[2], said=read(known[3]))
    db.execute("INSERT OR REPLACE INTO claims (session, name, owner, at) VALUES (?, ?, ?, ?)", (*key, by, at))
    return None


def _row(record: Record) -> tuple[Any, ...]:
    texts = (written(getattr(record, name)) for name in _TEXTS)
    # The marks of `written` also go into the rules, because the database itself reads those.
    values = ([written(rule) for rule in record.rules], record.warnings, record.trail, record.counts)
    return (*texts, *map(_json, values), record.at, record.ms)


def _record_from(row: tuple[Any, ...]) -> tuple[int, Record]:
    position, *cells = row
    values = dict(zip(_COLUMNS, cells, strict=True))
    values |= {name: read(values[name]) for name in _TEXTS}
    values |= {name: frozen(json.loads(values[name])) for name in _JSON}
    values["rules"] = tuple(map(read, values["rules"]))
    return position, Record(**values)


def _conditions(query: Query) -> tuple[str, dict[str, Any]]:
    wanted = {name: getattr(query, name) for name in _CLAUSES}
    wanted = {name: value for name, value in wanted.items() if value not in {"", None}}
    where = ["position > :after", "position <= :until", *(_CLAUSES[name] for name in wanted)]
    wanted |= {name: written(value) for name, value in wanted.items() if name != "since"}
    return " AND ".join(where), wanted | {"after": query.after, "last": query.last}


def _json(value: Any) -> str:
    return json.dumps(thawed(value), separators=(",", ":"))
