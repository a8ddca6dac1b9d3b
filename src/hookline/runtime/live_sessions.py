"""The active sessions, with what each has used, what it may use, and what it waits for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from hookline.budget.ledger import Ledger, find_end
from hookline.core.events import Event
from hookline.core.store import Record, Session, Store, SubagentActivity
from hookline.handoff import claim
from hookline.hooks.end_session import ENDED_NOTE
from hookline.runtime.gates import CONTINUATIONS, STRIKES
from hookline.runtime.setup import Setup

MAX_SILENCE = 86_400.0
"""Seconds without a call after which a session is not shown, even if its process runs."""
TURNS = "events:TurnStart"
"""Name of the counter of turns that the audit trail keeps."""
MAX_SUBAGENTS = 12
"""Subagents of a session that are shown, those that were active last."""


class Row(Struct, frozen=True, kw_only=True):
    """An active session."""

    session: str
    host: str
    cwd: str
    began: float
    seen: float
    ends_at: float | None = None
    used: int | None = None
    limit: int | None = None
    cost: float | None = None
    """US dollars; None if unknown."""
    turn: int | None = None
    subagents: tuple[SubagentActivity, ...] = ()
    """The latest subagents, in the order of their start."""
    strikes: int = 0
    """The highest number of blocks in a row by one gate."""
    continuations: int = 0
    decided: Record | None = None
    """The last record whose action is not "pass", else the last record."""
    last: Record | None = None
    ending: bool = False
    """True if a person has ended it, and it ends at its next tool call."""

    @property
    def percent(self) -> float | None:
        return None if self.used is None or not self.limit else self.used / self.limit * 100


def find_live_sessions(
    sessions: Iterable[Session], store: Store, setup: Setup, *, since: float
) -> Iterator[Row]:
    """Yield the *sessions* whose process runs or, if that is unknown, that were active after *since*."""
    for session in sessions:
        if not session.ended:
            notes = store.notes(session.id)
            running = claim.is_running(store, session.id)
            if running or (running is None and session.seen >= since):
                yield _build_row(session, notes, store, setup)


def _build_row(session: Session, notes: Mapping[str, Any], store: Store, setup: Setup) -> Row:
    counters, subagents = store.counters(session.id), store.subagents(session.id, limit=MAX_SUBAGENTS)
    event = Event(session=session.id, host=session.host, cwd=session.cwd)
    usage = Ledger(event, store, setup.places, {}, now=session.seen).usage
    return Row(
        session=session.id,
        host=session.host,
        cwd=session.cwd,
        began=session.began,
        seen=session.seen,
        ends_at=find_end(notes),
        used=usage.used,
        limit=usage.effective_limit,
        cost=usage.cost,
        subagents=tuple(sorted(subagents, key=lambda subagent: subagent.began)),
        turn=counters.get(TURNS) or usage.turn,
        strikes=_max_counter(counters, STRIKES),
        continuations=_max_counter(counters, CONTINUATIONS),
        decided=session.decided or session.last,
        last=session.last,
        ending=bool(notes.get(ENDED_NOTE)),
    )


def _max_counter(counters: Mapping[str, int], prefix: str) -> int:
    return max((count for name, count in counters.items() if name.startswith(prefix)), default=0)
