"""SQL for signatures, handoffs and experiments, and for pruning, that all supported databases understand."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

from hookline.core.confidence import INITIAL, SEEN_AGAIN, gain_to_weight
from hookline.core.records import Experiment, Handoff, KnownError
from hookline.core.store import DAY_SECONDS, Limits
from hookline.stores._sql import Database, Row, Work, decode_text, encode_text, from_json, to_json

BATCH_ROWS = 500
"""Rows that one transaction deletes at most, so that other writers do not wait long."""
TABLES = ("sessions", "records", "memories", "signatures", "handoffs", "experiments")

_SIGNATURE_COLUMNS = "key, project, text, seen, first_seen, last_seen, fix, command, weight"
_HANDOFF_COLUMNS = "id, at, session, text, project, details"
_EXPERIMENT_COLUMNS = "run, number, at, status, revision, metric, description, details"

_COUNT_SIGNATURE = f"""
INSERT INTO signatures (key, project, text, seen, first_seen, last_seen, fix, command, weight)
VALUES (:key, :project, :text, 1, :at, :at, '', :command, :start)
ON CONFLICT (project, key) DO UPDATE SET seen = signatures.seen + 1, text = excluded.text,
    command = CASE WHEN excluded.command = '' THEN signatures.command ELSE excluded.command END,
    weight = CASE WHEN signatures.weight + :again > :most THEN :most ELSE signatures.weight + :again END,
    first_seen = CASE WHEN signatures.first_seen < :at THEN signatures.first_seen ELSE :at END,
    last_seen = CASE WHEN signatures.last_seen > :at THEN signatures.last_seen ELSE :at END
RETURNING {_SIGNATURE_COLUMNS}
"""
_ADD_WEIGHT = """
UPDATE signatures SET weight = CASE WHEN weight + :gain > :most THEN :most
    WHEN weight + :gain < 0 THEN 0 ELSE weight + :gain END
WHERE project = :project AND key = :key
"""
_INSERT_HANDOFF = f"""
INSERT INTO handoffs ({_HANDOFF_COLUMNS}) VALUES (:id, :at, :session, :text, :project, :details)
ON CONFLICT (id) DO NOTHING
"""
_INSERT_EXPERIMENT = f"""
INSERT INTO experiments ({_EXPERIMENT_COLUMNS})
VALUES (:run, :number, :at, :status, :revision, :metric, :description, :details)
ON CONFLICT (run, number) DO NOTHING
"""


def count_signature(
    db: Database, key: str, project: str, descriptions: tuple[str, str], at: float
) -> KnownError:
    texts = {name: encode_text(text) for name, text in zip(("text", "command"), descriptions, strict=True)}
    gains = {
        "start": gain_to_weight(INITIAL, at),
        "again": gain_to_weight(SEEN_AGAIN, at),
        "most": gain_to_weight(1.0, at),
    }
    values = {"key": encode_text(key), "project": encode_text(project), "at": at}
    return _row_to_signature(db.execute(_COUNT_SIGNATURE, {**values, **texts, **gains}).fetchall()[0])


def add_weight(db: Database, key: str, project: str, gain: float, at: float) -> bool:
    gains = {"gain": gain_to_weight(gain, at), "most": gain_to_weight(1.0, at)}
    return (
        db.execute(_ADD_WEIGHT, {"key": encode_text(key), "project": encode_text(project), **gains}).rowcount
        == 1
    )


def write_fix(db: Database, key: str, project: str, text: str) -> bool:
    values = {"key": encode_text(key), "project": encode_text(project), "fix": encode_text(text)}
    statement = "UPDATE signatures SET fix = :fix WHERE project = :project AND key = :key"
    return db.execute(statement, values).rowcount == 1


def read_signatures(
    db: Database, key: str, project: str | None, limit: int, *, fixed: bool = False
) -> list[KnownError]:
    filters = {"key": key or None, "project": project}
    values = {name: encode_text(value) for name, value in filters.items() if value is not None}
    statement = _SIGNATURE_QUERIES[tuple(values), fixed]
    return [_row_to_signature(row) for row in db.execute(statement, {**values, "limit": limit}).fetchall()]


def _signature_query(names: tuple[str, ...], *, fixed: bool) -> str:
    conditions = [*(f"{name} = :{name}" for name in names), *(["fix <> ''"] if fixed else [])]
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    return (
        f"SELECT {_SIGNATURE_COLUMNS} FROM signatures{where} ORDER BY last_seen DESC, key DESC LIMIT :limit"
    )


_SIGNATURE_QUERIES: dict[tuple[tuple[str, ...], bool], str] = {
    (names, fixed): _signature_query(names, fixed=fixed)
    for names in ((), ("key",), ("project",), ("key", "project"))
    for fixed in (False, True)
}


def insert_handoff(db: Database, handoff: Handoff) -> bool:
    values = {name: encode_text(getattr(handoff, name)) for name in ("id", "session", "text", "project")}
    more = {"at": handoff.at, "details": to_json(handoff.details)}
    return db.execute(_INSERT_HANDOFF, {**values, **more}).rowcount == 1


def update_handoff(db: Database, handoff: Handoff) -> bool:
    values = {
        "id": encode_text(handoff.id),
        "text": encode_text(handoff.text),
        "details": to_json(handoff.details),
    }
    statement = "UPDATE handoffs SET text = :text, details = :details WHERE id = :id"
    return db.execute(statement, values).rowcount == 1


def read_handoffs(db: Database, project: str | None, session: str, limit: int) -> list[Handoff]:
    where, values = _build_filter({"project": project, "session": session or None})
    statement = f"SELECT {_HANDOFF_COLUMNS} FROM handoffs{where} ORDER BY at DESC, position DESC LIMIT :limit"
    return [_row_to_handoff(row) for row in db.execute(statement, values | {"limit": limit}).fetchall()]


def insert_experiment(db: Database, experiment: Experiment) -> bool:
    texts = {name: encode_text(getattr(experiment, name)) for name in ("run", "status", "description")}
    numbers = {"number": experiment.number, "at": experiment.at, "metric": experiment.metric}
    more = {"revision": encode_text(experiment.commit), "details": to_json(experiment.details)}
    return db.execute(_INSERT_EXPERIMENT, {**texts, **numbers, **more}).rowcount == 1


def read_experiments(db: Database, run: str, after: int | None) -> list[Experiment]:
    condition = "" if after is None else " AND number > :after"
    statement = f"SELECT {_EXPERIMENT_COLUMNS} FROM experiments WHERE run = :run{condition} ORDER BY number"
    return [
        _row_to_experiment(row)
        for row in db.execute(statement, {"run": encode_text(run), "after": after}).fetchall()
    ]


def count_tables(db: Database) -> dict[str, int]:
    return {name: _count_rows(db, name) for name in TABLES}


def pruning_steps(limits: Limits, at: float) -> list[Work[int]]:
    """Return functions that each delete one batch of rows over the limits; repeat each until it returns 0."""
    oldest = at - limits.days * DAY_SECONDS
    return [
        lambda db: _delete_old_records(db, oldest, at),
        lambda db: _delete_excess(db, "records", "position", "position", limits.records),
        lambda db: _delete_old_sessions(db, oldest),
        lambda db: _delete_excess(
            db, "memories", "number", "pinned, confidence, coalesce(used, at)", limits.memories
        ),
        lambda db: _delete_excess(db, "signatures", "number", "last_seen", limits.signatures),
        lambda db: _delete_excess(db, "handoffs", "position", "at, position", limits.handoffs),
    ]


def _delete_old_records(db: Database, oldest: float, now: float) -> int:
    """Delete the first records, up to one that is not old: a later one had a wrong clock."""
    first = "SELECT position, at FROM records WHERE at <= :now ORDER BY position LIMIT :batch"
    rows = db.execute(first, {"now": now, "batch": BATCH_ROWS}).fetchall()
    old = [position for position, _ in takewhile(lambda row: row[1] < oldest, rows)]
    statement = "DELETE FROM records WHERE position <= :last AND at < :oldest"
    return db.execute(statement, {"last": old[-1], "oldest": oldest}).rowcount if old else 0


def _delete_excess(db: Database, table: str, key: str, order: str, max_rows: int) -> int:
    batch = min(_count_rows(db, table) - max_rows, BATCH_ROWS)
    if batch <= 0:
        return 0
    least = f"SELECT {key} FROM {table} ORDER BY {order} LIMIT :batch"
    return db.execute(f"DELETE FROM {table} WHERE {key} IN ({least})", {"batch": batch}).rowcount


def _delete_old_sessions(db: Database, oldest: float) -> int:
    alive = "EXISTS (SELECT 1 FROM records WHERE records.session = sessions.session)"
    old = f"SELECT session FROM sessions WHERE at < :oldest AND NOT {alive} LIMIT :batch"
    rows = db.execute(old, {"oldest": oldest, "batch": BATCH_ROWS}).fetchall()
    for (session,) in rows:
        for table in ("counters", "notes", "held", "sessions"):
            db.execute(f"DELETE FROM {table} WHERE session = :session", {"session": session})
    return len(rows)


def _count_rows(db: Database, table: str) -> int:
    return int(db.execute(f"SELECT count(*) FROM {table}", {}).fetchall()[0][0])


def _build_filter(filters: dict[str, str | None]) -> tuple[str, dict[str, Any]]:
    values = {name: encode_text(value) for name, value in filters.items() if value is not None}
    where = " AND ".join(f"{name} = :{name}" for name in values)
    return (f" WHERE {where}" if where else ""), {**values}


def _row_to_signature(row: Row) -> KnownError:
    key, project, text, seen, first, last, fix, command, weight = row
    texts = {
        "key": decode_text(key),
        "project": decode_text(project),
        "text": decode_text(text),
        "fix": decode_text(fix),
    }
    return KnownError(**texts, command=decode_text(command), seen=seen, first=first, last=last, weight=weight)


def _row_to_handoff(row: Row) -> Handoff:
    handoff_id, at, session, text, project, details = row
    texts = {
        "id": decode_text(handoff_id),
        "session": decode_text(session),
        "text": decode_text(text),
        "project": decode_text(project),
    }
    return Handoff(**texts, at=at, details=from_json(details))


def _row_to_experiment(row: Row) -> Experiment:
    run, number, at, status, revision, metric, description, details = row
    return Experiment(
        run=decode_text(run),
        number=number,
        at=at,
        status=decode_text(status),
        commit=decode_text(revision),
        metric=metric,
        description=decode_text(description),
        details=from_json(details),
    )
