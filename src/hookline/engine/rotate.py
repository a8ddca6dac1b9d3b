"""The sessions of an experiment's agent: as many as required, within one budget."""

import logging
import time
from collections.abc import Callable
from contextlib import closing

from msgspec import Struct

from hookline.core.records import Handoff
from hookline.core.store import Store, StoreFailed
from hookline.core.values import replace
from hookline.engine.agents.agent import Spawn
from hookline.handoff import claim
from hookline.handoff.content import from_details
from hookline.runtime import rotation
from hookline.runtime.rotation import Leg
from hookline.runtime.runtime import Runtime
from hookline.system.process.unattended import RunResult

_LOG = logging.getLogger("hookline.engine")

GRACE_DIVISOR = 10
"""Divisor of the budget: an agent has a tenth of it to end by itself after it was asked to."""
MIN_SESSION_SECONDS = 1.0
"""Seconds of the budget that a new session requires."""
ShouldEnd = Callable[[], bool]


class Sessions(Struct, frozen=True, kw_only=True):
    """Functions that start the sessions of an experiment, and the settings of a handover."""

    spawn_next: Callable[[str], Spawn]
    """Return the command of the next session; the argument is put before its prompt."""
    start: Callable[[Spawn, ShouldEnd], RunResult]
    """Run a session until it ends, or until the predicate returns True."""
    store: Store | None
    """Store in which hooks request the next session; None: no session can request it."""
    host: str
    budget: float
    until: float
    """Unix time at which the budget ends."""
    noted: Callable[[str], None] = lambda text: None


def carry_out(sessions: Sessions, first: Spawn) -> tuple[Spawn, RunResult]:
    """Run the agent, with a new session whenever its context is nearly full; return the last session."""
    leg, spawn, seconds, handed_over = rotation.first_leg(), first, 0.0, set[str]()
    while True:
        timer = _GraceTimer(sessions, leg)
        result = sessions.start(replace(spawn, env={**spawn.env, **leg.env}), timer)
        _LOG.debug("after-session")
        seconds += result.seconds
        result = replace(result, seconds=seconds)
        if (
            result.timed_out
            or leg.number >= rotation.MAX_SESSIONS
            or sessions.until - time.time() < MIN_SESSION_SECONDS
        ):
            return spawn, result
        handoff = _take_handoff(sessions, leg, spawn, forced=result.cut)
        if handoff is None or handoff.session in handed_over:  # a resumed session still has its full context
            return spawn, result
        _LOG.debug("after-handover")
        handed_over.add(handoff.session)
        leg = rotation.next_leg(leg, handoff)
        sessions.noted(
            f"the agent's context is nearly full: it continues in a new session, number {leg.number}"
        )
        spawn = sessions.spawn_next(rotation.build_prompt(handoff, sessions.host))
        _LOG.debug("before-next-session")


class _GraceTimer:
    """Predicate that is true when the grace period after a handover request is over."""

    def __init__(self, sessions: Sessions, leg: Leg) -> None:
        self._store, self._leg = sessions.store, leg
        self._grace = min(rotation.GRACE_SECONDS, sessions.budget / GRACE_DIVISOR)
        self._until: float | None = None

    def __call__(self) -> bool:
        if self._until is None and _handover_requested(self._store, self._leg):
            self._until = time.monotonic() + self._grace
        return self._until is not None and time.monotonic() > self._until


def _handover_requested(store: Store | None, leg: Leg) -> bool:
    try:
        return store is not None and rotation.asks_for_rotation(store, leg)
    except (StoreFailed, OSError):
        return False


def _take_handoff(sessions: Sessions, leg: Leg, spawn: Spawn, *, forced: bool) -> Handoff | None:
    """Return the handoff of a session, or None if it requested none or nothing is left to do."""
    if not _handover_requested(sessions.store, leg):
        return None
    _LOG.debug("before-handover")
    with closing(Runtime.load(spawn.cwd, spawn.env)) as runtime:
        if not claim.find_leg_session(runtime.store, leg.name):
            return None
        try:
            handoff = rotation.hand_over(runtime, leg)
        except (StoreFailed, OSError):
            return None
    return handoff if handoff and (forced or from_details(handoff.details).unfinished) else None
