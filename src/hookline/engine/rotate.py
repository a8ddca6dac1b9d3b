"""An experiment's agent in as many sessions as it takes, all within the budget that the experiment has."""

import time
from collections.abc import Callable
from contextlib import closing

from msgspec import Struct

from hookline.core.records import Handoff
from hookline.core.store import Store, StoreFailed
from hookline.core.values import replace
from hookline.engine.agents.agent import Spawn
from hookline.engine.points import passed
from hookline.handoff import claim
from hookline.handoff.content import from_details
from hookline.runtime import rotation
from hookline.runtime.rotation import Leg
from hookline.runtime.runtime import Runtime
from hookline.system.process.unattended import Over

SHARE = 10
"""The part of a budget that an agent may take to end by itself once it was asked to."""
LEAST = 1.0
"""Seconds of the budget that a fresh session must have."""
Enough = Callable[[], bool]


class Sessions(Struct, frozen=True, kw_only=True):
    """How an experiment's sessions are started, and how they hand over."""

    spawned: Callable[[str], Spawn]
    """How the agent is started; where it goes on from another session, with these words before all else."""
    start: Callable[[Spawn, Enough], Over]
    """Runs it to its end, or until it is enough."""
    store: Store | None
    """Where hooks say that a session asks for the next one; None: nobody can tell."""
    host: str
    budget: float
    until: float
    """When the budget ends, in Unix seconds."""
    noted: Callable[[str], None] = lambda text: None


def carry_out(sessions: Sessions, first: Spawn) -> tuple[Spawn, Over]:
    """Run the agent, in a fresh session whenever a context is nearly full; how the last one was and ended."""
    leg, spawn, seconds, seen = rotation.first(), first, 0.0, set[str]()
    while True:
        enough = _Enough(sessions, leg)
        over = sessions.start(replace(spawn, env={**spawn.env, **leg.env}), enough)
        passed("after-session")
        seconds += over.seconds
        over = replace(over, seconds=seconds)
        if over.timed_out or leg.number >= rotation.MOST or sessions.until - time.time() < LEAST:
            return spawn, over
        left = _left(sessions, leg, spawn, forced=over.cut)
        if left is None or left.session in seen:  # an agent that resumes has its context still
            return spawn, over
        passed("after-handover")
        seen.add(left.session)
        leg = rotation.after(leg, left)
        sessions.noted(
            f"the agent's context is nearly full: it goes on in a fresh session, number {leg.number}"
        )
        spawn = sessions.spawned(rotation.prompt(left, sessions.host))
        passed("before-next-session")


class _Enough:
    """Whether a session has had its time to end since it was asked to."""

    def __init__(self, sessions: Sessions, leg: Leg) -> None:
        self._store, self._leg = sessions.store, leg
        self._grace = min(rotation.GRACE, sessions.budget / SHARE)
        self._until: float | None = None

    def __call__(self) -> bool:
        if self._until is None and _wanted(self._store, self._leg):
            self._until = time.monotonic() + self._grace
        return self._until is not None and time.monotonic() > self._until


def _wanted(store: Store | None, leg: Leg) -> bool:
    try:
        return store is not None and rotation.wanted(store, leg)
    except (StoreFailed, OSError):
        return False


def _left(sessions: Sessions, leg: Leg, spawn: Spawn, *, forced: bool) -> Handoff | None:
    """What the session leaves to go on from; None where it asked for nothing, or nothing is left to do."""
    if not _wanted(sessions.store, leg):
        return None
    passed("before-handover")
    with closing(Runtime.load(spawn.cwd, spawn.env)) as runtime:
        if not claim.session_of(runtime.store, leg.name):
            return None
        try:
            left = rotation.hand_over(runtime, leg)
        except (StoreFailed, OSError):
            return None
    return left if left and (forced or from_details(left.details).unfinished) else None
