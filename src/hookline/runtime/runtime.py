"""The runtime, which judges each event with the hooks of a project and stores the results.

A program fires its own events here; calls of hosts are answered by the same code.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from hookline.budget.ledger import Ledger
from hookline.core import chain
from hookline.core.audit import build_record, redact_outcome
from hookline.core.degrade import build_reply, truncate_outcome
from hookline.core.derive import derive, derive_errors
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
from hookline.core.hook import Hook, find_hook
from hookline.core.host import CONTEXT_CAP, MAX_CONTINUATIONS, Host, Moment, Reply, ReplyContext, find_row
from hookline.core.outcome import Outcome, lift_budget_block, skip_reentrant_hook, with_final_verdict
from hookline.core.response import Count, RecordEvent, SummaryPart
from hookline.core.state import Facts, LazyMapping, State
from hookline.core.store import Recorder, Store, StoreFailed
from hookline.core.values import replace
from hookline.runtime import gates, open_store
from hookline.runtime.call_claims import Claims
from hookline.runtime.call_hook import Grants, SwitchedOff, find_switchable, limit_hooks, select_hooks
from hookline.runtime.effects import Effects, learn_all, store_at_once
from hookline.runtime.facts import FACTS, FactContext
from hookline.runtime.setup import Setup, bare_setup, load_setup, open_volatile_store
from hookline.runtime.telemetry import StartExport, process_starter, report_outcomes
from hookline.runtime.turn_summary import add_summary
from hookline.system import session_record, spool
from hookline.system.process import identity
from hookline.system.read_script import add_recorded_error
from hookline.system.session_record import CallingSession

_T = TypeVar("_T")

TIMEOUT_SECONDS = 55.0
"""Seconds in which an event of a program is judged."""
SINK_BATCH = 100
"""Events of a program after which the sinks get them, because the program may run for long."""
_UNOPENED: Any = object()
LoadSetup = Callable[[Mapping[str, str], str, Host | None, CallingSession | None], Setup]
"""Load the configuration for an environment, a folder, a host and a session."""
Judged = tuple[ReplyContext, Sequence[Outcome]]
"""A moment with its merged outcome, and the outcomes of all events derived from it."""


class Runtime:
    """The hooks of one project, with their store; must be closed.

    `Runtime()` has only the hooks that you register; `Runtime.load()` has the built-in and configured hooks.
    """

    def __init__(self, *, store: Store | None = None, setup: Setup | None = None) -> None:
        self.setup = setup or bare_setup()
        self.hooks: list[Hook] = list(self.setup.hooks)
        self.store, self.claims = store or open_volatile_store(), Claims()
        self.recorder = Recorder(record=lambda kept: self.store.record([kept]))
        self.now: Callable[[], float] = time.time
        self.grants = Grants(file="", root=self.setup.places.root, now=self.now)
        self.store_problems: tuple[str, ...] = ()
        """Problems of the store that persist until a person fixes them."""
        self.call_id = ""  # its unique id; a retry has the same
        self.find_author: Callable[[], str] = str  # returns the agent that writes the prompts, or ""
        self.new_id: Callable[[], str] = identity.random_id  # ids for records
        self.effects = Effects()
        """Effects to run after the reply is written."""
        self._began, self._off = False, SwitchedOff()
        self._reported_folder = ""  # with marks of reported troubles; a program gets them each time
        self._unreported: list[Outcome] = []
        self.sender: StartExport | None = None
        """The function that starts sending queued telemetry; None to start a process for it."""
        self.problems: list[str] = []
        """Errors to report to the user."""
        self.last_outcome: Outcome | None = None
        """The final outcome of the last answer to a host."""

    @classmethod
    def load(
        cls,
        cwd: str = "",
        env: Mapping[str, str] | None = None,
        *,
        host: Host | None = None,
        session: CallingSession | None = None,
        store: Callable[[Setup], Store] = open_store.open_for_call,
        load_setup: LoadSetup = load_setup,
    ) -> Runtime:
        """Return the runtime of the project around *cwd*, as its user configured it.

        A daemon passes its open *store*, and a *load_setup* function that caches the configuration.
        """
        env = dict(os.environ) if env is None else env
        runtime = cls(setup=load_setup(env, cwd or os.getcwd(), host, session), store=_UNOPENED)
        runtime._open_store(store)
        places = runtime.setup.places
        runtime._reported_folder = places.scratch
        runtime.claims = Claims(places.claims)
        runtime.grants = Grants(file=places.grants, root=places.root, now=runtime.now)
        return runtime

    def _open_store(self, open_configured: Callable[[Setup], Store]) -> None:
        """Open the configured store; while that fails, records wait in the spool."""
        held_spool = spool.Spool(self.setup.places.spool)
        record = held_spool.append
        try:
            self.store = open_configured(self.setup)
        except (StoreFailed, OSError, LookupError) as error:
            self.store = open_store.UnopenedStore(partial(open_configured, self.setup), error)
            record = partial(spool.append, held_spool.folder)  # to one file, not to one of each call
        self.store_problems = tuple(filter(None, (self.store.problem, spool.problem(held_spool.folder))))
        write_pending = partial(self._drain, held_spool)
        self.recorder = Recorder(record=record, write_pending=write_pending, spooled=True)

    def register(self, hook: Hook) -> Hook:
        """Add a hook in code; also as a decorator above `@hook(...)`."""
        if find_hook(self.hooks, hook.name) is not None:
            raise ValueError(f"duplicate hook name {hook.name!r}; choose another name")
        self.hooks.append(hook)
        return hook

    def limit_to(self, only: Sequence[str] = (), without: Sequence[str] = ()) -> None:
        """Keep only the hooks of *only*, without those of *without*; raise `LookupError` for a wrong name."""
        if only or without:
            self.hooks = limit_hooks(self.hooks, only, without)

    async def fire(self, event: Event) -> Outcome:
        """Judge *event* without blocking the event loop."""
        from asyncio import to_thread  # noqa: PLC0415 -- only for asynchronous programs

        return await to_thread(self.fire_now, event)

    def fire_now(self, event: Event) -> Outcome:
        """Judge *event*, an event of the program."""
        if self._is_repeated_end(event):
            return Outcome(event=event)
        ledger = self._open_ledger(event)
        ledger.take_figures()
        deadline = self.deadline(TIMEOUT_SECONDS)
        outcome = self._count_continuation(self._judge(event, deadline, ledger), MAX_CONTINUATIONS)
        outcomes = [outcome, *self._judge_errors(outcome, deadline, ledger)]
        outcome = self._add_summary(chain.merge_outcomes(outcomes, type(event)), outcomes)
        final = truncate_outcome(outcome, self.limit_context(CONTEXT_CAP))
        self._store_outcomes(outcomes, final)
        if len(self._unreported) >= SINK_BATCH:
            self._send_reports()
        extra_warnings = (*self._unreported_messages(event), *self._unreported_troubles(event))
        return replace(final, warnings=(*final.warnings, *extra_warnings)) if extra_warnings else final

    def answer(self, host: Host, name: str, event: Event) -> Reply:
        """Return the reply to one moment of a host; judge and store every event derived from it."""
        judged = self.judge_moment(host, name, event)
        return self.reply(host, *judged) if judged else Reply(stdout=host.encode_empty_reply(name))

    def judge_moment(self, host: Host, name: str, event: Event) -> Judged | None:
        """Judge one moment of a host, and store nothing yet; return None for a repeated end of a session."""
        if self._is_repeated_end(event):
            return None
        if host.find_recorded_error is not None:
            event = add_recorded_error(host, event)
        row = find_row(host, name, event.native) or host.moments[name]
        ledger = self._open_ledger(event)
        outcomes = self._judge_all(host, event, row, ledger)
        merged = self._add_summary(
            chain.merge_outcomes(outcomes, type(event)), outcomes, over=BLOCK not in row.abilities
        )
        merged = self._add_held_context(merged, row, ledger)
        return ReplyContext(name=name, event=event, outcome=redact_outcome(merged)), outcomes

    def reply(self, host: Host, context: ReplyContext, outcomes: Sequence[Outcome]) -> Reply:
        """Return the reply to a moment that was judged, and store its *outcomes*."""
        name, event, merged = context.name, context.event, context.outcome
        cap = self.limit_context(host.context_cap)
        reply, final = build_reply(host, name, event, merged, cap)
        self.last_outcome = final
        self._store_outcomes(outcomes, final, shown=host.shows_notices)
        troubles = self._unreported_troubles(event)
        if troubles:  # report in the same reply what could not be stored
            reply, _ = build_reply(
                host, name, event, replace(merged, warnings=merged.warnings + troubles), cap
            )
        return reply

    def _is_repeated_end(self, event: Event) -> bool:
        return self._try(lambda: gates.is_repeated_end(self.store, event, self.call_id), default=False)

    def _unreported_troubles(self, event: Event) -> tuple[str, ...]:
        """Return each trouble once per session, because the next event will meet it again."""
        troubles, self.problems = tuple(self.problems), []
        folder = self._reported_folder
        return session_record.select_first(folder, event.session, troubles) if folder else troubles

    def _count_continuation(
        self, outcome: Outcome, max_continuations: int, *, reports_again: bool = False
    ) -> Outcome:
        cap = int(self._limit("continuations", max_continuations))
        return self._count_or_limit(
            lambda: gates.count_continuation(self.store, outcome, cap), outcome, reports_again=reports_again
        )

    def _count_or_limit(
        self, count: Callable[[], Outcome], outcome: Outcome, *, reports_again: bool
    ) -> Outcome:
        return self._try(count, default=gates.limit_uncounted(outcome, reports_again=reports_again))

    def _add_summary(self, outcome: Outcome, outcomes: Sequence[Outcome], *, over: bool = False) -> Outcome:
        """Return a turn's end with its summary; if the turn is *over*, a block does not continue it."""
        if not any(isinstance(effect, SummaryPart) for effect in outcome.effects):
            return outcome
        self._try(self.recorder.flush or self.recorder.write_pending, default=None)
        root = self.setup.places.root
        return self._try(lambda: add_summary(outcome, outcomes, self.store, root, over=over), default=outcome)

    def _judge_all(self, host: Host, event: Event, row: Moment, ledger: Ledger) -> list[Outcome]:
        outcomes, within = [], min(row.timeout or host.timeout, host.timeout)
        session_known, reports_again = not self.begin(event), "again" in row.fields
        spent, can_block = ledger.find_exceeded(self.hooks), BLOCK in row.abilities
        # If a block cannot continue the turn, it is over, and the remaining events are judged too.
        cancelling = (UserPromptSubmit, TurnEnd) if can_block else (UserPromptSubmit,)
        deadline = self.deadline(within)  # begins here, so that a slow store takes no time from the guards
        for derived in derive(host, event, session_known=session_known, spent=spent):
            outcome = self._judge(derived, deadline, ledger, reports_again=reports_again)
            if can_block:
                outcome = self._count_continuation(outcome, host.continuations, reports_again=reports_again)
            outcomes += [outcome, *self._judge_errors(outcome, deadline, ledger)]
            if outcome.blocked is not None and isinstance(derived, cancelling):
                break
        return [*map(lift_budget_block, outcomes)] if isinstance(event, Stop | SubagentStop) else outcomes

    def _judge_errors(self, outcome: Outcome, deadline: float, ledger: Ledger) -> list[Outcome]:
        return [self._judge(error, deadline, ledger) for error in derive_errors(outcome)]

    def find_exceeded_budgets(self, event: Event) -> Mapping[str, float]:
        """Return the budgets that were exceeded or nearly so since the last event, in percent, each once."""
        return self._open_ledger(event).find_exceeded(self.hooks)

    def begin(self, event: Event, process: Mapping[str, str] | None = None) -> bool:
        """Register the event's session and its *process* in the store; return whether the session is new."""
        new = self._try(
            lambda: self.store.begin_session(
                event.session, host=event.host, cwd=event.cwd, at=self.now(), call=self.call_id
            ),
            default=False,
        )
        self._began = self._began or new
        if process:
            self._try(lambda: self.store.set_notes(event.session, {identity.NOTE: process}), default=None)
        return new

    def _judge(
        self, event: Event, deadline: float, ledger: Ledger, *, reports_again: bool = False
    ) -> Outcome:
        event = event if event.at else replace(event, at=self.now())
        state = self.state(event, ledger)
        self._off = self.grants.find_off()
        off = find_switchable(self.hooks, event) if self._off.until is not None else []
        hooks, skipped = select_hooks(self.hooks, event, off, self.setup.env)
        outcome = chain.run(event, state, hooks, self.run_options(deadline))
        for hook in skipped:
            outcome = skip_reentrant_hook(outcome, hook.name)
        steps = self._off.steps(off)
        outcome = outcome.with_steps(*steps) if steps else outcome
        return self._count_or_limit(
            lambda: gates.count_strikes(self.store, outcome), outcome, reports_again=reports_again
        )

    def run_options(self, deadline: float) -> chain.RunOptions:
        """Return the options to run hooks until a *deadline*."""
        return chain.RunOptions(call=self.grants.call, clock=time.monotonic, deadline=deadline)

    def state(self, event: Event, ledger: Ledger | None = None) -> State:
        ledger = ledger or self._open_ledger(event)
        context = FactContext(event, self.store, self.setup, ledger, self._try, self.grants, self.find_author)
        return State(
            now=self.now(),
            budget=ledger.budget,
            env=self.setup.env,
            memory=LazyMapping(lambda: ledger.notes),
            counters=LazyMapping(lambda: self._counters(event.session)),
            facts=Facts(None, FACTS, context),
        )

    def _counters(self, session: str) -> Mapping[str, int]:
        if self.recorder.flush:  # counts of the last events may still be in the spool
            self._try(self.recorder.flush, default=None)
        return self._try(lambda: self.store.counters(session), default={})

    def _open_ledger(self, event: Event) -> Ledger:
        setup = self.setup
        ledger = Ledger(event, self.store, setup.places, setup.env, now=self.now(), attempt=self._try)
        ledger.problems = self.problems
        return ledger

    def _add_held_context(self, outcome: Outcome, row: Moment, ledger: Ledger) -> Outcome:
        """Add context that an earlier moment could not carry, and messages about the configuration."""
        event, held = outcome.event, tuple[str, ...]()
        if INJECT in row.abilities and event.to_agent and event.subagent is None and ledger.has_held_context:
            held = self._try(lambda: self.store.take_held_context(event.session), default=())
        messages = (*self._unreported_messages(event), *self._unreported_troubles(event))
        return outcome.with_texts(held, (*event.payload_problems, *messages))

    def _unreported_messages(self, event: Event) -> Sequence[str]:
        """Return messages at a session's start, which some hosts do not show, and then once more."""
        messages = self.setup.user_messages + self.store_problems + self._off.notices()
        if not messages or isinstance(event, SessionStart):
            return messages
        return self._try(
            lambda: open_store.select_unreported(self.store, event.session, messages), default=messages
        )

    def deadline(self, seconds: float) -> float:
        """Return the time of the monotonic clock until which hooks may run, in *seconds* at most."""
        return time.monotonic() + self._limit("answer_within", seconds)

    def limit_context(self, max_length: int) -> int:
        """Return the number of characters of context that an answer may carry, *max_length* at most."""
        return int(self._limit("context_cap", max_length))

    def _limit(self, option: str, maximum: float) -> float:
        setting = self.setup.config.options.get(option)
        return min(setting.value, maximum) if setting else maximum

    def _store_outcomes(self, outcomes: Sequence[Outcome], final: Outcome, *, shown: bool = False) -> None:
        """Store everything that must survive the answer; *final* is the merged result of *outcomes*."""
        final_steps = final.trail[sum([len(item.trail) for item in outcomes]) :]
        store_at_once(final, self.store, self.setup.places, self.now(), self._try)
        self.effects.add(final, shown=shown)
        for outcome in outcomes:
            is_native = type(outcome.event) is type(final.event)
            recorded = with_final_verdict(outcome, final, final_steps) if is_native else outcome
            self._unreported += [recorded] if self.setup.config.sinks else []
            if any(isinstance(effect, RecordEvent) for effect in outcome.effects):
                self._record(recorded)
            else:
                self._count_effects(outcome)

    def _count_effects(self, outcome: Outcome) -> None:
        """Count the counters of an event that is not recorded."""
        session, counts = outcome.event.session, [e for e in outcome.effects if isinstance(e, Count)]
        self._try(lambda: sum(self.store.count(session, count.name, count.by) for count in counts), default=0)

    def _record(self, outcome: Outcome) -> None:
        record = build_record(self.new_id(), outcome, at=outcome.event.at or self.now())
        self._try(lambda: self.recorder.record(record), default=None, failed="the decision was not recorded")

    def run_deferred_work(self) -> None:
        """Do the work that can wait until the reply is written: effects, the store, and telemetry."""
        learning = self.effects.take_learning()
        self.problems += self.effects.run(self.setup.places, self.setup.env)
        self._try(self.recorder.write_pending, default=None)
        if learning:  # before the reports, which count what was learnt
            self._try(lambda: learn_all(learning, self.store, self.setup.places, self.now()), default=None)
        self._send_reports()

    def _send_reports(self) -> None:
        unreported, self._unreported = self._unreported, []
        if not unreported:
            return
        setup, start = self.setup, self.sender or process_starter(self.setup.env)
        report = partial(report_outcomes, setup.config.sinks, unreported, self.store, setup.places, start)
        self.problems += self._try(report, default=())

    def _drain(self, held_spool: spool.Spool) -> None:
        held_spool.drain(self.store, within=spool.BACKLOG_SECONDS)
        began, self._began = self._began, False
        if began:
            open_store.prune_daily(self.setup, self.store, at=self.now())

    def close(self, *, last: bool = False) -> None:
        """Close the runtime; *last* if the process ends with it."""
        self.run_deferred_work()
        self.setup.resources.close()
        (getattr(self.store, "leave", self.store.close) if last else self.store.close)()

    def _try(self, use: Callable[[], _T], *, default: _T, failed: str = "") -> _T:
        """Use the store; if it fails, report what *failed* and why, and return *default*."""
        began = time.monotonic()
        try:
            return use()
        except (StoreFailed, OSError) as error:
            waited = time.monotonic() - began
            problem = open_store.report_failure(
                self.setup, self.recorder, error, waited=waited, failed=failed
            )
            self.problems += [problem] if problem not in self.problems else []
            return default
