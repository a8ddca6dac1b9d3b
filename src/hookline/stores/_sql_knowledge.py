"""What outlives a session, in SQL that every database of ours understands: rows in, values out."""

from __future__ import annotations

from hookline.knowledge import Experiment, Handoff, Memory, Signature, words, words_of
from hookline.stores._sql import Database, Dialect, Row, as_json, from_json
from hookline.stores._text import read, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hookline.store import Limits
    from hookline.stores._sql import Work

DAY = 86_400.0
BATCH = 500
"""Rows that are deleted in one go: nobody waits long for a writer that tidies up."""
TABLES = ("sessions", "records", "memories", "signatures", "handoffs", "experiments")

_MEMORY = "id, at, text, kind, tags, project, importance, used, uses"
_SIGNATURE = "key, project, text, seen, first_seen, last_seen, fix"
_HANDOFF = "id, at, session, text, project, details"
_EXPERIMENT = "run, number, at, status, revision, metric, description, details"

_REMEMBER = """
INSERT INTO memories (id, at, text, kind, tags, project, importance, used, uses, words)
VALUES (:id, :at, :text, :kind, :tags, :project, :importance, :used, :uses, :words)
ON CONFLICT (id) DO UPDATE SET at = excluded.at, text = excluded.text, kind = excluded.kind,
    tags = excluded.tags, project = excluded.project, importance = excluded.importance, words = excluded.words
"""
_SEE = f"""
INSERT INTO signatures (key, project, text, seen, first_seen, last_seen, fix)
VALUES (:key, :project, :text, 1, :at, :at, '')
ON CONFLICT (project, key) DO UPDATE SET seen = signatures.seen + 1, text = excluded.text,
    first_seen = CASE WHEN signatures.first_seen < :at THEN signatures.first_seen ELSE :at END,
    last_seen = CASE WHEN signatures.last_seen > :at THEN signatures.last_seen ELSE :at END
RETURNING {_SIGNATURE}
"""  # noqa: S608 -- our names
_HAND_OVER = f"""
INSERT INTO handoffs ({_HANDOFF}) VALUES (:id, :at, :session, :text, :project, :details)
ON CONFLICT (id) DO NOTHING
"""  # noqa: S608 -- our names
_JOURNAL = f"""
INSERT INTO experiments ({_EXPERIMENT})
VALUES (:run, :number, :at, :status, :revision, :metric, :description, :details)
ON CONFLICT (run, number) DO NOTHING
"""  # noqa: S608 -- our names


def remember(db: Database, memory: Memory) -> None:
    texts = {name: written(getattr(memory, name)) for name in ("id", "text", "kind", "project")}
    tags, found_by = as_json(memory.tags), " ".join(words_of(memory))
    numbers = {name: getattr(memory, name) for name in ("at", "importance", "used", "uses")}
    db.execute(_REMEMBER, {**texts, **numbers, "tags": tags, "words": found_by})


def recall(db: Database, text: str, project: str | None, limit: int, dialect: Dialect) -> list[Memory]:
    wanted = words(text)
    near = "" if project is None else "(project = :project OR project = '')"
    values = {"project": written(project or ""), "limit": limit}
    if wanted:
        values["words"] = dialect.matching(wanted)
        # Rank first, read afterwards: of a hundred thousand that match, only those on top are looked at.
        found = f"SELECT {_MEMORY} FROM ({dialect.found}) AS found {'WHERE ' + near if near else ''}"  # noqa: S608
        order = "score * (1 + importance) DESC, importance DESC, at DESC"
    else:
        found = f"SELECT {_MEMORY} FROM memories {'WHERE ' + near if near else ''}"  # noqa: S608 -- our names
        order = "importance DESC, at DESC"
    rows = db.execute(f"{found} ORDER BY {order} LIMIT :limit", values).fetchall()
    return [_memory(row) for row in rows]


def use(db: Database, ids: Sequence[str], at: float) -> None:
    for one in sorted(set(ids)):
        values = {"id": written(one), "at": at}
        db.execute("UPDATE memories SET used = :at, uses = uses + 1 WHERE id = :id", values)


def forget(db: Database, name: str) -> bool:
    return db.execute("DELETE FROM memories WHERE id = :id", {"id": written(name)}).rowcount == 1


def see(db: Database, key: str, project: str, text: str, at: float) -> Signature:
    values = {"key": written(key), "project": written(project), "text": written(text), "at": at}
    return _signature(db.execute(_SEE, values).fetchall()[0])


def fix(db: Database, key: str, project: str, text: str) -> bool:
    values = {"key": written(key), "project": written(project), "fix": written(text)}
    statement = "UPDATE signatures SET fix = :fix WHERE project = :project AND key = :key"
    return db.execute(statement, values).rowcount == 1


def signatures(db: Database, key: str, project: str | None, limit: int) -> list[Signature]:
    where, values = _near({"key": key or None, "project": project})
    statement = f"SELECT {_SIGNATURE} FROM signatures{where} ORDER BY last_seen DESC, key DESC LIMIT :limit"  # noqa: S608
    return [_signature(row) for row in db.execute(statement, values | {"limit": limit}).fetchall()]


def hand_over(db: Database, handoff: Handoff) -> bool:
    values = {name: written(getattr(handoff, name)) for name in ("id", "session", "text", "project")}
    more = {"at": handoff.at, "details": as_json(handoff.details)}
    return db.execute(_HAND_OVER, {**values, **more}).rowcount == 1


def handoffs(db: Database, project: str | None, session: str, limit: int) -> list[Handoff]:
    where, values = _near({"project": project, "session": session or None})
    statement = f"SELECT {_HANDOFF} FROM handoffs{where} ORDER BY at DESC, position DESC LIMIT :limit"  # noqa: S608
    return [_handoff(row) for row in db.execute(statement, values | {"limit": limit}).fetchall()]


def journal(db: Database, one: Experiment) -> bool:
    texts = {name: written(getattr(one, name)) for name in ("run", "status", "description")}
    numbers = {"number": one.number, "at": one.at, "metric": one.metric}
    more = {"revision": written(one.commit), "details": as_json(one.details)}
    return db.execute(_JOURNAL, {**texts, **numbers, **more}).rowcount == 1


def experiments(db: Database, run: str, after: int | None) -> list[Experiment]:
    behind = "" if after is None else " AND number > :after"
    statement = f"SELECT {_EXPERIMENT} FROM experiments WHERE run = :run{behind} ORDER BY number"  # noqa: S608
    return [
        _experiment(row) for row in db.execute(statement, {"run": written(run), "after": after}).fetchall()
    ]


def totals(db: Database) -> dict[str, int]:
    return {name: _total(db, name) for name in TABLES}


def doomed(limits: Limits, at: float) -> list[Work[int]]:
    """What deletes all that is over the limits: each forgets a batch, to be done again while it found one."""
    oldest = at - limits.days * DAY
    return [
        lambda db: _old_records(db, oldest),
        lambda db: _over(db, "records", "position", "position", limits.records),
        lambda db: _old_sessions(db, oldest),
        lambda db: _over(db, "memories", "number", "importance, coalesce(used, at)", limits.memories),
        lambda db: _over(db, "signatures", "number", "last_seen", limits.signatures),
        lambda db: _over(db, "handoffs", "position", "at, position", limits.handoffs),
    ]


def _old_records(db: Database, oldest: float) -> int:
    old = "SELECT position FROM records WHERE at < :oldest ORDER BY at LIMIT :batch"
    gone = f"DELETE FROM records WHERE position IN ({old})"  # noqa: S608 -- our own words
    return db.execute(gone, {"oldest": oldest, "batch": BATCH}).rowcount


def _over(db: Database, table: str, key: str, worth: str, most: int) -> int:
    batch = min(_total(db, table) - most, BATCH)
    if batch <= 0:
        return 0
    least = f"SELECT {key} FROM {table} ORDER BY {worth} LIMIT :batch"  # noqa: S608 -- our names
    return db.execute(f"DELETE FROM {table} WHERE {key} IN ({least})", {"batch": batch}).rowcount  # noqa: S608


def _old_sessions(db: Database, oldest: float) -> int:
    alive = "EXISTS (SELECT 1 FROM records WHERE records.session = sessions.session)"
    old = f"SELECT session FROM sessions WHERE at < :oldest AND NOT {alive} LIMIT :batch"  # noqa: S608
    rows = db.execute(old, {"oldest": oldest, "batch": BATCH}).fetchall()
    for (session,) in rows:
        for table in ("counters", "notes", "held", "sessions"):
            db.execute(f"DELETE FROM {table} WHERE session = :session", {"session": session})  # noqa: S608
    return len(rows)


def _total(db: Database, table: str) -> int:
    return int(db.execute(f"SELECT count(*) FROM {table}", {}).fetchall()[0][0])  # noqa: S608 -- our names


def _near(wanted: dict[str, str | None]) -> tuple[str, dict[str, Any]]:
    values = {name: written(value) for name, value in wanted.items() if value is not None}
    where = " AND ".join(f"{name} = :{name}" for name in values)
    return (f" WHERE {where}" if where else ""), {**values}


def _memory(row: Row) -> Memory:
    name, at, text, kind, tags, project, importance, used, uses = row
    return Memory(
        id=read(name),
        at=at,
        text=read(text),
        kind=read(kind),
        tags=from_json(tags),
        project=read(project),
        importance=importance,
        used=used,
        uses=uses,
    )


def _signature(row: Row) -> Signature:
    key, project, text, seen, first, last, fix = row
    texts = {"key": read(key), "project": read(project), "text": read(text), "fix": read(fix)}
    return Signature(**texts, seen=seen, first=first, last=last)


def _handoff(row: Row) -> Handoff:
    name, at, session, text, project, details = row
    texts = {"id": read(name), "session": read(session), "text": read(text), "project": read(project)}
    return Handoff(**texts, at=at, details=from_json(details))


def _experiment(row: Row) -> Experiment:
    run, number, at, status, revision, metric, description, details = row
    return Experiment(
        run=read(run),
        number=number,
        at=at,
        status=read(status),
        commit=read(revision),
        metric=metric,
        description=read(description),
        details=from_json(details),
    )
