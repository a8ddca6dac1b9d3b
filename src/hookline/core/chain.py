"""The chain: runs hooks on an event and merges their responses into an outcome, without side effects."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import Struct

from hookline.core.events import ALLOW, ASK, BLOCK, MODIFY, Event, PreToolUse
from hookline.core.frozen import Frozen
from hookline.core.hook import Hook
from hookline.core.kind import HookFailed
from hookline.core.outcome import PRIVATE_PLACEHOLDER, Outcome, Step, apply_changes
from hookline.core.response import WEIGHT, Effect, Response, Verdict
from hookline.core.state import State
from hookline.core.values import replace
from hookline.redact import redact

Call = Callable[[Hook, Event, State, float], "Any"]
"""Calls a hook with an event, the state and a timeout in seconds, and returns its answer."""
PASSED = Response()
"""The response of a hook that passes; it adds nothing to an outcome except its step."""
MAX_ROUNDS = 3
"""Maximum rounds in which guards judge an input that hooks keep changing; then it is blocked."""


class RunOptions(Struct, frozen=True, kw_only=True):
    """Options of a chain: the function that calls a hook, the clock and the deadline."""

    call: Call = lambda hook, event, state, limit: hook(event, state)
    clock: Callable[[], float] = lambda: 0.0
    """A monotonic clock, in seconds."""
    deadline: float = float("inf")
    """Time on `clock` by which the answer is due."""
    rejudging: bool = False
    """True if the hook judges the event a second time; its changes are then ignored."""


def run(event: Event, state: State, hooks: Iterable[Hook], options: RunOptions = RunOptions()) -> Outcome:  # noqa: B008 -- frozen
    """Run the *hooks* that listen for *event*, lowest priority first, ties in order of registration."""
    listening = [hook for hook in hooks if hook.listens(event)]
    listening.sort(key=lambda hook: hook.priority_for(type(event)) if hook.priorities else hook.priority)
    outcome = Outcome(event=event)
    judged: dict[str, Event] = {}
    trail: list[Step] = []
    for hook in listening:
        outcome, step = _run_hook(outcome, hook, state, options)
        judged[hook.name] = outcome.event
        trail.append(step)
        if step.injected or step.action == "block":
            spoke = (*state.injecting_hooks, hook.name) if step.injected else state.injecting_hooks
            state = replace(state, injecting_hooks=spoke, blocked=outcome.blocked is not None)
    outcome = _rejudge(outcome.with_steps(*trail), event, listening, judged, state, options)
    return _limit(outcome, event) if event.left_out else outcome


def _limit(outcome: Outcome, event: Event) -> Outcome:
    """Ask about an input of which hooks saw only a part, and keep it; cut an output to that part."""
    reason = f"{event.left_out:,} values of this call are too many or too deep to be checked"
    if isinstance(event, PreToolUse):
        step = Step(hook="hookline", action="ask", rule="hookline:too-large", reason=reason)
        asked = outcome.asked or f"{reason}. Make several smaller calls."
        return replace(outcome, event=event, asked=asked).with_steps(step)
    outcome = replace(outcome, allowed=None)
    output, note = getattr(outcome.event, "output", None), f"hookline left out: {reason}"
    if isinstance(output, Mapping | tuple):
        step = Step(hook="hookline", action="modify", rule="hookline:too-large", reason=reason)
        output = Frozen({**output, "hookline": note}) if isinstance(output, Mapping) else (*output, note)
        return replace(outcome, event=apply_changes(outcome.event, {"output": output})).with_steps(step)
    return outcome


def _rejudge(
    outcome: Outcome,
    event: Event,
    hooks: Sequence[Hook],
    judged: dict[str, Event],
    state: State,
    options: RunOptions,
) -> Outcome:
    """Let every guard that saw another input judge the final one, so that no change escapes the guards."""
    if event.changeable_field != "input":
        return outcome
    guards = [hook for hook in hooks if hook.nature == "policy"]
    for _ in range(MAX_ROUNDS):
        stale = [hook for hook in guards if not _is_same(judged[hook.name], outcome.event)]
        if outcome.blocked is not None or not stale:
            return outcome
        for hook in stale:
            outcome, step = _run_hook(
                outcome, hook, state, replace(options, rejudging=hook.source != "built-in")
            )
            outcome = outcome.with_steps(step)
            judged[hook.name] = outcome.event
    if all(_is_same(judged[hook.name], outcome.event) for hook in guards):
        return outcome
    names = ", ".join(sorted({step.hook for step in outcome.trail if step.action == "modify"}))
    return _block_unsettled(
        outcome,
        f"hooks keep changing this input ({names}), so the final input was not judged; ask the user",
    )


def _is_same(event: Event, other: Event) -> bool:
    return event is other or event == other


def _block_unsettled(outcome: Outcome, reason: str) -> Outcome:
    step = Step(hook="hookline", action="block", rule="hookline:unsettled-input", reason=reason)
    return replace(outcome, blocked=reason, trail=(*outcome.trail, step))


def _run_hook(outcome: Outcome, hook: Hook, state: State, options: RunOptions) -> tuple[Outcome, Step]:
    """Return the outcome after *hook*, and the step to add to its trail."""
    if outcome.blocked is not None and outcome.ended and not hook.observer:
        return outcome, Step(hook=hook.name, action="skipped", note="an earlier hook blocked")
    event, clock = outcome.event, options.clock
    began, limit = clock(), hook.timeout_for(event)
    left = options.deadline - began
    if left <= 0:
        late = _build_failure(hook, event, "did not run: no time was left for the answer", late=True)
        return _add(outcome, hook, late, 0)
    try:
        answer = options.call(hook, event, state, min(left, limit))
        took = clock() - began
        if answer is None and took <= limit:
            return outcome, Step(hook=hook.name, action="pass", ms=took * 1000, nature=hook.nature)
        response = _validate_answer(answer, hook, event)
    except Exception as error:  # noqa: BLE001 -- a broken hook must not break the agent
        response, took = _respond_to_error(error, hook, event, min(left, limit)), clock() - began
    if took > limit and hook.source == "built-in":
        response = response.plus(_warn_overrun(hook, took))
    if options.rejudging and response.changes:
        response = replace(response, changes=Frozen())
    if response is PASSED:
        return outcome, Step(hook=hook.name, action="pass", ms=took * 1000, nature=hook.nature)
    return _add(outcome, hook, response, took)


def _respond_to_error(error: Exception, hook: Hook, event: Event, limit: float) -> Response:
    if isinstance(error, TimeoutError):
        return _build_failure(hook, event, f"timed out after {limit:g} s", late=True)
    partial = getattr(error, "response", None) or Response()
    return _build_failure(hook, event, _describe(error)).plus(partial)


def _validate_answer(answer: Any, hook: Hook, event: Event) -> Response:
    if answer is None:
        return PASSED
    defect = _describe_defect(answer)
    return _build_failure(hook, event, f"returned {defect}") if defect else answer


def _describe_defect(answer: Any) -> str:
    # Addressed to the hook's author: a hook in Python can return anything.
    if not isinstance(answer, Response):
        return f"{type(answer).__name__}, not a Response or None"
    if answer.verdict not in WEIGHT:
        return f"the invalid verdict {answer.verdict!r}; allowed: {', '.join(WEIGHT)}"
    for name, kind in _TUPLE_FIELDS:
        value = getattr(answer, name)
        if not isinstance(value, tuple) or not all(isinstance(item, kind) for item in value):
            return f"invalid {name}: expected a tuple"
    for name in ("reason", "rule", "note"):
        if not isinstance(getattr(answer, name), str):
            return f"a {name} that is not text"
    return (
        "" if _is_json(answer.memory) and _is_json(answer.changes) else "memory or changes that are not JSON"
    )


_TUPLE_FIELDS = (("context", str), ("warnings", str), ("effects", Effect))


def _is_json(value: Any) -> bool:
    if not value or not isinstance(value, Mapping):
        return isinstance(value, Mapping)
    try:
        json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


FAILURE_BLOCKS = "it is configured to block if it fails"
"""Part of the reason of a block by a hook that failed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Failure(Response):
    """The response in place of one that a hook failed to give."""

    action: str = "failed"


def _build_failure(hook: Hook, event: Event, note: str, *, late: bool = False) -> _Failure:
    consequence = (hook.on_timeout if late else None) or hook.on_failure
    sentence = f"hook {hook.name!r} {note}"
    failure, colon, output = sentence.partition(": ")
    action = "timed-out" if late else "failed"
    if consequence == "block" and BLOCK in event.abilities:
        return _Failure(
            verdict="block",
            reason=f"{failure}, and {FAILURE_BLOCKS}{colon}{output}",
            action=action,
            note=note,
        )
    return _Failure(warnings=(f"{sentence}; it was skipped",), action=action, note=note)


def _describe(error: Exception) -> str:
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 -- a hook's own exception may break even here
        text = "(its message cannot be printed)"
    return text if isinstance(error, HookFailed) else redact(f"failed: {type(error).__name__}: {text}")[:500]


def _warn_overrun(hook: Hook, took: float) -> Response:
    return Response(
        warnings=(
            f"hook {hook.name!r} took {took:.1f} s; the limit of built-in hooks is {hook.timeout or 1:g} s",
        )
    )


def _add(outcome: Outcome, hook: Hook, response: Response, took: float) -> tuple[Outcome, Step]:
    allowed, notes = _restrict(response, hook, outcome.event)
    step = Step(
        hook=hook.name,
        action=_name_action(allowed),
        rule=f"{hook.name}:{allowed.rule}" if allowed.rule else "",
        reason=allowed.reason,
        span=allowed.span,
        ms=took * 1000,
        note=response.note or "; ".join(notes),
        injected=(PRIVATE_PLACEHOLDER,) if allowed.private and allowed.context else allowed.context,
        before={name: getattr(outcome.event, name) for name in allowed.changes},
        after=allowed.changes,
        nature=hook.nature,
    )
    return outcome.with_response(allowed, step), step


def _name_action(response: Response) -> str:
    if isinstance(response, _Failure) and response.verdict != "block":
        return response.action
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


def _restrict(response: Response, hook: Hook, event: Event) -> tuple[Response, list[str]]:
    """Return the part of *response* that *hook* may decide here, and a warning for each part left out."""
    notes: list[str] = []
    decides = response.verdict != "pass" or response.context or response.changes or response.replace_context
    if hook.observer and decides:
        notes.append(f"hook {hook.name!r} is an observer: its verdict and its changes were ignored")
        response = replace(response, verdict="pass", context=(), changes=Frozen(), replace_context=False)
    response = _restrict_changes(response, hook, event, notes)
    needed = {"block": BLOCK, "ask": ASK, "allow": ALLOW}.get(response.verdict)
    if needed and needed not in event.abilities:
        notes.append(f"hook {hook.name!r} cannot {response.verdict} at {event.name}: {response.reason}")
        response = replace(response, verdict="pass")
    return replace(response, warnings=(*response.warnings, *notes)) if notes else response, notes


def _restrict_changes(response: Response, hook: Hook, event: Event, notes: list[str]) -> Response:
    refused = {name for name, value in response.changes.items() if not _may_change(event, name, value)}
    if not refused:
        return response
    notes.append(f"hook {hook.name!r} cannot change {', '.join(sorted(refused))} at {event.name}")
    kept = {name: value for name, value in response.changes.items() if name not in refused}
    # The hook allowed the changed call, and that change is not made.
    verdict: Verdict = "pass" if response.verdict == "allow" else response.verdict
    return replace(response, changes=Frozen(kept), verdict=verdict)


def _may_change(event: Event, name: str, value: Any) -> bool:
    allowed = MODIFY in event.abilities and name == event.changeable_field
    return allowed and (name != "input" or isinstance(value, Mapping))


def merge_outcomes(outcomes: Sequence[Outcome], native: type[Event]) -> Outcome:
    """Merge the outcomes of the events of one payload; the event is that of the *native* class."""
    if len(outcomes) == 1:
        return outcomes[0]
    main = next((outcome for outcome in outcomes if isinstance(outcome.event, native)), outcomes[-1])
    merged_outcome = replace(
        main, context=(), warnings=(), effects=(), trail=(), memory=Frozen(), blocked=None
    )
    for outcome in outcomes:
        merged_outcome = merged_outcome.merge(outcome)
    return merged_outcome


def lift_repeated_block(outcome: Outcome, strikes: int, max_strikes: int, cause: str) -> Outcome:
    """Lift a block that came *max_strikes* times, with a warning that still shows its reason and context."""
    if outcome.blocked is None or strikes < max_strikes:
        return outcome
    last = "\n".join((outcome.blocked, *(text for text in outcome.context if text not in outcome.blocked)))
    note = f"capped: {cause}, so it is allowed now; last reason: {last}"
    step = Step(hook="hookline", action="capped", note=note)
    return replace(
        outcome, blocked=None, capped=True, warnings=(*outcome.warnings, note), trail=(*outcome.trail, step)
    )


def truncate_texts(texts: Sequence[str], cap: int) -> tuple[str, ...]:
    """Truncate *texts* to *cap* characters in total; a last text says how much was cut."""
    total = sum(map(len, texts))
    if total <= cap:
        return tuple(texts)
    kept: list[str] = []
    available = max(0, cap - _NOTICE_CHARS)
    for text in texts:
        kept.append(text[:available])
        available -= len(kept[-1])
        if available <= 0:
            break
    shown = sum(map(len, kept))
    return (*filter(None, kept), f"[hookline: truncated, {shown:,} of {total:,} characters shown]"[:cap])


_NOTICE_CHARS = 80
