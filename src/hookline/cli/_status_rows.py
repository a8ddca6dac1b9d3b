"""The sessions that are alive, as the store knows them."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from hookline import taking
from hookline.assembly import Setup
from hookline.events import Event
from hookline.gates import CONTINUATIONS, STRIKES
from hookline.spending import Purse, ends_at
from hookline.store import Record, Session, Store

LONGEST_SILENCE = 86_400.0
"""Seconds for which a process that is there may say nothing."""
TURNS = "events:TurnStart"
"""The counter of turns that the audit trail keeps."""


class Row(Struct, frozen=True, kw_only=True):
    """One session."""

    session: str
    host: str
    cwd: str
    began: float
    seen: float
    ends_at: float | None = None
    used: int | None = None
    limit: int | None = None
    turn: int | None = None
    strikes: int = 0
    """The most that a gate has blocked in a row."""
    continuations: int = 0
    decided: Record | None = None
    """The last that did not just pass, else the last."""

    @property
    def percent(self) -> float | None:
        return None if self.used is None or not self.limit else self.used / self.limit * 100


def alive(store: Store, setup: Setup, *, since: float) -> Iterator[Row]:
    """Those that have not ended: their process is there, or where that is not known, they spoke *since*."""
    for session in store.sessions(since=since - LONGEST_SILENCE):
        if not session.ended:
            notes = store.notes(session.id)
            there = taking.runs(store, session.id)
            if there or (there is None and session.seen >= since):
                yield _row(session, notes, store, setup)


def _row(session: Session, notes: Mapping[str, Any], store: Store, setup: Setup) -> Row:
    counters = store.counters(session.id)
    event = Event(session=session.id, host=session.host, cwd=session.cwd)
    usage = Purse(event, store, setup.places, {}, now=session.seen).usage
    return Row(
        session=session.id,
        host=session.host,
        cwd=session.cwd,
        began=session.began,
        seen=session.seen,
        ends_at=ends_at(notes),
        used=usage.used,
        limit=usage.effective_limit,
        turn=counters.get(TURNS) or usage.turn,
        strikes=_most(counters, STRIKES),
        continuations=_most(counters, CONTINUATIONS),
        decided=session.decided or session.last,
    )


def _most(counters: Mapping[str, int], prefix: str) -> int:
    return max((count for name, count in counters.items() if name.startswith(prefix)), default=0)
