"""Let exactly one session claim a handoff; the claim lapses if that session dies before it answers.

A session counts as gone if it has ended or the process of its agent no longer runs. If its process is not
known, it counts as gone after a long silence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from hookline.core.events import Event
from hookline.core.records import Handoff
from hookline.core.store import Query, Store
from hookline.handoff.content import CHECKED_NOTE
from hookline.system import file_lock
from hookline.system.paths import create_private
from hookline.system.process import identity

CLAIMED_AT_NOTE, LEG_NOTE = "handoff.took", "handoff.is"
"""Notes of a claiming session: the time of its claim, its leg of a run."""
CLAIMED_BY_PREFIX = "handoff.taken:"
"""Prefix of the notes, on the session that left a handoff, that name the claiming session."""
LEG_PREFIX, SESSION_KEY, AGENT_KEY, RUNNER_KEY = "handoff.leg:", "who", "agent", "runner"
"""Name under which a leg of a run is noted; keys of its session, its agent's process and its runner's."""
SILENT_SECONDS = 3_600.0
"""Seconds without an event after which a session of unknown process counts as gone."""
_RECENT_RECORDS = 8


def claim(store: Store, handoff: Handoff, session: str, now: float, state: str = "") -> bool:
    """Claim the handoff for *session*; return whether it holds the claim.

    Only processes with the same *state* folder see the handoff.
    """
    with claim_lock(state):
        if find_claimant(store, handoff) == session:
            return True
        if not is_claimable(store, handoff, now):
            return False
        store.set_notes(session, {CLAIMED_AT_NOTE: now})
        store.set_notes(handoff.session, {f"{CLAIMED_BY_PREFIX}{handoff.id}": session})
    return True


@contextmanager
def claim_lock(state: str) -> Iterator[None]:
    """Hold the lock under which processes that share the *state* folder claim handoffs."""
    if not state:
        yield
        return
    create_private(state)
    with file_lock.lock(f"{state}/handoffs.lock"):
        yield


def find_claimant(store: Store, handoff: Handoff) -> str:
    """Return the session that claimed a handoff, or an empty string."""
    return str(store.notes(handoff.session).get(f"{CLAIMED_BY_PREFIX}{handoff.id}") or "")


def is_claimable(store: Store, handoff: Handoff, now: float) -> bool:
    """Return whether a session may claim a handoff: it is unclaimed, or the claim has lapsed."""
    claimant = find_claimant(store, handoff)
    return not claimant or (claimant != handoff.session and not is_claim_valid(store, claimant, now))


def close_handoff(store: Store, handoff: Handoff) -> None:
    """Mark a handoff as claimed by its own session, so that no other continues it."""
    store.set_notes(handoff.session, {f"{CLAIMED_BY_PREFIX}{handoff.id}": handoff.session})


def is_claim_valid(store: Store, claimant: str, now: float) -> bool:
    """Return whether the claiming session still exists or has answered."""
    return bool(store.notes(claimant).get(CHECKED_NOTE)) or not has_ended(
        store, claimant, silent_since=now - SILENT_SECONDS
    )


def has_ended(store: Store, session: str, *, silent_since: float | None = None) -> bool:
    """Return whether a session has ended or its process is gone; if unknown, whether it is silent."""
    recent = [record for _, record in store.records(Query(session=session, last=_RECENT_RECORDS))]
    # A runner also records PreCompact, even after the session's end.
    own = [record for record in recent if record.event != "PreCompact"]
    if own and own[-1].event == "SessionEnd":
        return True
    running = is_running(store, session)
    if running is not None or silent_since is None:
        return running is False
    last_seen = max(
        [record.at for record in recent] + [float(store.notes(session).get(CLAIMED_AT_NOTE) or 0)]
    )
    return 0 < last_seen < silent_since


def is_running(store: Store, session: str) -> bool | None:
    """Return whether the process of a session's agent runs; None if its process is not known."""
    notes = store.notes(session)
    running = identity.is_running(notes.get(identity.NOTE))
    return running if running is not None else identity.is_running(_read_leg(store, notes).get(AGENT_KEY))


def has_runner(store: Store, session: str) -> bool:
    """Return whether a runner is waiting to start the session that continues this one."""
    return bool(identity.is_running(_read_leg(store, store.notes(session)).get(RUNNER_KEY)))


def _read_leg(store: Store, notes: Mapping[str, Any]) -> Mapping[str, Any]:
    name = str(notes.get(LEG_NOTE) or "")
    return store.notes(f"{LEG_PREFIX}{name}") if name else {}


def register_leg(store: Store, leg: str, event: Event) -> bool:
    """Record the session of *event* as that *leg* of a run if none is; return whether it is that session."""
    first = find_leg_session(store, leg)
    if not first:
        names = ("session", "host", "cwd", "transcript")
        store.set_notes(f"{LEG_PREFIX}{leg}", {SESSION_KEY: {name: getattr(event, name) for name in names}})
        store.set_notes(event.session, {LEG_NOTE: leg})
    return first.get("session") in (None, event.session)


def find_leg_session(store: Store, leg: str) -> Mapping[str, str]:
    """Return session, host, folder and transcript of a *leg* of a run; empty if it has not begun."""
    note = store.notes(f"{LEG_PREFIX}{leg}").get(SESSION_KEY)
    return note if isinstance(note, Mapping) else {}
