"""What outlives a session, in SQL that every database of ours understands: rows in, values out."""

from __future__ import annotations

from typing import Any

from hookline.core.confidence import AGAIN, START, weight
from hookline.core.records import Experiment, Handoff, Signature
from hookline.core.store import Limits
from hookline.stores._sql import Database, Row, Work, as_json, from_json
from hookline.stores._text import read, written

DAY = 86_400.0
BATCH = 500
"""Rows that are deleted in one go: nobody waits long for a writer that tidies up."""
TABLES = ("sessions", "records", "memories", "signatures", "handoffs", "experiments")

_SIGNATURE = "key, project, text, seen, first_seen, last_seen, fix, command, weight"
_HANDOFF = "id, at, session, text, project, details"
_EXPERIMENT = "run, number, at, status, revision, metric, description, details"

_SEE = f"""
INSERT INTO signatures (key, project, text, seen, first_seen, last_seen, fix, command, weight)
VALUES (:key, :project, :text, 1, :at, :at, '', :command, :start)
ON CONFLICT (project, key) DO UPDATE SET seen = signatures.seen + 1, text = excluded.text,
    command = CASE WHEN excluded.command = '' THEN signatures.command ELSE excluded.command END,
    weight = CASE WHEN signatures.weight + :again > :most THEN :most ELSE signatures.weight + :again END,
    first_seen = CASE WHEN signatures.first_seen < :at THEN signatures.first_seen ELSE :at END,
    last_seen = CASE WHEN signatures.last_seen > :at THEN signatures.last_seen ELSE :at END
RETURNING {_SIGNATURE}
"""  # noqa: S608 -- our names
_WEIGH = """
UPDATE signatures SET weight = CASE WHEN weight + :gain > :most THEN :most
    WHEN weight + :gain < 0 THEN 0 ELSE weight + :gain END
WHERE project = :project AND key = :key
"""
_HAND_OVER = f"""
INSERT INTO handoffs ({_HANDOFF}) VALUES (:id, :at, :session, :text, :project, :details)
ON CONFLICT (id) DO NOTHING
"""  # noqa: S608 -- our names
_JOURNAL = f"""
INSERT INTO experiments ({_EXPERIMENT})
VALUES (:run, :number, :at, :status, :revision, :metric, :description, :details)
ON CONFLICT (run, number) DO NOTHING
"""  # noqa: S608 -- our names


def see(db: Database, key: str, project: str, told: tuple[str, str], at: float) -> Signature:
    texts = {name: written(text) for name, text in zip(("text", "command"), told, strict=True)}
    gains = {"start": weight(START, at), "again": weight(AGAIN, at), "most": weight(1.0, at)}
    values = {"key": written(key), "project": written(project), "at": at}
    return _signature(db.execute(_SEE, {**values, **texts, **gains}).fetchall()[0])


def weigh(db: Database, key: str, project: str, gain: float, at: float) -> bool:
    gains = {"gain": weight(gain, at), "most": weight(1.0, at)}
    return db.execute(_WEIGH, {"key": written(key), "project": written(project), **gains}).rowcount == 1


def fix(db: Database, key: str, project: str, text: str) -> bool:
    values = {"key": written(key), "project": written(project), "fix": written(text)}
    statement = "UPDATE signatures SET fix = :fix WHERE project = :project AND key = :key"
    return db.execute(statement, values).rowcount == 1


def signatures(
    db: Database, key: str, project: str | None, limit: int, *, fixed: bool = False
) -> list[Signature]:
    wanted = {"key": key or None, "project": project}
    values = {name: written(value) for name, value in wanted.items() if value is not None}
    statement = _SIGNATURES[tuple(values), fixed]
    return [_signature(row) for row in db.execute(statement, {**values, "limit": limit}).fetchall()]


def _known_by(names: tuple[str, ...], *, fixed: bool) -> str:
    told = [*(f"{name} = :{name}" for name in names), *(["fix <> ''"] if fixed else [])]
    where = f" WHERE {' AND '.join(told)}" if told else ""
    return f"SELECT {_SIGNATURE} FROM signatures{where} ORDER BY last_seen DESC, key DESC LIMIT :limit"  # noqa: S608


_SIGNATURES: dict[tuple[tuple[str, ...], bool], str] = {
    (names, fixed): _known_by(names, fixed=fixed)
    for names in ((), ("key",), ("project",), ("key", "project"))
    for fixed in (False, True)
}


def hand_over(db: Database, handoff: Handoff) -> bool:
    values = {name: written(getattr(handoff, name)) for name in ("id", "session", "text", "project")}
    more = {"at": handoff.at, "details": as_json(handoff.details)}
    return db.execute(_HAND_OVER, {**values, **more}).rowcount == 1


def amend(db: Database, handoff: Handoff) -> bool:
    values = {"id": written(handoff.id), "text": written(handoff.text), "details": as_json(handoff.details)}
    statement = "UPDATE handoffs SET text = :text, details = :details WHERE id = :id"
    return db.execute(statement, values).rowcount == 1


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
        lambda db: _over(db, "memories", "number", "pinned, confidence, coalesce(used, at)", limits.memories),
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


def _signature(row: Row) -> Signature:
    key, project, text, seen, first, last, fix, command, weighed = row
    texts = {"key": read(key), "project": read(project), "text": read(text), "fix": read(fix)}
    return Signature(**texts, command=read(command), seen=seen, first=first, last=last, weight=weighed)


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
