"""Sessions and the audit trail in SQL that every database of ours understands; values are named `:so`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from msgspec import Struct

from hookline.core.frozen import frozen, plain
from hookline.core.store import Query, Record, Session, heard
from hookline.stores._text import read, taken, written

Answer = TypeVar("Answer")

Row = tuple["Any", ...]
PAGE = 500

_TEXTS = ("id", "session", "host", "event", "cwd", "tool", "summary", "action", "reason")
_JSON = ("rules", "warnings", "trail", "counts")
_NUMBERS = ("at", "ms")
_COLUMNS = (*_TEXTS, *_JSON, *_NUMBERS)


class Rows(Protocol):
    """What a statement came to."""

    @property
    def rowcount(self) -> int: ...

    def fetchall(self) -> Sequence[Row]: ...


class Database(Protocol):
    """A connection, inside of a transaction or outside of one."""

    def execute(self, statement: str, values: Mapping[str, Any], /) -> Rows: ...

    def executemany(self, statement: str, rows: Sequence[Mapping[str, Any]], /) -> object: ...


Work = Callable[[Database], Answer]


class Dialect(Struct, frozen=True, kw_only=True):
    """What databases say differently."""

    has_rule: str
    """Whether the JSON list in `rules` has `:rule`."""
    found: str
    """From the memories that match `:words`, with their `score`: the more, the better; at least `:most`."""
    matching: Callable[[Sequence[str], str | None], str]
    """Any of these words, of a project and of none, as `:words` wants them; None: of all of them."""
    best: Callable[[Database, Sequence[str], str | None, int], Sequence[tuple[float, int]] | None] | None = (
        None
    )
    """A quicker way where there are very many: scores and numbers of the best, None where there are not."""
    alone: str = ""
    """Said before records are appended, so that positions come to light in their order."""


INSERT = f"""
INSERT INTO records ({", ".join(_COLUMNS)}) VALUES ({", ".join(f":{name}" for name in _COLUMNS)})
ON CONFLICT (id) DO NOTHING
"""  # noqa: S608 -- our names
ADD = """
INSERT INTO counters (session, name, value) VALUES (:session, :name, :by)
ON CONFLICT (session, name) DO UPDATE SET value = counters.value + excluded.value
"""
BEGIN = """
INSERT INTO sessions (session, host, cwd, at, call) VALUES (:session, :host, :cwd, :at, :call)
ON CONFLICT (session) DO NOTHING
"""
BEGUN = "SELECT 1 FROM sessions WHERE session = :session AND call = :call AND call <> ''"
LOOK = """
    SELECT name, value FROM notes WHERE session = :session
    UNION ALL SELECT NULL, NULL WHERE EXISTS (SELECT 1 FROM held WHERE session = :session)
"""
"""What was noted, and one row more where something is held back."""
NOTE = """
INSERT INTO notes (session, name, value) VALUES (:session, :name, :value)
ON CONFLICT (session, name) DO UPDATE SET value = excluded.value
"""


def insert(db: Database, records: Sequence[Record], dialect: Dialect) -> None:
    if dialect.alone:
        db.execute(dialect.alone, {})
    there = _there(db, [one.id for one in records])
    new = {one.id: one for one in records if written(one.id) not in there}
    counted: dict[tuple[str, str], int] = {}
    for one in new.values():
        for name, by in one.counts.items():
            counted[one.session, name] = counted.get((one.session, name), 0) + by
    db.executemany(INSERT, [_row(one) for one in new.values()])
    # Each once, and in an order in which nobody waits for another.
    added = sorted(counted.items())
    db.executemany(
        ADD, [{"session": written(one), "name": written(name), "by": by} for (one, name), by in added]
    )


def _there(db: Database, ids: Sequence[str]) -> set[str]:
    """Which of these are stored; nobody else adds any in the transaction in which that is asked."""
    found = set[str]()
    for start in range(0, len(ids), PAGE):
        asked = {f"id{place}": written(one) for place, one in enumerate(ids[start : start + PAGE])}
        wanted = f"SELECT id FROM records WHERE id IN ({', '.join(f':{name}' for name in asked)})"  # noqa: S608 -- our names
        found.update(one for (one,) in db.execute(wanted, asked).fetchall())
    return found


def count(db: Database, session: str, name: str, by: int) -> int:
    values = {"session": written(session), "name": written(name), "by": by}
    return int(db.execute(f"{ADD} RETURNING value", values).fetchall()[0][0])


def reset(db: Database, session: str, prefix: str) -> None:
    values = {"session": written(session)}
    for (name,) in db.execute("SELECT name FROM counters WHERE session = :session", values).fetchall():
        if read(name).startswith(prefix):
            gone = "DELETE FROM counters WHERE session = :session AND name = :name"
            db.execute(gone, values | {"name": name})


def conditions(query: Query, dialect: Dialect) -> tuple[str, dict[str, Any]]:
    clauses = {
        "session": "session = :session",
        "event": "event = :event",
        "action": "action = :action",
        "rule": dialect.has_rule,
        "since": "at >= :since",
    }
    wanted = {name: getattr(query, name) for name in clauses}
    wanted = {name: value for name, value in wanted.items() if value not in {"", None}}
    where = ["position > :after", "position <= :until", *(clauses[name] for name in wanted)]
    wanted |= {name: written(value) for name, value in wanted.items() if name != "since"}
    return " AND ".join(where), wanted | {"after": query.after, "last": query.last}


def newest(where: str) -> str:
    """The position in front of the newest `:last` records."""
    found = f"SELECT position FROM records WHERE {where} ORDER BY position DESC LIMIT :last"  # noqa: S608
    return f"SELECT coalesce(min(position) - 1, :until) FROM ({found}) AS newest"  # noqa: S608 -- our own words


def page(where: str) -> str:
    columns = ", ".join(_COLUMNS)
    return f"SELECT position, {columns} FROM records WHERE {where} ORDER BY position LIMIT {PAGE}"  # noqa: S608


KNOWN_SINCE = """
SELECT session, host, cwd, at FROM sessions
WHERE at >= :since OR session IN (SELECT session FROM records WHERE at >= :since)
"""
_BY_AGE = "session || ''"
"""Not by the name alone: sqlite would go through all records by session, not through the young ones."""
_OF_SESSIONS = "at >= :since AND session <> ''"
_COLUMNS_OF = f"SELECT position, {', '.join(_COLUMNS)} FROM records"  # noqa: S608 -- our names
LAST_SINCE, DECIDED_SINCE = (
    f"{_COLUMNS_OF} WHERE position IN (SELECT max(position) FROM records WHERE {which} GROUP BY {_BY_AGE})"  # noqa: S608 -- ditto
    for which in (_OF_SESSIONS, f"{_OF_SESSIONS} AND action <> 'pass'")
)
"""The newest record of each session, and the newest that did not just pass."""


def sessions(db: Database, since: float) -> Sequence[Session]:
    wanted = {"since": since}
    known = [
        Session(id=read(name), host=read(host), cwd=read(cwd), began=at)
        for name, host, cwd, at in db.execute(KNOWN_SINCE, wanted).fetchall()
    ]
    last, decided = (
        [record_from(row)[1] for row in db.execute(statement, wanted).fetchall()]
        for statement in (LAST_SINCE, DECIDED_SINCE)
    )
    return heard(known, last, decided)


def record_from(row: Row) -> tuple[int, Record]:
    position, *cells = row
    values = dict(zip(_COLUMNS, cells, strict=True))
    values |= {name: read(values[name]) for name in _TEXTS}
    values |= {name: frozen(json.loads(values[name])) for name in _JSON}
    values["rules"] = tuple(map(read, values["rules"]))
    return position, Record(**values)


def _row(one: Record) -> dict[str, Any]:
    values: dict[str, Any] = {name: getattr(one, name) for name in _TEXTS}
    if not taken("".join(values.values())):
        values = {name: written(text) for name, text in values.items()}
    # The marks of `written` also go into the rules, because the database itself reads those.
    values["rules"] = as_json([written(rule) for rule in one.rules]) if one.rules else "[]"
    values["warnings"] = as_json(one.warnings) if one.warnings else "[]"
    values["trail"], values["counts"] = as_json(one.trail), as_json(one.counts)
    values["at"], values["ms"] = one.at, one.ms
    return values


def as_json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), default=plain)


def from_json(text: str) -> Any:
    return frozen(json.loads(text))
