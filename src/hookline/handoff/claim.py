"""Who goes on from a handoff: one session, unless that was gone before it had answered.

Whether a session is gone is told by its end, by the process of its agent where whoever started that noted
it, and else by its silence.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from hookline.core.events import Event
from hookline.core.records import Handoff
from hookline.core.store import Query, Store
from hookline.system import file_lock
from hookline.system.process import identity

CHECKED, TOOK, IS = "handoff.checked", "handoff.took", "handoff.is"
"""Notes of a session: how much of it its first answer knew, when it took it, which session of a run it is."""
TAKEN = "handoff.taken:"
"""Notes of the session that left it: who took a handoff."""
RUN, WHO, AGENT, RUNNER = "handoff.leg:", "who", "agent", "runner"
"""Under a name of its own: which session is which of a run, and the processes of its agent and its runner."""
SILENT = 3_600.0
"""Seconds after which a session of whose process nothing is known counts as gone."""
_LATELY = 8


def takes(store: Store, one: Handoff, session: str, now: float, state: str = "") -> bool:
    """Return whether the handoff is the *session*'s: it has one taker, unless that died before it answered.

    Only processes with the same *state* folder see the handoff.
    """
    with alone(state):
        if taker_of(store, one) == session:
            return True
        if not free(store, one, now):
            return False
        store.note(session, {TOOK: now})
        store.note(one.session, {f"{TAKEN}{one.id}": session})
    return True


@contextmanager
def alone(state: str) -> Iterator[None]:
    """Let no other process that shares the *state* folder take a handoff meanwhile."""
    if not state:
        yield
        return
    os.makedirs(state, mode=0o700, exist_ok=True)
    with file_lock.lock(f"{state}/handoffs.lock"):
        yield


def taker_of(store: Store, one: Handoff) -> str:
    """The session that took a handoff; empty where nobody did."""
    return str(store.notes(one.session).get(f"{TAKEN}{one.id}") or "")


def free(store: Store, one: Handoff, now: float) -> bool:
    """Whether a handoff waits for somebody who goes on from it."""
    taker = taker_of(store, one)
    return not taker or (taker != one.session and not settled(store, taker, now))


def close(store: Store, one: Handoff) -> None:
    """Have nobody go on from it, for it left nothing to do."""
    store.note(one.session, {f"{TAKEN}{one.id}": one.session})


def settled(store: Store, taker: str, now: float) -> bool:
    """Whether who took a handoff is there, or has answered."""
    return bool(store.notes(taker).get(CHECKED)) or not over(store, taker, silent_since=now - SILENT)


def over(store: Store, session: str, *, silent_since: float | None = None) -> bool:
    """Whether a session has ended, or its process is gone; where that is not known, whether it is silent."""
    lately = [one for _, one in store.records(Query(session=session, last=_LATELY))]
    own = [one for one in lately if one.event != "PreCompact"]  # a runner tells of that after the end, too
    if own and own[-1].event == "SessionEnd":
        return True
    there = runs(store, session)
    if there is not None or silent_since is None:
        return there is False
    heard = max([one.at for one in lately] + [float(store.notes(session).get(TOOK) or 0)])
    return 0 < heard < silent_since


def runs(store: Store, session: str) -> bool | None:
    """Whether the process of its agent is there; None where that is not known."""
    notes = store.notes(session)
    known = identity.there(notes.get(identity.NOTE))
    return known if known is not None else identity.there(_leg(store, notes).get(AGENT))


def awaited(store: Store, session: str) -> bool:
    """Whether a runner is there that starts the session which goes on for this one."""
    return bool(identity.there(_leg(store, store.notes(session)).get(RUNNER)))


def _leg(store: Store, notes: Mapping[str, Any]) -> Mapping[str, Any]:
    name = str(notes.get(IS) or "")
    return store.notes(f"{RUN}{name}") if name else {}


def begun(store: Store, leg: str, event: Event) -> bool:
    """Whether the session of *event* is that one of a run: the first that was heard of it."""
    first = session_of(store, leg)
    if not first:
        names = ("session", "host", "cwd", "transcript")
        store.note(f"{RUN}{leg}", {WHO: {name: getattr(event, name) for name in names}})
        store.note(event.session, {IS: leg})
    return first.get("session") in (None, event.session)


def session_of(store: Store, leg: str) -> Mapping[str, str]:
    """Session, host, folder and recording of that one of a run; empty where it has not begun."""
    found = store.notes(f"{RUN}{leg}").get(WHO)
    return found if isinstance(found, Mapping) else {}
