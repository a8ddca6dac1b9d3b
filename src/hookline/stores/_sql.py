"""SQL for sessions and audit records that all supported databases understand; parameters are `:named`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from msgspec import Struct

from hookline.core.frozen import encode_mapping, freeze
from hookline.core.store import (
    Query,
    Record,
    Session,
    SubagentActivity,
    build_subagents,
    merge_sessions,
)
from hookline.lazy import re

_MARK = "\ufdd0"  # a noncharacter: Unicode never assigns it
_REFUSED = re.compile(f"[\x00\ud800-\udfff{_MARK}]")
_ESCAPED = re.compile(f"{_MARK}([0-9a-f]{{4}})")


def encode_text(text: str) -> str:
    if is_storable(text):
        return text
    return _REFUSED.sub(lambda match: f"{_MARK}{ord(match[0]):04x}", text)


def decode_text(text: str) -> str:
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if _MARK in text else text


def is_storable(text: str) -> bool:
    """Return whether a database accepts *text* unchanged; this avoids compiling the pattern."""
    if "\0" in text or _MARK in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


T = TypeVar("T")

Row = tuple["Any", ...]
PAGE_SIZE = 500

_TEXT_COLUMNS = (
    *("id", "session", "host", "event", "cwd", "tool", "summary", "action", "reason"),
    *("subagent", "subagent_type"),
)
_JSON_COLUMNS = ("rules", "warnings", "trail", "counts")
_NUMBER_COLUMNS = ("at", "ms")
_COLUMNS = (*_TEXT_COLUMNS, *_JSON_COLUMNS, *_NUMBER_COLUMNS)


class Rows(Protocol):
    """The result of a statement."""

    @property
    def rowcount(self) -> int: ...

    def fetchall(self) -> Sequence[Row]: ...


class Database(Protocol):
    """A database connection, in a transaction or outside one."""

    def execute(self, statement: str, values: Mapping[str, Any], /) -> Rows: ...

    def executemany(self, statement: str, rows: Sequence[Mapping[str, Any]], /) -> object: ...


Work = Callable[[Database], T]


class SqlDialect(Struct, frozen=True, kw_only=True):
    """SQL and functions that differ between databases."""

    has_rule: str
    """Condition: the JSON list `rules` contains `:rule`."""
    find_text: str
    """Function: the place of a text in another, from 1; 0 if it does not contain it."""
    match_query: str
    """Query of at least `:most` memories that match `:words`, with a `score`; higher is better."""
    format_words: Callable[[Sequence[str], str | None], str]
    """Format words as `:words`, for a project and memories without one; None means all projects."""
    find_best: (
        Callable[[Database, Sequence[str], str | None, int], Sequence[tuple[float, int]] | None] | None
    ) = None
    """Faster search among very many memories: scores and numbers of the best; None if there are few."""
    lock_statement: str = ""
    """Statement that locks before records are appended, so that positions become visible in order."""


INSERT_RECORD = f"""
INSERT INTO records ({", ".join(_COLUMNS)}) VALUES ({", ".join(f":{name}" for name in _COLUMNS)})
ON CONFLICT (id) DO NOTHING
"""
ADD_TO_COUNTER = """
INSERT INTO counters (session, name, value) VALUES (:session, :name, :by)
ON CONFLICT (session, name) DO UPDATE SET value = counters.value + excluded.value
"""
INSERT_SESSION = """
INSERT INTO sessions (session, host, cwd, at, call) VALUES (:session, :host, :cwd, :at, :call)
ON CONFLICT (session) DO NOTHING
"""
FIND_SESSION = "SELECT 1 FROM sessions WHERE session = :session AND call = :call AND call <> ''"
SELECT_NOTES = """
    SELECT name, value FROM notes WHERE session = :session
    UNION ALL SELECT NULL, NULL WHERE EXISTS (SELECT 1 FROM held WHERE session = :session)
"""
"""The notes of a session, and one more row if texts are held back for it."""
WRITE_NOTE = """
INSERT INTO notes (session, name, value) VALUES (:session, :name, :value)
ON CONFLICT (session, name) DO UPDATE SET value = excluded.value
"""


def insert_records(db: Database, records: Sequence[Record], dialect: SqlDialect) -> None:
    if dialect.lock_statement:
        db.execute(dialect.lock_statement, {})
    stored = _find_stored_ids(db, [record.id for record in records])
    new = {record.id: record for record in records if encode_text(record.id) not in stored}
    totals: dict[tuple[str, str], int] = {}
    for record in new.values():
        for name, by in record.counts.items():
            totals[record.session, name] = totals.get((record.session, name), 0) + by
    db.executemany(INSERT_RECORD, [_record_to_row(record) for record in new.values()])
    # Each counter once and in a fixed order, so that concurrent writers cannot deadlock.
    sorted_totals = sorted(totals.items())
    db.executemany(
        ADD_TO_COUNTER,
        [
            {"session": encode_text(record), "name": encode_text(name), "by": by}
            for (record, name), by in sorted_totals
        ],
    )


def _find_stored_ids(db: Database, ids: Sequence[str]) -> set[str]:
    """Return the ids that are stored already; no other transaction can add any until this one ends."""
    stored = set[str]()
    for start in range(0, len(ids), PAGE_SIZE):
        values = {
            f"id{index}": encode_text(record_id)
            for index, record_id in enumerate(ids[start : start + PAGE_SIZE])
        }
        statement = f"SELECT id FROM records WHERE id IN ({', '.join(f':{name}' for name in values)})"
        stored.update(record_id for (record_id,) in db.execute(statement, values).fetchall())
    return stored


def add_to_counter(db: Database, session: str, name: str, by: int) -> int:
    values = {"session": encode_text(session), "name": encode_text(name), "by": by}
    return int(db.execute(f"{ADD_TO_COUNTER} RETURNING value", values).fetchall()[0][0])


def reset_counters(db: Database, session: str, prefix: str) -> None:
    values = {"session": encode_text(session)}
    for (name,) in db.execute("SELECT name FROM counters WHERE session = :session", values).fetchall():
        if decode_text(name).startswith(prefix):
            statement = "DELETE FROM counters WHERE session = :session AND name = :name"
            db.execute(statement, values | {"name": name})


def build_conditions(query: Query, dialect: SqlDialect) -> tuple[str, dict[str, Any]]:
    clauses = _CLAUSES | {"rule": dialect.has_rule, "text": _TEXT_CLAUSE.replace("find", dialect.find_text)}
    terms = {name: getattr(query, name) for name in clauses}
    terms = {name: value for name, value in terms.items() if value not in {"", None, False}}
    where = ["position > :after", "position <= :until", *(clauses[name] for name in terms)]
    values = {name: _ENCODERS.get(name, encode_text)(value) for name, value in terms.items()}
    values.pop("decided", None)
    return " AND ".join(where), values | {"after": query.after, "last": query.last}


_CLAUSES = {
    "session": "session = :session",
    "host": "host = :host",
    "event": "event = :event",
    "action": "action = :action",
    "decided": "(action <> 'pass' OR warnings <> '[]')",
    "hook": "replace(rules, :hook, '') <> rules",
    "folder": "substr(cwd || '/', 1, length(:folder)) = :folder",
    "since": "at >= :since",
    "before": "position < :before",
}
"""Conditions of a query; that of `decided` is also the condition of an index."""
_TEXT_CLAUSE = "(find(lower(summary), lower(:text)) > 0 OR find(lower(reason), lower(:text)) > 0)"
_ENCODERS: Mapping[str, Callable[[Any], Any]] = {
    "since": float,
    "before": int,
    "decided": bool,
    "hook": lambda name: f'"{encode_text(name)}:',
    "folder": lambda path: f"{encode_text(path.rstrip('/'))}/",
}


def newest_query(where: str) -> str:
    """Return the query of the position before the newest `:last` records."""
    positions = f"SELECT position FROM records WHERE {where} ORDER BY position DESC LIMIT :last"
    return f"SELECT coalesce(min(position) - 1, :until) FROM ({positions}) AS newest"


def page_query(where: str) -> str:
    columns = ", ".join(_COLUMNS)
    return f"SELECT position, {columns} FROM records WHERE {where} ORDER BY position LIMIT {PAGE_SIZE}"


SESSIONS_SINCE = """
SELECT session, host, cwd, at FROM sessions
WHERE at >= :since OR session IN (SELECT session FROM records WHERE at >= :since)
"""
_SESSION_GROUP = "session || ''"
"""An expression, because sqlite would scan all records by session instead of the recent ones."""
_RECENT = "at >= :since AND session <> ''"
_SELECT_RECORDS = f"SELECT position, {', '.join(_COLUMNS)} FROM records"
LAST_SINCE, DECIDED_SINCE = (
    f"{_SELECT_RECORDS} WHERE position IN "
    f"(SELECT max(position) FROM records WHERE {which} GROUP BY {_SESSION_GROUP})"
    for which in (_RECENT, f"{_RECENT} AND action <> 'pass'")
)
"""The newest record of each session, and the newest whose action is not `pass`."""


def read_sessions(db: Database, since: float) -> Sequence[Session]:
    values = {"since": since}
    started = [session_from(row) for row in db.execute(SESSIONS_SINCE, values).fetchall()]
    last, decided = (
        [record_from(row)[1] for row in db.execute(statement, values).fetchall()]
        for statement in (LAST_SINCE, DECIDED_SINCE)
    )
    return merge_sessions(started, last, decided)


LIST_SUBAGENTS = """
SELECT min(position), max(position) FROM records WHERE session = :session AND subagent <> ''
GROUP BY subagent ORDER BY max(position) DESC LIMIT :limit
"""


def read_subagents(db: Database, session: str, limit: int) -> Sequence[SubagentActivity]:
    ends = db.execute(LIST_SUBAGENTS, {"session": encode_text(session), "limit": limit}).fetchall()
    positions = ", ".join(str(position) for pair in ends for position in pair)
    rows = db.execute(f"{_SELECT_RECORDS} WHERE position IN ({positions})", {}).fetchall() if ends else ()
    records = dict(map(record_from, rows))
    return build_subagents((records[first], records[last]) for first, last in ends)


SELECT_SESSION_NOTES = """
SELECT s.session, s.host, s.cwd, s.at, n.value FROM sessions s
JOIN notes n ON n.session = s.session AND n.name = :name WHERE s.at >= :since ORDER BY s.at, s.session
"""
SELECT_SESSION_COUNTERS = """
SELECT s.session, s.host, s.cwd, s.at, c.name, c.value FROM sessions s
JOIN counters c ON c.session = s.session AND substr(c.name, 1, length(:prefix)) = :prefix
WHERE s.at >= :since ORDER BY s.at, s.session, c.name
"""
SELECT_DURATIONS = "SELECT host, ms FROM records ORDER BY position DESC LIMIT :last"


def session_from(row: Row) -> Session:
    name, host, cwd, at, *_ = row
    return Session(id=decode_text(name), host=decode_text(host), cwd=decode_text(cwd), began=at)


def record_from(row: Row) -> tuple[int, Record]:
    position, *cells = row
    values = dict(zip(_COLUMNS, cells, strict=True))
    values |= {name: decode_text(values[name]) for name in _TEXT_COLUMNS}
    values |= {name: freeze(json.loads(values[name])) for name in _JSON_COLUMNS}
    values["rules"] = tuple(map(decode_text, values["rules"]))
    return position, Record(**values)


def _record_to_row(record: Record) -> dict[str, Any]:
    values: dict[str, Any] = {name: getattr(record, name) for name in _TEXT_COLUMNS}
    if not is_storable("".join(values.values())):
        values = {name: encode_text(text) for name, text in values.items()}
    # The rules are escaped one by one, because the database itself searches them.
    values["rules"] = to_json([encode_text(rule) for rule in record.rules]) if record.rules else "[]"
    values["warnings"] = to_json(record.warnings) if record.warnings else "[]"
    values["trail"], values["counts"] = to_json(record.trail), to_json(record.counts)
    values["at"], values["ms"] = record.at, record.ms
    return values


def to_json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), default=encode_mapping)


def from_json(text: str) -> Any:
    return freeze(json.loads(text))
