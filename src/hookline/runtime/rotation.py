"""Continuation of a run in a fresh session when a session's context is nearly full, without a person.

A run is a sequence of sessions, its legs. Hooks ask for the next leg when the context is nearly full or the
agent loops; then a handoff is stored, the session ends, and a fresh one starts with the handoff. `run` does
all of this. A program that runs agents by itself uses the parts: the environment of a `Leg`,
`asks_for_rotation`, `hand_over`, `next_leg` and `build_prompt`. If the runner is killed, it leaves the old
session as it was, or a handoff that the next session in the project claims.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from msgspec import Struct

from hookline import hosts
from hookline.budget.ledger import USAGE_NOTE
from hookline.core.derive import find_abilities
from hookline.core.events import INJECT, PreCompact, SessionStart
from hookline.core.records import Handoff
from hookline.core.store import Session, Store, StoreFailed
from hookline.core.values import replace
from hookline.handoff import claim, handoffs
from hookline.handoff.content import CHECKED_NOTE, CONTINUE_PROMPT, from_details
from hookline.memory.learn import POSITION_NOTE
from hookline.runtime.runtime import Runtime
from hookline.system.process import agent_process, identity

POLL_SECONDS = 0.25
"""Seconds between two checks whether a session asks for the next one."""
GRACE_SECONDS = 60.0
"""Seconds that an agent has to end by itself after it was asked to."""
MAX_SESSIONS = 20
"""Sessions of a run."""
ROTATION_REASON = "rotation"
LOOP_NOTE = "loop-breaker.ended"
POINTS = ("starting", "started", "asked", "persisted", "ended", "verified")
"""The points of every leg, in order; if an agent ends by itself, its handoff is stored after the end."""
PROMPT = f"""{CONTINUE_PROMPT}, which was rotated because its context was nearly full.
You were given its handoff when this session started.
First say in one line each: issue, branch, blockers, next step. Then continue with the next step."""


class Leg(Struct, frozen=True, kw_only=True):
    """One session of a run."""

    run: str
    number: int = 1
    handoff: str = ""
    """The id of the handoff from which it continues; empty for the first leg."""

    @property
    def name(self) -> str:
        return f"{self.run}:{self.number}"

    @property
    def env(self) -> dict[str, str]:
        """Return the variables for the agent's environment."""
        return {handoffs.LEG_VARIABLE: self.name, handoffs.HANDOFF_VARIABLE: self.handoff}


OnPoint = Callable[[str, Leg], object]
"""Called at every point of a run."""


class RotationResult(Struct, frozen=True, kw_only=True):
    """The result of a run."""

    code: int
    """The exit code of the last agent."""
    legs: int
    why: str
    """The reason of its end: done, no-hook-called, resumed, nothing-left, no-handoff or session-limit."""


class RotationOptions(Struct, frozen=True, kw_only=True):
    """The options of a run."""

    host: str = ""
    """The host of the command; empty if it is not known."""
    max_sessions: int = MAX_SESSIONS
    """Maximum number of sessions."""
    grace: float = GRACE_SECONDS
    """Seconds that an agent has to end by itself."""


DEFAULT_OPTIONS = RotationOptions()


def first_leg(handoff: str = "") -> Leg:
    """Return the first leg of a new run, without or with a handoff from which it continues."""
    return Leg(run=identity.random_id()[:12], handoff=handoff)


def next_leg(leg: Leg, handoff: Handoff) -> Leg:
    """Return the leg that continues from *handoff*."""
    return Leg(run=leg.run, number=leg.number + 1, handoff=handoff.id)


def asks_for_rotation(store: Store, leg: Leg) -> bool:
    """Return whether the leg's session asked for the next one."""
    session = claim.find_leg_session(store, leg.name).get("session", "")
    notes = store.notes(session) if session else {}
    return bool(notes.get(handoffs.ROTATE_NOTE) or notes.get(LOOP_NOTE))


def _asks_now(store: Store, leg: Leg) -> bool:
    """Return whether the leg asks for the next one; a failing store does not end a running agent."""
    try:
        return asks_for_rotation(store, leg)
    except (StoreFailed, OSError):
        return False


def hand_over(runtime: Runtime, leg: Leg) -> Handoff | None:
    """Tell all hooks that the session's context is lost, and store its handoff; None if there is none."""
    session = claim.find_leg_session(runtime.store, leg.name)
    if not session:
        return None
    fields: dict[str, Any] = dict(session)
    return _save_handoff(runtime, PreCompact(**fields, trigger=ROTATION_REASON))


def hand_over_session(runtime: Runtime, session: Session) -> Handoff:
    """Store and return the handoff of a session; raise `LookupError` if it has no content for one."""
    event = PreCompact(
        session=session.id,
        host=session.host,
        cwd=session.cwd,
        transcript=_find_transcript(runtime.store, session),
        trigger=ROTATION_REASON,
    )
    handoff = _save_handoff(runtime, event)
    if handoff is None:
        raise LookupError(
            f"session {session.id[:8]!r} has no content for a handoff: "
            "it has no prompt yet, or the hook 'handoff' is off"
        )
    return handoff


def _save_handoff(runtime: Runtime, event: PreCompact) -> Handoff | None:
    runtime.fire_now(event)
    runtime.run_deferred_work()
    stored = runtime.store.handoffs(session=event.session, limit=5)
    return next((handoff for handoff in stored if handoff.details.get("why") == ROTATION_REASON), None)


def _find_transcript(store: Store, session: Session) -> str:
    """Return the path of the host's transcript, if it was read before, or ""."""
    notes = store.notes(session.id)
    marks = ((notes.get(USAGE_NOTE) or {}).get("mark"), notes.get(POSITION_NOTE))
    return next((str(mark["path"]) for mark in marks if mark and mark.get("path")), "")


def build_prompt(handoff: Handoff, host: str) -> str:
    """Return the prompt of the fresh session, with the handoff if the host cannot inject it at the start."""
    can_inject = host in hosts.names() and INJECT in find_abilities(hosts.load(host), SessionStart)
    return PROMPT if can_inject else f"{PROMPT}\n\n{handoff.text}"


def find_unclaimed(store: Store, root: str, now: float, branch: str = "", state: str = "") -> Handoff | None:
    """Return the newest unclaimed handoff of a rotation; only the last one of each session counts.

    A handoff of the *branch* comes first. Handoffs of other users of the store are ignored.
    """
    newest: dict[str, Handoff] = {}
    for handoff in store.handoffs(project=root, limit=handoffs.MAX_SEARCHED):
        if handoff.details.get("why") == ROTATION_REASON and handoffs.is_own(handoff, state):
            newest.setdefault(handoff.session, handoff)
    unclaimed = [handoff for handoff in newest.values() if claim.is_claimable(store, handoff, now)]
    on_branch = (handoff for handoff in unclaimed if from_details(handoff.details).branch == branch)
    return next(on_branch, None) or next(iter(unclaimed), None)


def reserve_handoff(store: Store, handoff: Handoff, state: str) -> None:
    """Let only this process continue from *handoff*; raise `LookupError` if another process does."""
    if claim.is_running(store, handoff.session):
        raise LookupError(
            f"session {handoff.session[:8]!r}, which wrote this handoff, is still running; end it first"
        )
    note = f"{claim.CLAIMED_BY_PREFIX}{handoff.id}:runner"
    with claim.claim_lock(state):
        runner = store.notes(handoff.session).get(note)
        if runner and identity.is_running(runner):
            raise LookupError(
                f"process {runner['name'].partition(':')[0]} already continues from this handoff"
            )
        store.set_notes(handoff.session, {note: identity.describe_process()})


def find_handoff_check(store: Store, leg: Leg) -> Mapping[str, Any] | None:
    """Return the check of the leg's first answer against the handoff; None if it has not answered."""
    session = claim.find_leg_session(store, leg.name).get("session", "")
    check = store.notes(session).get(CHECKED_NOTE) if session else None
    return check if isinstance(check, Mapping) else None


class AgentStart(Struct, frozen=True, kw_only=True):
    """The start of one agent: command, prompt, environment and the time to end."""

    command: tuple[str, ...]
    text: str
    env: Mapping[str, str]
    leg: Leg
    grace: float


def run(
    command: Sequence[str],
    prompt: str,
    *,
    runtime: Runtime,
    env: Mapping[str, str],
    options: RotationOptions = DEFAULT_OPTIONS,
    handoff: Handoff | None = None,
    notify: OnPoint = lambda point, leg: None,
) -> RotationResult:
    """Run the headless *command* with the prompt *prompt*, in as many sessions as it takes."""
    text = build_prompt(handoff, options.host) if handoff and not prompt.strip() else prompt
    start = AgentStart(
        command=tuple(command),
        text=text,
        env=env,
        leg=first_leg(handoff.id if handoff else ""),
        grace=options.grace,
    )
    started_legs: list[Leg] = []

    def on_point(point: str, leg: Leg) -> None:
        if point == "starting":
            started_legs.append(leg)
            _save_mark(runtime.store, leg, claim.RUNNER_KEY, identity.describe_process())
        notify(point, leg)

    try:
        return _run_legs(start, runtime, options, on_point, seen={handoff.session} if handoff else set())
    finally:
        for leg in started_legs:
            _save_mark(runtime.store, leg, claim.RUNNER_KEY, None)


def _save_mark(store: Store, leg: Leg, name: str, mark: Mapping[str, str] | None) -> None:
    """Save the mark of a process for other programs; the run continues if this fails."""
    with suppress(StoreFailed, OSError):
        store.set_notes(f"{claim.LEG_PREFIX}{leg.name}", {name: mark})


def _run_legs(
    start: AgentStart, runtime: Runtime, how: RotationOptions, reached: OnPoint, seen: set[str]
) -> RotationResult:
    leg, text = start.leg, start.text
    while True:
        code, forced = _run_agent(replace(start, leg=leg, text=text), runtime, reached)
        session = claim.find_leg_session(runtime.store, leg.name).get("session", "")
        if session in seen:
            return RotationResult(code=code, legs=leg.number, why="resumed")
        seen.add(session)
        if leg.handoff and find_handoff_check(runtime.store, leg) is not None:
            reached("verified", leg)
        if not forced and not asks_for_rotation(runtime.store, leg):
            return RotationResult(code=code, legs=leg.number, why="done" if session else "no-hook-called")
        handoff = hand_over(runtime, leg)
        if handoff is None:
            return RotationResult(code=code, legs=leg.number, why="no-handoff")
        reached("persisted", leg)
        if not forced and not from_details(handoff.details).unfinished:
            claim.close_handoff(runtime.store, handoff)
            return RotationResult(code=code, legs=leg.number, why="nothing-left")
        if leg.number >= how.max_sessions:
            return RotationResult(code=code, legs=leg.number, why="session-limit")
        leg, text = next_leg(leg, handoff), build_prompt(handoff, how.host)


def _run_agent(started: AgentStart, runtime: Runtime, reached: OnPoint) -> tuple[int, bool]:
    """Run one agent; return its exit code and whether it had to be ended."""
    leg = started.leg
    reached("starting", leg)
    with agent_process.start(started.command, started.text, {**started.env, **leg.env}) as agent:
        _save_mark(runtime.store, leg, claim.AGENT_KEY, agent.mark)
        reached("started", leg)
        deadline = None
        while (code := agent.wait(POLL_SECONDS)) is None:
            if deadline is None and _asks_now(runtime.store, leg):
                reached("asked", leg)
                deadline = time.monotonic() + started.grace
            if deadline is not None and time.monotonic() > deadline:
                if (
                    hand_over(runtime, leg) is None
                ):  # without a handoff, the context of the agent would be lost
                    deadline = math.inf
                    continue
                reached("persisted", leg)
                code = agent.end()
                reached("ended", leg)
                return code, True
    reached("ended", leg)
    return code, False
