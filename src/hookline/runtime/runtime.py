"""Puts it together: one event → one outcome, facts in, effects out, nothing lost.

A program with events of its own fires them here; hosts are answered through the same code.
"""

from __future__ import annotations

import os
import time
from asyncio import to_thread
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from hookline.budget.ledger import Purse
from hookline.core import chain
from hookline.core.audit import recorded, spoken
from hookline.core.degrade import answer, capped
from hookline.core.derive import derive
from hookline.core.events import (
    BLOCK,
    INJECT,
    Event,
    SessionStart,
    Stop,
    SubagentStop,
    TurnEnd,
    UserPromptSubmit,
)
from hookline.core.hook import Hook, named
from hookline.core.host import CONTEXT_CAP, CONTINUATIONS, Host, Moment, Reply, row_of
from hookline.core.outcome import Outcome, Step, no_reason_to_go_on, not_again, with_end
from hookline.core.response import Count, Keep, Stage
from hookline.core.state import Facts, Later, State
from hookline.core.store import Recorder, Store, StoreFailed
from hookline.core.values import replace
from hookline.runtime import gates
from hookline.runtime import open_store as keeping
from hookline.runtime.apply_grants import Passes
from hookline.runtime.claim_table import Claims
from hookline.runtime.effects import Wanted, keep_at_once, learn_all
from hookline.runtime.facts import FACTS, Looking
from hookline.runtime.open_store import open_store
from hookline.runtime.select_hooks import limited, reachable, switched_off
from hookline.runtime.setup import Setup, bare_setup, in_memory, load
from hookline.runtime.summarize_turn import staged
from hookline.runtime.telemetry import Start, exporter, tell
from hookline.system import spool, told_once
from hookline.system.process import identity
from hookline.system.read_script import as_recorded

_T = TypeVar("_T")

ANSWER_WITHIN = 55.0
TOGETHER = 100
"""Events of a program's own after which the sinks are told, however long the program lives."""
_UNOPENED: Any = object()
Load = Callable[[Mapping[str, str], str, Host | None], Setup]
"""Read what is configured for whoever has that environment and calls from that folder, for a host."""


class Runtime:
    """The hooks of one project and where they keep things; must be closed.

    `Runtime()` has only what you register; `Runtime.load()` has the built-ins and all that is configured.
    """

    def __init__(self, *, store: Store | None = None, setup: Setup | None = None) -> None:
        self.setup = setup or bare_setup()
        self.hooks: list[Hook] = list(self.setup.hooks)
        self.store, self.claims = store or in_memory(), Claims()
        self.counts = True
        """Whether what is counted now is known at the next call."""
        self.recorder = Recorder(keep=lambda kept: self.store.record([kept]))
        self.now: Callable[[], float] = time.time
        self.passes = Passes(file="", root=self.setup.places.root, now=self.now)
        self.standing: tuple[str, ...] = ()
        """What is wrong with the store until a person has seen to it."""
        self.call = ""  # its unique id; a retry has the same
        self.naming: Callable[[], str] = identity.fresh  # ids for records
        self.wanted = Wanted()
        """What is to be done once the answer is out."""
        self._began = False
        self._off_until: float | None = None
        self._marks = ""
        """Where it is noted who was told what; a program is told each time."""
        self._untold: list[Outcome] = []
        self.sender: Start | None = None
        """What sends telemetry that waits; None: a process of its own."""
        self.troubles: list[str] = []
        """What could not be kept or done, for whoever can still be told."""
        self.said: Outcome | None = None
        """What the last answer to a host came to."""

    @classmethod
    def load(
        cls,
        cwd: str = "",
        env: Mapping[str, str] | None = None,
        *,
        host: Host | None = None,
        store: Callable[[Setup], Store] | None = None,
        loaded: Load = load,
    ) -> Runtime:
        """The runtime of the project around *cwd*, as its user configured it.

        Whoever stays between calls has a *store* that is open, and knows what was *loaded* before.
        """
        env = dict(os.environ) if env is None else env
        runtime = cls(setup=loaded(env, cwd or os.getcwd(), host), store=_UNOPENED)
        runtime._open_store(store)
        places = runtime.setup.places
        runtime._marks = places.scratch
        runtime.claims = Claims(places.claims)
        runtime.passes = Passes(file=places.passes, root=places.root, now=runtime.now)
        return runtime

    def _open_store(self, opened: Callable[[Setup], Store] | None) -> None:
        """The configured store; where it cannot be had, the session goes on without, aloud."""
        if opened is None:
            opened = open_store
        places = self.setup.places
        try:
            self.store = opened(self.setup)
            self.standing = tuple(filter(None, (self.store.problem, spool.problem(places.spool))))
        except (StoreFailed, OSError, LookupError) as error:
            self.store, self.counts = in_memory(), False
            self.troubles.append(f"the store cannot be used, so nothing is kept: {error}")
            return
        held = spool.Spool(places.spool)
        self.recorder = Recorder(keep=held.append, settle=lambda: self._drain(held))

    def register(self, hook: Hook) -> Hook:
        """Add a hook in code; also as a decorator above `@hook(...)`."""
        if named(self.hooks, hook.name) is not None:
            raise ValueError(f"a hook is called {hook.name!r} already; give this one another name")
        self.hooks.append(hook)
        return hook

    def limit_to(self, only: Sequence[str] = (), without: Sequence[str] = ()) -> None:
        """Leave out every hook but *only*, and those of *without*; raises `LookupError` for a wrong name."""
        if only or without:
            self.hooks = limited(self.hooks, only, without)

    async def fire(self, event: Event) -> Outcome:
        """Judge *event* without holding up the loop."""
        return await to_thread(self.fire_now, event)

    def fire_now(self, event: Event) -> Outcome:
        """Judge *event*, a moment of the program's own."""
        purse = self._purse(event)
        purse.take()
        outcome = self._judge(event, self._deadline(ANSWER_WITHIN), purse)
        outcome = self._continued(outcome, CONTINUATIONS)
        said = capped(self._staged(outcome, [outcome]), self.cap(CONTEXT_CAP))
        self._keep([outcome], said)
        if len(self._untold) >= TOGETHER:
            self._tell_sinks()
        more = (*self._complaints(event), *self._told_troubles(event))
        return replace(said, warnings=(*said.warnings, *more)) if more else said

    def answer(self, host: Host, name: str, event: Event) -> Reply:
        """The reply to one native moment, with every event that it means judged and kept."""
        if host.recorded is not None:
            event = as_recorded(host, event)
        row = row_of(host, name, event.native) or host.moments[name]
        cap, purse = self.cap(host.context_cap), self._purse(event)
        outcomes = self._judge_all(host, event, row, purse)
        whole = self._staged(chain.merged(outcomes, type(event)), outcomes, over=BLOCK not in row.can)
        whole = self._with_what_waited(whole, row, purse)
        whole = spoken(whole)
        reply, said = answer(host, name, event, whole, cap)
        self.said = said
        self._keep(outcomes, said, shown=host.shows_notices)
        troubles = self._told_troubles(event)
        if troubles:  # what could not be kept is said in the same breath
            reply, _ = answer(host, name, event, replace(whole, warnings=whole.warnings + troubles), cap)
        return reply

    def _told_troubles(self, event: Event) -> tuple[str, ...]:
        """Each once a session, for the next event will meet the same trouble."""
        troubles, self.troubles = tuple(self.troubles), []
        if not troubles or not self._marks:
            return troubles
        return tuple(one for one in troubles if told_once.first(self._marks, event.session, one))

    def _continued(self, outcome: Outcome, most: int, *, tells: bool = False) -> Outcome:
        chosen = self.setup.settled.options.get("continuations")
        cap = min(chosen.value, most) if chosen else most
        return self._counted(lambda: gates.continued(self.store, outcome, cap), outcome, tells=tells)

    def _counted(self, count: Callable[[], Outcome], outcome: Outcome, *, tells: bool) -> Outcome:
        usual = gates.uncounted(outcome, tells=tells)
        return self._try(count, usual=usual) if self.counts else usual

    def _staged(self, outcome: Outcome, outcomes: Sequence[Outcome], *, over: bool = False) -> Outcome:
        """The end of a turn with what its user is to see of it; where it is *over*, no block holds it."""
        if not any(isinstance(effect, Stage) for effect in outcome.effects):
            return outcome
        self._try(self.recorder.bring or self.recorder.settle, usual=None)
        return self._try(lambda: staged(outcome, outcomes, self.store, over=over), usual=outcome)

    def _judge_all(self, host: Host, event: Event, row: Moment, purse: Purse) -> list[Outcome]:
        outcomes, within = [], min(row.within or host.within, host.within)
        known, tells = not self.begin(event), "again" in row.fields
        spent, holds = purse.spent(self.hooks), BLOCK in row.can
        # Where no block can hold it, the turn is over: the rest is told of that.
        cancelling = (UserPromptSubmit, TurnEnd) if holds else (UserPromptSubmit,)
        deadline = self._deadline(within)  # what the store took is not taken from the guards
        for one in derive(host, event, known=known, spent=spent):
            judged = self._judge(one, deadline, purse, tells=tells)
            if holds:
                judged = self._continued(judged, host.continuations, tells=tells)
            outcomes.append(judged)
            if judged.blocked is not None and isinstance(one, cancelling):
                break
        ends = isinstance(event, Stop | SubagentStop)
        return [*map(no_reason_to_go_on, outcomes)] if ends else outcomes

    def spent(self, event: Event) -> Mapping[str, float]:
        """What ran out or short since the last event, in percent: for a program to fire, once each."""
        return self._purse(event).spent(self.hooks)

    def begin(self, event: Event, process: Mapping[str, str] | None = None) -> bool:
        """Have the store know of the event's session, and of the *process* it is in; whether it was new."""
        new = self._try(
            lambda: self.store.begin(
                event.session, host=event.host, cwd=event.cwd, at=self.now(), call=self.call
            ),
            usual=False,
        )
        self._began = self._began or new
        if process:
            self._try(lambda: self.store.note(event.session, {identity.NOTE: process}), usual=None)
        return new

    def _judge(self, event: Event, deadline: float, purse: Purse, *, tells: bool = False) -> Outcome:
        event = event if event.at else replace(event, at=self.now())
        state = self.state(event, purse)
        self._off_until = self.passes.off_until()
        off = switched_off(self.hooks, event) if self._off_until is not None else []
        hooks, skipped = reachable(self.hooks, event, off, self.setup.env)
        outcome = chain.run(event, state, hooks, self._run_until(deadline))
        for hook in skipped:
            outcome = not_again(outcome, hook.name)
        for hook in off:
            outcome = outcome.noting(Step(hook=hook.name, said="skipped", note="switched off by a person"))
        return self._counted(lambda: gates.judged(self.store, outcome), outcome, tells=tells)

    def how(self, seconds: float) -> chain.Run:
        """How hooks are run that have so many *seconds*."""
        return self._run_until(self._deadline(seconds))

    def _run_until(self, deadline: float) -> chain.Run:
        return chain.Run(call=self.passes.call, clock=time.monotonic, deadline=deadline)

    def state(self, event: Event, purse: Purse | None = None) -> State:
        purse = purse or self._purse(event)
        return State(
            now=self.now(),
            budget=purse.budget,
            env=self.setup.env,
            memory=Later(lambda: purse.notes),
            counters=Later(lambda: self._counters(event.session)),
            facts=Facts(None, FACTS, Looking(event, self.store, self.setup, purse, self._try)),
        )

    def _counters(self, session: str) -> Mapping[str, int]:
        if self.recorder.bring:  # what the last events added may be on its way still
            self._try(self.recorder.bring, usual=None)
        return self._try(lambda: self.store.counters(session), usual={})

    def _purse(self, event: Event) -> Purse:
        purse = Purse(event, self.store, self.setup.places, self.setup.env, now=self.now())
        purse.troubles = self.troubles
        return purse

    def _with_what_waited(self, outcome: Outcome, row: Moment, purse: Purse) -> Outcome:
        """Context that an earlier moment could not take, and what is wrong with the configuration."""
        event = outcome.event
        kept: tuple[str, ...] = ()
        if INJECT in row.can and event.to_agent and event.subagent is None and purse.held:
            kept = self._try(lambda: self.store.take(event.session), usual=())
        more = (*event.odd, *self._complaints(event), *self._told_troubles(event))
        if not kept and not more:
            return outcome
        warnings = tuple(dict.fromkeys((*outcome.warnings, *more)))
        return replace(outcome, context=(*kept, *outcome.context), warnings=warnings)

    def _complaints(self, event: Event) -> Sequence[str]:
        """Said when a session starts, where not every host shows it, and once more; not at every call."""
        told = self.setup.complaints + self.standing + self.passes.notices(self._off_until)
        said = list(told)
        if not told or isinstance(event, SessionStart):
            return told
        before = self._try(lambda: self.store.notes(event.session).get("hookline.complaints"), usual=None)
        if list(before or ()) == said:
            return ()
        self._try(lambda: self.store.note(event.session, {"hookline.complaints": said}), usual=None)
        return told

    def _deadline(self, seconds: float) -> float:
        chosen = self.setup.settled.options.get("answer_within")
        return time.monotonic() + (min(chosen.value, seconds) if chosen else seconds)

    def cap(self, most: int) -> int:
        """Characters of context that an answer may carry, of at *most* so many."""
        chosen = self.setup.settled.options.get("context_cap")
        return min(chosen.value, most) if chosen else most

    def _keep(self, outcomes: Sequence[Outcome], said: Outcome, *, shown: bool = False) -> None:
        """What must not be lost once the answer is given: *said* is what the *outcomes* came to."""
        added = said.trail[sum([len(one.trail) for one in outcomes]) :]
        keep_at_once(said, self.store, self.setup.places, self.now(), self._try)
        self.wanted.take(said, shown=shown)
        for outcome in outcomes:
            native = type(outcome.event) is type(said.event)
            whole = with_end(outcome, said, added) if native else outcome
            self._untold += [whole] if self.setup.settled.sinks else []
            if any(isinstance(effect, Keep) for effect in outcome.effects):
                self._record(whole)
            else:
                self._count(outcome)

    def _count(self, outcome: Outcome) -> None:
        """Counters of an event that nobody records count all the same."""
        wanted = [effect for effect in outcome.effects if isinstance(effect, Count)]
        session = outcome.event.session
        self._try(lambda: sum(self.store.count(session, one.name, one.by) for one in wanted), usual=0)

    def _record(self, outcome: Outcome) -> None:
        took = sum([step.ms for step in outcome.trail])
        kept = recorded(self.naming(), outcome, at=outcome.event.at or self.now(), ms=took)
        self._try(lambda: self.recorder.keep(kept), usual=None)

    def settle(self) -> None:
        """What can wait until the answer is out: effects, the store, and telemetry."""
        lessons = self.wanted.lessons()
        self.troubles += self.wanted.carry_out(self.setup.places, self.setup.env)
        self._try(self.recorder.settle, usual=None)
        self._tell_sinks()
        if lessons:
            self._try(lambda: learn_all(lessons, self.store, self.setup.places, self.now()), usual=None)

    def _tell_sinks(self) -> None:
        untold, self._untold = self._untold, []
        if not untold:
            return
        setup, start = self.setup, self.sender or exporter(self.setup.env)
        self.troubles += self._try(
            lambda: tell(setup.settled.sinks, untold, self.store, setup.places, start),
            usual=tuple[str, ...](),
        )

    def _drain(self, held: spool.Spool) -> None:
        held.drain(self.store)
        began, self._began = self._began, False
        if began:
            keeping.tidy(self.setup, self.store, at=self.now())

    def close(self, *, last: bool = False) -> None:
        """End its use; *last* where the process ends with it."""
        self.settle()
        self.setup.kept.close()
        (getattr(self.store, "leave", self.store.close) if last else self.store.close)()

    def _try(self, use: Callable[[], _T], *, usual: _T) -> _T:
        """Use the store; where it fails, the answer goes on without it, aloud."""
        try:
            return use()
        except (StoreFailed, OSError) as error:
            trouble = f"the store could not be used: {error}"
            if trouble not in self.troubles:
                self.troubles.append(trouble)
            return usual
