"""Time and tokens of a session: its budget, its usage, and the thresholds that it has crossed."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from json import loads
from typing import Any, NamedTuple

from msgspec.structs import asdict

from hookline import hosts
from hookline.budget.branches import BRANCHES_NOTE, add_change, find_last_branch
from hookline.budget.model_reply import merge_figures, parse_figures, parse_usage, with_reported
from hookline.budget.models import compute_usage, load_models
from hookline.core.budget import (
    REARM_MARGIN,
    UNLIMITED,
    Budget,
    compare_thresholds,
    parse_budget_end,
    with_earliest_end,
)
from hookline.core.events import (
    Event,
    OnBudgetExceeded,
    PostModelCall,
    PostToolUse,
    PreModelCall,
    Stop,
    UserPromptSubmit,
)
from hookline.core.hook import Hook, find_hook
from hookline.core.store import Attempt, Store, attempt_silently
from hookline.core.usage import (
    UNKNOWN,
    Answer,
    ModelCall,
    Tally,
    TokenCounts,
    Total,
    Usage,
    UsageEntry,
    UsageReader,
    mark_answer,
    parse_tokens,
    sum_tokens,
    tally_from_json,
    tally_to_json,
    update_tally,
)
from hookline.core.values import replace
from hookline.core.variables import BUDGET_END
from hookline.system.git_facts import find_branch
from hookline.system.paths import Places
from hookline.system.read_script import read_tail
from hookline.system.tail import ReadPosition, mark_from, read_new_lines

BUDGET_NOTE = "hookline.budget"
"""Name of the note that holds the end of a session's own time budget, in Unix seconds."""
EXTERNAL_END_NOTE = "hookline.ends_at"
"""Name of the note that holds the last end set by the environment or the host, for other processes."""
USAGE_NOTE = "hookline.usage"
"""Name of the note that holds the position reached in a session's transcript, and the tally so far."""
LAST_CALL_NOTE = "hookline.used"
"""Name of the note about the last model call, used without a transcript."""
REPORTED_NOTE = "hookline.reported"
"""Name of the note that holds the usage that the host's events reported last."""
SPENT_PREFIX, TURN_OUTPUT_COUNTER, TURNS_COUNTER = "usage:spent:", "usage:turn:", "usage:turns"
"""Counters used without a transcript: tokens by kind and model, output tokens of this turn, and turns."""
ANNOUNCED_PREFIX, ANNOUNCED_NOTE = "announced:tokens:", "hookline.announced"
"""Prefix of the counters of announced thresholds, and the note that there are any."""
GUARD_NAME, DEFAULT_THRESHOLDS = "budget-guard", {"warn_at": 70, "block_at": 80}
"""Hook whose settings are the token thresholds, and their defaults in percent."""
WATCHED_EVENTS = (UserPromptSubmit, PostToolUse, PreModelCall, PostModelCall, Stop)
"""Events that check token thresholds: a model call came before, and the agent can read a message."""
LATE_SECONDS, UNREPORTED_SECONDS, POLL_SECONDS = 2.0, 0.25, 0.02
"""Seconds to wait at a turn's end for an answer that the host has reported but not yet written, for one that
it has not reported, and between two reads."""


class _Awaited(NamedTuple):
    """An answer that a host has reported, but may not have written yet."""

    answers: int
    """Answers counted before."""
    mark: str
    """Mark of the answer; empty if the host has not reported its text."""
    spent: TokenCounts
    """Tokens counted before."""

    @property
    def seconds(self) -> float:
        return LATE_SECONDS if self.mark else UNREPORTED_SECONDS

    def is_in(self, tally: Tally) -> bool:
        if not self.mark:
            return sum_tokens(tally) != self.spent
        return tally.answer == self.mark and tally.answers > self.answers


class Ledger:
    """The budget and usage of one session, looked up on first use."""

    def __init__(
        self,
        event: Event,
        store: Store,
        places: Places,
        env: Mapping[str, str],
        *,
        now: float,
        attempt: Attempt = attempt_silently,
    ) -> None:
        self.event, self.store, self.places, self.env, self.now = event, store, places, env, now
        self._attempt = attempt
        self.problems: list[str] = []
        """Errors to report to the user."""

    @cached_property
    def notes(self) -> Mapping[str, Any]:
        return self._notes_and_held[0]

    @property
    def has_held_context(self) -> bool:
        """Return whether context is held for an event that can inject it."""
        return self._notes_and_held[1]

    @cached_property
    def _notes_and_held(self) -> tuple[Mapping[str, Any], bool]:
        unknown: tuple[Mapping[str, Any], bool] = {}, True
        return self._attempt(lambda: self.store.load_notes(self.event.session), default=unknown)

    @cached_property
    def budget(self) -> Budget:
        """Return the budget with the nearest end: the environment's, the host's or the session's own."""
        return with_earliest_end(self._external_budget, self.notes.get(BUDGET_NOTE))

    @cached_property
    def _external_budget(self) -> Budget:
        return with_earliest_end(parse_budget_end(self.env.get(BUDGET_END, "")), self.event.ends_at)

    @cached_property
    def usage(self) -> Usage:
        return self._attempt(self._find_usage, default=UNKNOWN)

    def _find_usage(self) -> Usage:
        reported = self.notes.get(REPORTED_NOTE)
        counted = self._count_usage()
        return with_reported(counted, reported) if isinstance(reported, Mapping) else counted

    def _count_usage(self) -> Usage:
        tally = self._tally
        if tally is None:
            return UNKNOWN
        models, problem = load_models(self.places)
        self.problems += [problem] if problem and problem not in self.problems else []
        return compute_usage(tally, models)

    @cached_property
    def _tally(self) -> Tally | None:
        return self._tally_transcript() if self._usage_reader else self._tally_counters()

    @property
    def _usage_reader(self) -> UsageReader | None:
        return find_usage_reader(self.event.host)

    def _tally_transcript(self) -> Tally | None:
        """Read the session's transcript on from where the last call stopped."""
        saved = self.notes.get(USAGE_NOTE)
        previous = saved if isinstance(saved, Mapping) else {}
        mark, tally = mark_from(previous.get("mark")), tally_from_json(previous.get("tally"))
        reader, path = self._usage_reader, self.event.transcript
        if reader is None or not path or self.event.subagent is not None:
            return tally if previous else None
        counted, was_missed = parse_tokens(previous.get("stopped")), previous.get("missed") is True
        awaited = self._awaited_answer(tally, counted, reported=not was_missed)
        reached, tally = _read_tally(reader, path, mark, tally, awaited)
        stopped = tally.answers if isinstance(self.event, Stop) else counted
        missed = was_missed or (awaited is not None and awaited.mark not in ("", tally.answer))
        if (reached, stopped, missed) != (mark, counted, was_missed):
            position = {"mark": _mark_as_json(reached), "tally": tally_to_json(tally)}
            note = {USAGE_NOTE: {**position, "stopped": stopped, "missed": missed}}
            self._attempt(lambda: self.store.set_notes(self.event.session, note), default=None)
        return _with_final_context(tally, reader, path) if reached.behind else tally

    def _awaited_answer(self, tally: Tally, answers: int, *, reported: bool) -> _Awaited | None:
        """Return the answer that ends the turn, if this is its end; *answers* are those of earlier turns.

        It has no mark unless *reported*: a session whose transcript lacked a reported answer waits for none.
        """
        if not isinstance(self.event, Stop):
            return None
        return _Awaited(answers, mark_answer(self.event.last_text) if reported else "", sum_tokens(tally))

    def _tally_counters(self) -> Tally | None:
        """Sum the usage that model calls reported, for a host without a transcript that we can read."""
        counters = self.store.counters(self.event.session)
        spent: dict[str, TokenCounts] = {}
        for name, count in counters.items():
            if name.startswith(SPENT_PREFIX):
                kind, _, model = name.removeprefix(SPENT_PREFIX).partition(":")
                spent[model] = spent.get(model, TokenCounts())._replace(**{kind: count})
        if not spent:
            return None
        note = self.notes.get(LAST_CALL_NOTE)
        last = note if isinstance(note, Mapping) else {}
        return Tally(
            spent=spent,
            model=str(last.get("model", "")),
            used=last["used"] if type(last.get("used")) is int else None,
            turn=counters.get(TURNS_COUNTER, 0),
            turn_output=counters.get(TURN_OUTPUT_COUNTER, 0),
        )

    def take_figures(self) -> None:
        """Store the figures that the event reports: the usage of the session, and of a model call."""
        self._count_model_call()
        if self.event.reports_usage and self.event.subagent is None:
            self._attempt(lambda: self._store_figures(parse_figures(self.event)), default=None)

    def _store_figures(self, figures: Mapping[str, float]) -> None:
        saved = self.notes.get(REPORTED_NOTE)
        known = merge_figures(saved if isinstance(saved, Mapping) else {}, figures)
        if known and known != saved:
            self.store.set_notes(self.event.session, {REPORTED_NOTE: known})
            self._forget_notes()

    def _count_model_call(self) -> None:
        """Count the tokens of a model call, unless the session's transcript will report them too."""
        event = self.event
        if isinstance(event, PostModelCall) and event.usage and not event.subagent and not self._usage_reader:
            reply = parse_usage(event.usage, event.model)
            self._attempt(lambda: self._count(reply) if reply else None, default=None)

    def _count(self, reply: ModelCall) -> None:
        event = self.event
        if TURN_OUTPUT_COUNTER not in self.store.counters(event.session):
            self.store.count(event.session, TURNS_COUNTER)
        for kind, count in zip(reply.spent._fields, reply.spent, strict=True):
            if count:
                self.store.count(event.session, f"{SPENT_PREFIX}{kind}:{reply.model}", count)
        self.store.count(event.session, TURN_OUTPUT_COUNTER, reply.spent.output)
        self.store.set_notes(
            event.session, {LAST_CALL_NOTE: {"model": reply.model, "used": reply.spent.total}}
        )
        self._forget_notes()

    def _forget_notes(self) -> None:
        for cached in ("notes", "_notes_and_held"):
            self.__dict__.pop(cached, None)

    def find_exceeded(self, hooks: Sequence[Hook]) -> dict[str, float]:
        """Return the budgets that crossed a threshold since the last event, each with its percentage used."""
        if isinstance(self.event, OnBudgetExceeded):
            return {}
        self.take_figures()
        if isinstance(self.event, Stop):
            _ = self.usage  # may wait for the host, which must not take time from a hook
        return self._attempt(lambda: self._find_exceeded(hooks), default=dict[str, float]())

    def _find_exceeded(self, hooks: Sequence[Hook]) -> dict[str, float]:
        if self.notes.get(EXTERNAL_END_NOTE) != self._external_budget.ends_at:
            self.store.set_notes(self.event.session, {EXTERNAL_END_NOTE: self._external_budget.ends_at})
        time = {"time": 100.0} if self._announces_expiry() else {}
        watched = isinstance(self.event, WATCHED_EVENTS) and self.event.subagent is None
        if not watched or not any(hook.enabled and OnBudgetExceeded in hook.on for hook in hooks):
            return time
        self._note_branch()
        return time | self._find_exceeded_tokens(find_thresholds(hooks))

    def _note_branch(self) -> None:
        """Store the tokens spent so far if the branch has changed since the last event."""
        changes, branch = self.notes.get(BRANCHES_NOTE), find_branch(self.places.root)
        if branch != find_last_branch(changes):
            noted = add_change(changes, branch, self._tally.spent if self._tally else {})
            self.store.set_notes(self.event.session, {BRANCHES_NOTE: noted})

    def _announces_expiry(self) -> bool:
        """Return whether the time has expired and no earlier event of the session has announced it."""
        if not self.budget.expired(self.now):
            return False
        name = f"announced:time:{self.budget.ends_at}"
        if name in self.store.counters(self.event.session):
            return False
        return self.store.count(self.event.session, name) == 1

    def _find_exceeded_tokens(self, limits: Sequence[float]) -> dict[str, float]:
        """Announce each threshold once, until usage has fallen well below it."""
        percent = self.usage.percent
        any_announced = ANNOUNCED_NOTE in self.notes
        if percent is None or (not any_announced and percent < min(limits)):
            return {}
        counters = self.store.counters(self.event.session) if any_announced else {}
        announced = {limit for limit in limits if f"{ANNOUNCED_PREFIX}{limit:g}" in counters}
        fresh, over = compare_thresholds(percent, limits, announced, REARM_MARGIN)
        for limit in over:
            self.store.reset_counters(self.event.session, f"{ANNOUNCED_PREFIX}{limit:g}")
        if not fresh:
            return {}
        if not any_announced:
            self.store.set_notes(self.event.session, {ANNOUNCED_NOTE: True})
        # Of two simultaneous calls, only the one that counts first announces the threshold.
        first = [self.store.count(self.event.session, f"{ANNOUNCED_PREFIX}{limit:g}") == 1 for limit in fresh]
        return {"tokens": percent} if any(first) else {}


def find_end(notes: Mapping[str, Any]) -> float | None:
    """Return the time at which a session's budget ends according to its *notes*."""
    return with_earliest_end(UNLIMITED, notes.get(BUDGET_NOTE), notes.get(EXTERNAL_END_NOTE)).ends_at


def find_thresholds(hooks: Iterable[Hook]) -> tuple[float, ...]:
    """Return the token thresholds in percent, as the budget guard is configured."""
    guard = find_hook(hooks, GUARD_NAME)
    settings = guard.settings if guard else {}
    return tuple(float(settings.get(name, default)) for name, default in DEFAULT_THRESHOLDS.items())


def find_usage_reader(host: str) -> UsageReader | None:
    """Return the transcript reader for usage of a *host*; None if it has no transcript that we can read."""
    return hosts.load(host).usage if host in hosts.names() else None


def _read_tally(
    reader: UsageReader, path: str, mark: ReadPosition, tally: Tally, awaited: _Awaited | None
) -> tuple[ReadPosition, Tally]:
    """Return the position reached and the tally; wait for the *awaited* answer, which may be written late."""
    until = time.monotonic() + (awaited.seconds if awaited else 0.0)
    while True:
        result = read_new_lines(path, mark, reader.line_markers)
        if result.restarted:
            tally, awaited = Tally(), awaited and awaited._replace(answers=0)
        mark, tally = result.position, update_tally(tally, read_usage_lines(reader, result.lines))
        if awaited is None or awaited.is_in(tally) or not mark.path or time.monotonic() > until:
            return mark, tally
        time.sleep(POLL_SECONDS)


def read_usage_lines(reader: UsageReader, lines: Iterable[bytes]) -> Iterable[UsageEntry]:
    """Yield the usage entries in *lines*, and skip any line that is not a JSON object."""
    for line in lines:  # other tools and people write to this file too
        try:
            entry = loads(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict):
            answer = reader.read_answer(entry)
            yield from (Answer(answer),) if answer else ()
            yield from reader.read(entry)


def _with_final_context(tally: Tally, reader: UsageReader, path: str) -> Tally:
    """Return the *tally* with the context and turn at the end of a transcript too long for one read."""
    entries = tuple(read_usage_lines(reader, read_tail(path).encode(errors="replace").split(b"\n")))
    before = next((entry.spent for entry in entries if isinstance(entry, Total)), TokenCounts())
    last = update_tally(Tally(total=before), entries)
    return replace(
        tally,
        used=last.used,
        model=last.model or tally.model,
        window=last.window or tally.window,
        turn_output=last.turn_output,
    )


def _mark_as_json(mark: ReadPosition) -> dict[str, Any]:
    return asdict(mark)
