"""A store in any database of ours: the database brings its connections, what is said to it is the same."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from hookline.core.frozen import Frozen
from hookline.core.records import Experiment, Handoff, Memory, Signature
from hookline.core.store import Limits, Query, Record, Session
from hookline.stores import _sql as sql
from hookline.stores import _sql_knowledge as learnt
from hookline.stores._sql import Answer, Dialect, Row, Work
from hookline.stores._sql_memories import forget, known, recall, remember, use
from hookline.stores._text import read, written


class Engine(Protocol):
    """A database that is open. What it cannot do it says by `StoreFailed` or `OSError`."""

    problem: str
    dialect: Dialect

    def read(self, work: Work[Answer], /) -> Answer:
        """Do what changes nothing."""

    def write(self, work: Work[Answer], /) -> Answer:
        """Do all of it or nothing; what is in each other's way may be done twice, and counts once."""

    def erase(self) -> None:
        """Have what was forgotten really gone, where deleting leaves it in the files."""

    def shrink(self, within: float, /) -> None:
        """Give space back that is not needed any more, for about so many seconds at most."""

    def check(self) -> str: ...

    def close(self) -> None: ...


class SqlStore:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def problem(self) -> str:
        return self._engine.problem

    def record(self, records: Sequence[Record]) -> None:
        self._engine.write(lambda db: sql.insert(db, records, self._engine.dialect))

    def records(self, query: Query) -> Iterator[tuple[int, Record]]:
        where, wanted = sql.conditions(query, self._engine.dialect)
        wanted["until"] = self._rows("SELECT coalesce(max(position), 0) FROM records", wanted)[0][0]
        if query.last is not None:
            wanted["after"] = self._rows(sql.newest(where), wanted)[0][0]
        # In pages, so that neither a lock nor a snapshot of the database is held while the caller works.
        while rows := self._rows(sql.page(where), wanted):
            yield from map(sql.record_from, rows)
            wanted["after"] = rows[-1][0]

    def begin(self, session: str, *, host: str, cwd: str, at: float, call: str = "") -> bool:
        row = {"session": written(session), "host": written(host), "cwd": written(cwd), "at": at}
        new = self._engine.write(lambda db: db.execute(sql.BEGIN, row | {"call": call}).rowcount == 1)
        again = {"session": row["session"], "call": call}
        return new or bool(call and self._engine.read(lambda db: db.execute(sql.BEGUN, again).fetchall()))

    def sessions(self, *, since: float) -> Sequence[Session]:
        return self._engine.read(lambda db: sql.sessions(db, since))

    def count(self, session: str, name: str, by: int = 1) -> int:
        return self._engine.write(lambda db: sql.count(db, session, name, by))

    def reset(self, session: str, prefix: str) -> None:
        self._engine.write(lambda db: sql.reset(db, session, prefix))

    def counters(self, session: str) -> Mapping[str, int]:
        rows = self._named("SELECT name, value FROM counters WHERE session = :session ORDER BY name", session)
        return Frozen({read(name): value for name, value in rows})

    def note(self, session: str, values: Mapping[str, Any]) -> None:
        near = {"session": written(session)}
        rows = [near | {"name": written(name), "value": sql.as_json(one)} for name, one in values.items()]
        # In one order everywhere, so that two who note the same do not wait for each other.
        rows.sort(key=lambda row: row["name"])
        self._engine.write(lambda db: [db.execute(sql.NOTE, row) for row in rows])

    def notes(self, session: str) -> Mapping[str, Any]:
        rows = self._named("SELECT name, value FROM notes WHERE session = :session ORDER BY name", session)
        return Frozen({read(name): sql.from_json(value) for name, value in rows})

    def look(self, session: str) -> tuple[Mapping[str, Any], bool]:
        rows = self._named(sql.LOOK, session)
        notes = sorted((read(name), value) for name, value in rows if name is not None)
        return Frozen({name: sql.from_json(value) for name, value in notes}), len(rows) > len(notes)

    def keep(self, session: str, texts: Sequence[str]) -> None:
        rows = [{"session": written(session), "text": written(text)} for text in texts]
        statement = "INSERT INTO held (session, text) VALUES (:session, :text)"
        self._engine.write(lambda db: [db.execute(statement, row) for row in rows])

    def take(self, session: str) -> tuple[str, ...]:
        statement, row = (
            "DELETE FROM held WHERE session = :session RETURNING position, text",
            written(session),
        )
        rows = self._engine.write(lambda db: db.execute(statement, {"session": row}).fetchall())
        return tuple(read(text) for _, text in sorted(rows))

    def remember(self, memory: Memory) -> None:
        self._engine.write(lambda db: remember(db, memory))

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
        near = {"project": project, "branch": branch, "issue": issue}
        return self._engine.read(lambda db: recall(db, text, near, at, limit, self._engine.dialect))

    def memories(self, ids: Sequence[str]) -> Sequence[Memory]:
        return self._engine.read(lambda db: known(db, ids))

    def use(self, ids: Sequence[str], *, at: float) -> None:
        self._engine.write(lambda db: use(db, ids, at))

    def forget(self, *ids: str) -> int:
        found = self._engine.write(lambda db: forget(db, ids))
        if found:
            self._engine.erase()
        return found

    def see(self, key: str, *, text: str, at: float, project: str = "", command: str = "") -> Signature:
        return self._engine.write(lambda db: learnt.see(db, key, project, (text, command), at))

    def weigh(self, key: str, gain: float, *, at: float, project: str = "") -> bool:
        return self._engine.write(lambda db: learnt.weigh(db, key, project, gain, at))

    def fix(self, key: str, text: str, *, project: str = "") -> bool:
        return self._engine.write(lambda db: learnt.fix(db, key, project, text))

    def signatures(
        self, *, key: str = "", project: str | None = None, limit: int = 100, fixed: bool = False
    ) -> Sequence[Signature]:
        return self._engine.read(lambda db: learnt.signatures(db, key, project, limit, fixed=fixed))

    def hand_over(self, handoff: Handoff) -> bool:
        return self._engine.write(lambda db: learnt.hand_over(db, handoff))

    def amend(self, handoff: Handoff) -> bool:
        return self._engine.write(lambda db: learnt.amend(db, handoff))

    def handoffs(
        self, *, project: str | None = None, session: str = "", limit: int = 10
    ) -> Sequence[Handoff]:
        return self._engine.read(lambda db: learnt.handoffs(db, project, session, limit))

    def journal(self, experiment: Experiment) -> bool:
        return self._engine.write(lambda db: learnt.journal(db, experiment))

    def experiments(self, run: str, *, after: int | None = None) -> Sequence[Experiment]:
        return self._engine.read(lambda db: learnt.experiments(db, run, after))

    def totals(self) -> Mapping[str, int]:
        return Frozen(self._engine.read(learnt.totals))

    def prune(self, limits: Limits, *, at: float, within: float) -> int:
        ends, gone = time.monotonic() + within, 0
        for work in learnt.doomed(limits, at):
            while time.monotonic() < ends and (batch := self._engine.write(work)):
                gone += batch
        self._engine.shrink(ends - time.monotonic())
        return gone

    def defer(self) -> None:
        """For whoever writes while others wait for it: what takes the disk's time is done by `fold` alone."""
        getattr(self._engine, "defer", tuple)()

    def fold(self) -> None:
        getattr(self._engine, "fold", tuple)()

    def check(self) -> str:
        return self._engine.check()

    def close(self) -> None:
        self._engine.close()

    def leave(self) -> None:
        """As `close`, where the process ends now: some need not wait for the disk then."""
        getattr(self._engine, "leave", self._engine.close)()

    def _rows(self, statement: str, wanted: Mapping[str, Any]) -> Sequence[Row]:
        return self._engine.read(lambda db: db.execute(statement, wanted).fetchall())

    def _named(self, statement: str, session: str) -> Sequence[Row]:
        return self._rows(statement, {"session": written(session)})


def _key(session: str, name: str) -> dict[str, str]:
    return {"session": written(session), "name": written(name)}
