"""Store on top of any supported database: the engine provides connections, the SQL is the same."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from hookline.core.frozen import Frozen
from hookline.core.records import Experiment, Handoff, KnownError, Memory
from hookline.core.store import Limits, Query, Record, Session, SubagentActivity, group_durations
from hookline.stores import _sql as sql
from hookline.stores import _sql_knowledge as knowledge
from hookline.stores._sql import Row, SqlDialect, T, Work, decode_text, encode_text
from hookline.stores._sql_memories import (
    delete_memories,
    find_memories,
    mark_used,
    read_memories,
    write_memory,
)


class SqlDatabase(Protocol):
    """An open database; its methods raise `StoreFailed` or `OSError` on failure."""

    problem: str
    dialect: SqlDialect

    def read(self, work: Work[T], /) -> T:
        """Run *work*, which changes nothing."""

    def write(self, work: Work[T], /) -> T:
        """Run *work* in one transaction; on a conflict it may run again, but takes effect once."""

    def erase(self) -> None:
        """Remove deleted data from the files, where deleting leaves it there."""

    def shrink(self, within: float, /) -> None:
        """Return unused space to the file system, for about *within* seconds at most."""

    def check(self) -> str: ...

    def close(self) -> None: ...


class SqlStore:
    def __init__(self, engine: SqlDatabase) -> None:
        self._engine = engine

    @property
    def problem(self) -> str:
        return self._engine.problem

    def record(self, records: Sequence[Record]) -> None:
        self._engine.write(lambda db: sql.insert_records(db, records, self._engine.dialect))

    def records(self, query: Query) -> Iterator[tuple[int, Record]]:
        where, values = sql.build_conditions(query, self._engine.dialect)
        values["until"] = self._rows("SELECT coalesce(max(position), 0) FROM records", values)[0][0]
        if query.last is not None:
            values["after"] = self._rows(sql.newest_query(where), values)[0][0]
        # In pages, so that no lock or snapshot of the database is held while the caller works.
        while rows := self._rows(sql.page_query(where), values):
            yield from map(sql.record_from, rows)
            values["after"] = rows[-1][0]

    def begin_session(self, session: str, *, host: str, cwd: str, at: float, call: str = "") -> bool:
        row = {"session": encode_text(session), "host": encode_text(host), "cwd": encode_text(cwd), "at": at}
        new = self._engine.write(
            lambda db: db.execute(sql.INSERT_SESSION, row | {"call": call}).rowcount == 1
        )
        key = {"session": row["session"], "call": call}
        return new or bool(
            call and self._engine.read(lambda db: db.execute(sql.FIND_SESSION, key).fetchall())
        )

    def sessions(self, *, since: float) -> Sequence[Session]:
        return self._engine.read(lambda db: sql.read_sessions(db, since))

    def subagents(self, session: str, *, limit: int) -> Sequence[SubagentActivity]:
        return self._engine.read(lambda db: sql.read_subagents(db, session, limit))

    def session_notes(self, name: str, *, since: float) -> Sequence[tuple[Session, Any]]:
        rows = self._rows(sql.SELECT_SESSION_NOTES, {"name": encode_text(name), "since": since})
        return [(sql.session_from(row), sql.from_json(row[-1])) for row in rows]

    def session_counters(self, prefix: str, *, since: float) -> Sequence[tuple[Session, Mapping[str, int]]]:
        rows = self._rows(sql.SELECT_SESSION_COUNTERS, {"prefix": encode_text(prefix), "since": since})
        grouped: dict[Row, dict[str, int]] = {}
        for *session, name, value in rows:
            grouped.setdefault(tuple(session), {})[decode_text(name)] = value
        return [(sql.session_from(row), Frozen(counters)) for row, counters in grouped.items()]

    def durations(self, *, last: int) -> Mapping[str, Sequence[float]]:
        rows = self._rows(sql.SELECT_DURATIONS, {"last": last})
        return group_durations((decode_text(host), ms) for host, ms in rows)

    def count(self, session: str, name: str, by: int = 1) -> int:
        return self._engine.write(lambda db: sql.add_to_counter(db, session, name, by))

    def reset_counters(self, session: str, prefix: str) -> None:
        self._engine.write(lambda db: sql.reset_counters(db, session, prefix))

    def counters(self, session: str) -> Mapping[str, int]:
        rows = self._session_rows(
            "SELECT name, value FROM counters WHERE session = :session ORDER BY name", session
        )
        return Frozen({decode_text(name): value for name, value in rows})

    def set_notes(self, session: str, values: Mapping[str, Any]) -> None:
        key = {"session": encode_text(session)}
        rows = [
            key | {"name": encode_text(name), "value": sql.to_json(value)} for name, value in values.items()
        ]
        # In a fixed order, so that concurrent writers cannot deadlock.
        rows.sort(key=lambda row: row["name"])
        self._engine.write(lambda db: [db.execute(sql.WRITE_NOTE, row) for row in rows])

    def notes(self, session: str) -> Mapping[str, Any]:
        rows = self._session_rows(
            "SELECT name, value FROM notes WHERE session = :session ORDER BY name", session
        )
        return Frozen({decode_text(name): sql.from_json(value) for name, value in rows})

    def load_notes(self, session: str) -> tuple[Mapping[str, Any], bool]:
        rows = self._session_rows(sql.SELECT_NOTES, session)
        notes = sorted((decode_text(name), value) for name, value in rows if name is not None)
        return Frozen({name: sql.from_json(value) for name, value in notes}), len(rows) > len(notes)

    def hold_context(self, session: str, texts: Sequence[str]) -> None:
        rows = [{"session": encode_text(session), "text": encode_text(text)} for text in texts]
        statement = "INSERT INTO held (session, text) VALUES (:session, :text)"
        self._engine.write(lambda db: [db.execute(statement, row) for row in rows])

    def take_held_context(self, session: str) -> tuple[str, ...]:
        statement, row = (
            "DELETE FROM held WHERE session = :session RETURNING position, text",
            encode_text(session),
        )
        rows = self._engine.write(lambda db: db.execute(statement, {"session": row}).fetchall())
        return tuple(decode_text(text) for _, text in sorted(rows))

    def remember(self, memory: Memory) -> None:
        self._engine.write(lambda db: write_memory(db, memory))

    def recall(
        self,
        text: str,
        *,
        project: str | None = None,
        branch: str | None = None,
        issue: str | None = None,
        at: float | None = None,
        limit: int = 10,
    ) -> Sequence[Memory]:
        scope = {"project": project, "branch": branch, "issue": issue}
        return self._engine.read(lambda db: find_memories(db, text, scope, at, limit, self._engine.dialect))

    def memories(self, ids: Sequence[str]) -> Sequence[Memory]:
        return self._engine.read(lambda db: read_memories(db, ids))

    def mark_used(self, ids: Sequence[str], *, at: float) -> None:
        self._engine.write(lambda db: mark_used(db, ids, at))

    def forget(self, *ids: str) -> int:
        count = self._engine.write(lambda db: delete_memories(db, ids))
        if count:
            self._engine.erase()
        return count

    def count_error(
        self, key: str, *, text: str, at: float, project: str = "", command: str = ""
    ) -> KnownError:
        return self._engine.write(lambda db: knowledge.count_signature(db, key, project, (text, command), at))

    def adjust_confidence(self, key: str, gain: float, *, at: float, project: str = "") -> bool:
        return self._engine.write(lambda db: knowledge.add_weight(db, key, project, gain, at))

    def record_fix(self, key: str, text: str, *, project: str = "") -> bool:
        return self._engine.write(lambda db: knowledge.write_fix(db, key, project, text))

    def signatures(
        self, *, key: str = "", project: str | None = None, limit: int = 100, fixed: bool = False
    ) -> Sequence[KnownError]:
        return self._engine.read(lambda db: knowledge.read_signatures(db, key, project, limit, fixed=fixed))

    def add_handoff(self, handoff: Handoff) -> bool:
        return self._engine.write(lambda db: knowledge.insert_handoff(db, handoff))

    def replace_handoff(self, handoff: Handoff) -> bool:
        return self._engine.write(lambda db: knowledge.update_handoff(db, handoff))

    def handoffs(
        self, *, project: str | None = None, session: str = "", limit: int = 10
    ) -> Sequence[Handoff]:
        return self._engine.read(lambda db: knowledge.read_handoffs(db, project, session, limit))

    def add_experiment(self, experiment: Experiment) -> bool:
        return self._engine.write(lambda db: knowledge.insert_experiment(db, experiment))

    def experiments(self, run: str, *, after: int | None = None) -> Sequence[Experiment]:
        return self._engine.read(lambda db: knowledge.read_experiments(db, run, after))

    def totals(self) -> Mapping[str, int]:
        return Frozen(self._engine.read(knowledge.count_tables))

    def prune(self, limits: Limits, *, at: float, within: float) -> int:
        deadline, deleted = time.monotonic() + within, 0
        for work in knowledge.pruning_steps(limits, at):
            while time.monotonic() < deadline and (batch := self._engine.write(work)):
                deleted += batch
        self._engine.shrink(deadline - time.monotonic())
        return deleted

    def defer(self) -> None:
        """Postpone slow disk work until `fold`, for a process that others wait for."""
        getattr(self._engine, "defer", tuple)()

    def fold(self) -> None:
        getattr(self._engine, "fold", tuple)()

    def check(self) -> str:
        return self._engine.check()

    def close(self) -> None:
        self._engine.close()

    def leave(self) -> None:
        """Close at the end of the process, when some engines need not wait for the disk."""
        getattr(self._engine, "leave", self._engine.close)()

    def _rows(self, statement: str, values: Mapping[str, Any]) -> Sequence[Row]:
        return self._engine.read(lambda db: db.execute(statement, values).fetchall())

    def _session_rows(self, statement: str, session: str) -> Sequence[Row]:
        return self._rows(statement, {"session": encode_text(session)})
