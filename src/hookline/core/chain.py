"""Fold hooks over an event into an outcome: the rules of the chain, and nothing that touches the machine."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import Struct

from hookline.core.events import ALLOW, ASK, BLOCK, MODIFY, Event
from hookline.core.frozen import Frozen
from hookline.core.hook import Hook
from hookline.core.kind import HookFailed
from hookline.core.outcome import PRIVATE, Outcome, Step
from hookline.core.response import WEIGHT, Effect, Response, Verdict
from hookline.core.state import State
from hookline.core.values import replace
from hookline.redact import redact

Call = Callable[[Hook, Event, State, float], "Any"]
"""Carry out one hook within so many seconds."""
PASSED = Response()
"""What a hook says that passes. It adds nothing to an outcome, so that only its step is noted."""
ROUNDS = 3
"""How often the guards look again at an input that hooks keep changing, before it is stopped."""


class Run(Struct, frozen=True, kw_only=True):
    """How a chain is run: by what it calls a hook, what time it is, and when the answer is due."""

    call: Call = lambda hook, event, state, limit: hook(event, state)
    clock: Callable[[], float] = lambda: 0.0
    """A steady clock in seconds."""
    deadline: float = float("inf")
    """On that clock."""
    again: bool = False
    """Whether a hook only judges what it may have changed before: its changes no longer count."""


def run(event: Event, state: State, hooks: Iterable[Hook], how: Run = Run()) -> Outcome:  # noqa: B008 -- frozen
    """Run the *hooks* that listen for *event*, lowest priority first, ties in order of registration."""
    listening = [hook for hook in hooks if hook.listens(event)]
    listening.sort(key=lambda hook: hook.place(type(event)) if hook.priorities else hook.priority)
    outcome = Outcome(event=event)
    judged: dict[str, Event] = {}
    trail: list[Step] = []
    for hook in listening:
        outcome, step = _step(outcome, hook, state, how)
        judged[hook.name] = outcome.event
        trail.append(step)
        if step.told or step.said == "block":
            spoke = (*state.spoke, hook.name) if step.told else state.spoke
            state = replace(state, spoke=spoke, blocked=outcome.blocked is not None)
    return _judge_again(outcome.noting(*trail), event, listening, judged, state, how)


def _judge_again(
    outcome: Outcome, event: Event, hooks: Sequence[Hook], judged: dict[str, Event], state: State, how: Run
) -> Outcome:
    """Let every guard that saw another input than the final one judge that, so that no change smuggles."""
    if event.changes != "input":
        return outcome
    guards = [hook for hook in hooks if hook.nature == "policy"]
    for _ in range(ROUNDS):
        stale = [hook for hook in guards if not _same(judged[hook.name], outcome.event)]
        if outcome.blocked is not None or not stale:
            return outcome
        for hook in stale:
            outcome, step = _step(outcome, hook, state, replace(how, again=hook.source != "built-in"))
            outcome = outcome.noting(step)
            judged[hook.name] = outcome.event
    if all(_same(judged[hook.name], outcome.event) for hook in guards):
        return outcome
    names = ", ".join(sorted({step.hook for step in outcome.trail if step.said == "modify"}))
    return _stop(outcome, f"hooks keep changing this input ({names}), so it was never judged as it would run")


def _same(one: Event, other: Event) -> bool:
    return one is other or one == other


def _stop(outcome: Outcome, reason: str) -> Outcome:
    step = Step(hook="hookline", said="block", rule="hookline:unsettled-input", reason=reason)
    return replace(outcome, blocked=reason, trail=(*outcome.trail, step))


def _step(outcome: Outcome, hook: Hook, state: State, how: Run) -> tuple[Outcome, Step]:
    """The outcome after *hook*, and what is to be noted of it."""
    if outcome.blocked is not None and outcome.ended and not hook.observer:
        return outcome, Step(hook=hook.name, said="skipped", note="something before it blocked")
    event, clock = outcome.event, how.clock
    began, limit = clock(), hook.seconds(event)
    left = how.deadline - began
    if left <= 0:
        late = _failure(hook, event, "did not run: the answer's time was spent", late=True)
        return _add(outcome, hook, late, 0)
    try:
        said = how.call(hook, event, state, min(left, limit))
        took = clock() - began
        if said is None and took <= limit:
            return outcome, Step(hook=hook.name, said="pass", ms=took * 1000, nature=hook.nature)
        response = _checked(said, hook, event)
    except Exception as error:  # noqa: BLE001 -- a broken hook must not break the agent
        response, took = _failed(error, hook, event, min(left, limit)), clock() - began
    if took > limit and hook.source == "built-in":
        response = response.plus(_overrun(hook, took))
    if how.again and response.changes:
        response = replace(response, changes=Frozen())
    if response is PASSED:
        return outcome, Step(hook=hook.name, said="pass", ms=took * 1000, nature=hook.nature)
    return _add(outcome, hook, response, took)


def _failed(error: Exception, hook: Hook, event: Event, limit: float) -> Response:
    if isinstance(error, TimeoutError):
        return _failure(hook, event, f"gave no answer within {limit:g} s", late=True)
    said_besides = getattr(error, "response", None) or Response()
    return _failure(hook, event, _describe(error)).plus(said_besides)


def _checked(said: Any, hook: Hook, event: Event) -> Response:
    if said is None:
        return PASSED
    wrong = _wrong(said)
    return _failure(hook, event, f"answered with {wrong}") if wrong else said


def _wrong(said: Any) -> str:
    """What is wrong with an answer, for the hook's author; hooks in code can build anything."""
    if not isinstance(said, Response):
        return f"{type(said).__name__}, not with a Response or None"
    if said.verdict not in WEIGHT:
        return f"the verdict {said.verdict!r}; there are: {', '.join(WEIGHT)}"
    for name, kind in _TUPLES:
        value = getattr(said, name)
        if not isinstance(value, tuple) or not all(isinstance(one, kind) for one in value):
            return f"{name} of a wrong kind: it is a tuple"
    for name in ("reason", "rule", "note"):
        if not isinstance(getattr(said, name), str):
            return f"a {name} that is no text"
    return "" if _is_json(said.memory) and _is_json(said.changes) else "memory or changes that are no JSON"


_TUPLES = (("context", str), ("warnings", str), ("effects", Effect))


def _is_json(value: Any) -> bool:
    if not value or not isinstance(value, Mapping):
        return isinstance(value, Mapping)
    try:
        json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


@dataclass(frozen=True, kw_only=True, slots=True)
class _Failure(Response):
    """The answer that stands in for one that did not come."""

    said: str = "failed"


def _failure(hook: Hook, event: Event, note: str, *, late: bool = False) -> _Failure:
    wanted = (hook.on_timeout if late else None) or hook.on_failure
    sentence = f"hook {hook.name!r} {note}"
    said = "timed-out" if late else "failed"
    if wanted == "block" and BLOCK in event.may:
        return _Failure(
            verdict="block", reason=f"{sentence}, and it is set to block then", said=said, note=note
        )
    return _Failure(warnings=(f"{sentence}; it was skipped",), said=said, note=note)


def _describe(error: Exception) -> str:
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 -- a hook's own exception may break even here
        text = "(its message cannot be shown)"
    return text if isinstance(error, HookFailed) else redact(f"failed: {type(error).__name__}: {text}")[:500]


def _overrun(hook: Hook, took: float) -> Response:
    return Response(
        warnings=(f"hook {hook.name!r} took {took:.1f} s; built-in hooks have {hook.limit or 1:g} s",)
    )


def _add(outcome: Outcome, hook: Hook, response: Response, took: float) -> tuple[Outcome, Step]:
    allowed, notes = _within_rights(response, hook, outcome.event)
    step = Step(
        hook=hook.name,
        said=_said(allowed),
        rule=f"{hook.name}:{allowed.rule}" if allowed.rule else "",
        reason=allowed.reason,
        span=allowed.span,
        ms=took * 1000,
        note=response.note or "; ".join(notes),
        told=(PRIVATE,) if allowed.private and allowed.context else allowed.context,
        before={name: getattr(outcome.event, name) for name in allowed.changes},
        after=allowed.changes,
        nature=hook.nature,
    )
    return outcome.adding(allowed, step), step


def _said(response: Response) -> str:
    if isinstance(response, _Failure) and response.verdict != "block":
        return response.said
    if response.verdict != "pass":
        return response.verdict
    for word, present in (
        ("modify", response.changes),
        ("inject", response.context),
        ("warn", response.warnings),
    ):
        if present:
            return word
    return "pass"


def _within_rights(response: Response, hook: Hook, event: Event) -> tuple[Response, list[str]]:
    """What of the *response* may count here; the rest is turned into warnings that say so."""
    notes: list[str] = []
    wants = response.verdict != "pass" or response.context or response.changes or response.replace_context
    if hook.observer and wants:
        notes.append(f"hook {hook.name!r} is an observer: what it wanted to change was left out")
        response = replace(response, verdict="pass", context=(), changes=Frozen(), replace_context=False)
    response = _changes_within_rights(response, hook, event, notes)
    needed = {"block": BLOCK, "ask": ASK, "allow": ALLOW}.get(response.verdict)
    if needed and needed not in event.may:
        wanted = f"hook {hook.name!r} wanted to {response.verdict} at {event.name}"
        notes.append(f"{wanted}, which cannot be: {response.reason}")
        response = replace(response, verdict="pass")
    return replace(response, warnings=(*response.warnings, *notes)) if notes else response, notes


def _changes_within_rights(response: Response, hook: Hook, event: Event, notes: list[str]) -> Response:
    strange = {name for name, value in response.changes.items() if not _may_change(event, name, value)}
    if not strange:
        return response
    notes.append(
        f"hook {hook.name!r} wanted to change {', '.join(sorted(strange))} at {event.name}, which cannot be"
    )
    kept = {name: value for name, value in response.changes.items() if name not in strange}
    # What was allowed is the changed call, which there is not.
    verdict: Verdict = "pass" if response.verdict == "allow" else response.verdict
    return replace(response, changes=Frozen(kept), verdict=verdict)


def _may_change(event: Event, name: str, value: Any) -> bool:
    right = MODIFY in event.may and name == event.changes
    return right and (name != "input" or isinstance(value, Mapping))


def merged(outcomes: Sequence[Outcome], native: type[Event]) -> Outcome:
    """The outcomes of one native payload's events as one; the changed event is the *native* one's."""
    if len(outcomes) == 1:
        return outcomes[0]
    main = next((outcome for outcome in outcomes if isinstance(outcome.event, native)), outcomes[-1])
    whole = replace(main, context=(), warnings=(), effects=(), trail=(), memory=Frozen(), blocked=None)
    for outcome in outcomes:
        whole = whole.joined(outcome)
    return whole


def struck(outcome: Outcome, strikes: int, most: int, what: str) -> Outcome:
    """A block that came too often is let go, aloud and with its last directives still shown."""
    if outcome.blocked is None or strikes < most:
        return outcome
    last = "\n".join((outcome.blocked, *(text for text in outcome.context if text not in outcome.blocked)))
    note = f"capped: {what}, so it is let go; last: {last}"
    step = Step(hook="hookline", said="capped", note=note)
    return replace(
        outcome, blocked=None, capped=True, warnings=(*outcome.warnings, note), trail=(*outcome.trail, step)
    )


def cut(texts: Sequence[str], cap: int) -> tuple[str, ...]:
    """The *texts* within *cap* characters together; what is cut is said in the last of them."""
    whole = sum(map(len, texts))
    if whole <= cap:
        return tuple(texts)
    kept: list[str] = []
    room = max(0, cap - _CUT_ROOM)
    for text in texts:
        kept.append(text[:room])
        room -= len(kept[-1])
        if room <= 0:
            break
    shown = sum(map(len, kept))
    return (*filter(None, kept), f"[hookline: cut here, {shown:,} of {whole:,} characters shown]"[:cap])


_CUT_ROOM = 80
