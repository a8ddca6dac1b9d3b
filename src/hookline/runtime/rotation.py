"""Go on in a fresh session when one's context is nearly full, without a person: for a runner, or an engine.

A run is a row of sessions, its legs. Hooks ask for the next one where the context runs full or the agent goes
in circles; then what is left is handed over, the session ends, and a fresh one begins with the handoff.
Whoever runs agents its own way takes the parts: the environment of a `Leg`, `wanted`, `hand_over`, `after`
and `prompt`; `run` puts them together. Killed at any point, it leaves the old session as it was, or a handoff
that the next session in the project takes up.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from msgspec import Struct

from hookline import hosts
from hookline.core.derive import abilities
from hookline.core.events import INJECT, PreCompact, SessionStart
from hookline.core.records import Handoff
from hookline.core.store import Store, StoreFailed
from hookline.core.values import replace
from hookline.handoff import claim, handoffs
from hookline.handoff.content import GO_ON, from_details
from hookline.runtime.runtime import Runtime
from hookline.system.process import agent_process, identity

LOOKS = 0.25
"""Seconds between two looks whether a session asks for the next one."""
GRACE = 60.0
"""Seconds that an agent has to end by itself once it was asked to."""
MOST = 20
"""Sessions of a run."""
ROTATION = "rotation"
LOOP = "loop-breaker.ended"
POINTS = ("starting", "started", "asked", "persisted", "ended", "verified")
"""What every leg comes to, in this order; of an agent that ends by itself, what it leaves is kept after."""
PROMPT = f"""{GO_ON}, which was rotated because its context was nearly full.
You were given its handoff when this session started.
First say in one line each: issue, branch, blockers, next step. Then go on from the next step."""


class Leg(Struct, frozen=True, kw_only=True):
    """One session of a run."""

    run: str
    number: int = 1
    handoff: str = ""
    """The id of what it goes on from; empty for the first."""

    @property
    def name(self) -> str:
        return f"{self.run}:{self.number}"

    @property
    def env(self) -> dict[str, str]:
        """Variables for the agent's environment."""
        return {handoffs.LEG: self.name, handoffs.GIVEN: self.handoff}


Reached = Callable[[str, Leg], object]
"""Told of every point that a run comes to."""


class Ran(Struct, frozen=True, kw_only=True):
    """What became of a run."""

    code: int
    """The exit code of the last agent."""
    legs: int
    why: str
    """done, unheard, resumed, nothing-left, nothing-known or most."""


class How(Struct, frozen=True, kw_only=True):
    """How a run goes on."""

    host: str = ""
    """Whose program it is; empty where nobody knows."""
    most: int = MOST
    """Sessions."""
    grace: float = GRACE


USUAL = How()


def first(handoff: str = "") -> Leg:
    """The first leg of a new run, from nothing or from a handoff that lies there."""
    return Leg(run=identity.fresh()[:12], handoff=handoff)


def after(leg: Leg, handoff: Handoff) -> Leg:
    return Leg(run=leg.run, number=leg.number + 1, handoff=handoff.id)


def wanted(store: Store, leg: Leg) -> bool:
    """Whether the leg's session asked for the next one."""
    session = claim.session_of(store, leg.name).get("session", "")
    notes = store.notes(session) if session else {}
    return bool(notes.get(handoffs.WANTED) or notes.get(LOOP))


def _asks(store: Store, leg: Leg) -> bool:
    """A store that cannot be read now is no reason to end an agent that works."""
    try:
        return wanted(store, leg)
    except (StoreFailed, OSError):
        return False


def hand_over(runtime: Runtime, leg: Leg) -> Handoff | None:
    """Have all hooks know that the session's context goes, and keep what it leaves; None for nothing."""
    known = claim.session_of(runtime.store, leg.name)
    if not known:
        return None
    told: dict[str, Any] = dict(known)
    return given_up(runtime, PreCompact(**told, trigger=ROTATION))


def given_up(runtime: Runtime, event: PreCompact) -> Handoff | None:
    """The handoff of a session that goes no further."""
    runtime.fire_now(event)
    runtime.settle()
    made = runtime.store.handoffs(session=event.session, limit=5)
    return next((one for one in made if one.details.get("why") == ROTATION), None)


def prompt(handoff: Handoff, host: str) -> str:
    """What the fresh session is asked; with the handoff, where its host cannot be given that at its start."""
    given = host in hosts.names() and INJECT in abilities(hosts.load(host), SessionStart)
    return PROMPT if given else f"{PROMPT}\n\n{handoff.text}"


def lying_about(store: Store, root: str, now: float, branch: str = "", state: str = "") -> Handoff | None:
    """The newest handoff of a rotation that nobody has gone on from; of a session its last one counts.

    Where a *branch* is named, one that was left there comes first; of others who share the store, none does.
    """
    last: dict[str, Handoff] = {}
    for one in store.handoffs(project=root, limit=handoffs.AMONG):
        if one.details.get("why") == ROTATION and handoffs.ours(one, state):
            last.setdefault(one.session, one)
    free = [one for one in last.values() if claim.free(store, one, now)]
    here = (one for one in free if from_details(one.details).branch == branch)
    return next(here, None) or next(iter(free), None)


def take_up(store: Store, handoff: Handoff, state: str) -> None:
    """Let this process alone go on from it; raise `LookupError` if another one does."""
    if claim.runs(store, handoff.session):
        raise LookupError(
            f"session {handoff.session[:8]!r}, which left that, still runs; end it, and then go on from it"
        )
    name = f"{claim.TAKEN}{handoff.id}:runner"
    with claim.alone(state):
        runner = store.notes(handoff.session).get(name)
        if runner and identity.there(runner):
            raise LookupError(f"process {runner['name'].partition(':')[0]} goes on from that already")
        store.note(handoff.session, {name: identity.mark()})


def known_of(store: Store, leg: Leg) -> Mapping[str, Any] | None:
    """How much of the handoff the leg's first answer knew; None where it has not answered."""
    session = claim.session_of(store, leg.name).get("session", "")
    found = store.notes(session).get(claim.CHECKED) if session else None
    return found if isinstance(found, Mapping) else None


class Started(Struct, frozen=True, kw_only=True):
    """How one agent is started, and how long it may take to end."""

    command: tuple[str, ...]
    text: str
    env: Mapping[str, str]
    leg: Leg
    grace: float


def run(
    command: Sequence[str],
    asked: str,
    *,
    runtime: Runtime,
    env: Mapping[str, str],
    how: How = USUAL,
    handoff: Handoff | None = None,
    reached: Reached = lambda point, leg: None,
) -> Ran:
    """Run the headless *command* with what is *asked*, in as many sessions as it takes."""
    text = prompt(handoff, how.host) if handoff and not asked.strip() else asked
    begins = Started(
        command=tuple(command),
        text=text,
        env=env,
        leg=first(handoff.id if handoff else ""),
        grace=how.grace,
    )
    begun: list[Leg] = []

    def noted(point: str, leg: Leg) -> None:
        if point == "starting":
            begun.append(leg)
            _note(runtime.store, leg, claim.RUNNER, identity.mark())
        reached(point, leg)

    try:
        return _legs(begins, runtime, how, noted, seen={handoff.session} if handoff else set())
    finally:
        for leg in begun:
            _note(runtime.store, leg, claim.RUNNER, None)


def _note(store: Store, leg: Leg, name: str, mark: Mapping[str, str] | None) -> None:
    """For others, who wait for it or not; a run goes on without."""
    with suppress(StoreFailed, OSError):
        store.note(f"{claim.RUN}{leg.name}", {name: mark})


def _legs(begins: Started, runtime: Runtime, how: How, reached: Reached, seen: set[str]) -> Ran:
    leg, text = begins.leg, begins.text
    while True:
        code, forced = _one(replace(begins, leg=leg, text=text), runtime, reached)
        session = claim.session_of(runtime.store, leg.name).get("session", "")
        if session in seen:
            return Ran(code=code, legs=leg.number, why="resumed")
        seen.add(session)
        if leg.handoff and known_of(runtime.store, leg) is not None:
            reached("verified", leg)
        if not forced and not wanted(runtime.store, leg):
            return Ran(code=code, legs=leg.number, why="done" if session else "unheard")
        left = hand_over(runtime, leg)
        if left is None:
            return Ran(code=code, legs=leg.number, why="nothing-known")
        reached("persisted", leg)
        if not forced and not from_details(left.details).unfinished:
            claim.close(runtime.store, left)
            return Ran(code=code, legs=leg.number, why="nothing-left")
        if leg.number >= how.most:
            return Ran(code=code, legs=leg.number, why="most")
        leg, text = after(leg, left), prompt(left, how.host)


def _one(started: Started, runtime: Runtime, reached: Reached) -> tuple[int, bool]:
    """The exit code of one agent, and whether it had to be ended."""
    leg = started.leg
    reached("starting", leg)
    with agent_process.start(started.command, started.text, {**started.env, **leg.env}) as agent:
        _note(runtime.store, leg, claim.AGENT, agent.mark)
        reached("started", leg)
        until = None
        while (code := agent.wait(LOOKS)) is None:
            if until is None and _asks(runtime.store, leg):
                reached("asked", leg)
                until = time.monotonic() + started.grace
            if until is not None and time.monotonic() > until:
                if hand_over(runtime, leg) is None:  # what it knows would go with it
                    until = math.inf
                    continue
                reached("persisted", leg)
                code = agent.end()
                reached("ended", leg)
                return code, True
    reached("ended", leg)
    return code, False
