"""The outcome of an event: all responses merged, with a trail of the response of each hook."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from hookline.core.events import Event, OnBudgetExceeded, Stop
from hookline.core.frozen import EMPTY, Frozen
from hookline.core.response import Effect, Response, Verdict
from hookline.core.values import replace

PRIVATE_PLACEHOLDER = "(recalled memories; not recorded here, so that they can be deleted)"

# counters of a session about its hooks
RUNS, MICROSECONDS = "hooks:runs", "hooks:microseconds"
FAILED, BLOCKED, CONTINUED = "hooks:failed:", "hooks:blocked:", "hooks:went-on:"
COUNTER_PREFIX = "hooks:"
FAILED_ACTIONS = ("failed", "timed-out")
"""Actions of steps of hooks that crashed or timed out."""


class Step(Struct, frozen=True, kw_only=True):
    """One entry of the trail: the response of one hook."""

    hook: str
    action: str
    """pass, inject, warn, modify, allow, ask, block; or failed, timed-out, skipped, continued, capped,
    degraded, shown."""
    rule: str = ""
    reason: str = ""
    span: tuple[int, int] | None = None
    note: str = ""
    """The reason why it did not run, or which part of its answer was ignored."""
    before: Mapping[str, Any] = EMPTY
    after: Mapping[str, Any] = EMPTY
    injected: tuple[str, ...] = ()
    """The context that it injected."""
    ms: float = 0.0
    nature: str = "policy"


class Outcome(Struct, frozen=True, kw_only=True):
    """The merged responses to an event; a reason is None if no hook blocked, asked or allowed."""

    event: Event
    """The event with the changes that hooks made."""
    blocked: str | None = None
    asked: str | None = None
    allowed: str | None = None
    context: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    effects: tuple[Effect, ...] = ()
    memory: Mapping[str, Any] = EMPTY
    held_context: tuple[str, ...] = ()
    """Context that the host cannot inject here, held back for the next event at which it can."""
    trail: tuple[Step, ...] = ()
    private: tuple[str, ...] = ()
    """The warnings that are shown but not recorded."""
    capped: bool = False
    """True if a block was lifted because it came too often."""
    continuations: int = 0
    """Number of times that hooks have continued this turn."""

    @property
    def ended(self) -> bool:
        """True if a block ended the chain."""
        return self.blocked is not None and self.event.block_prevents

    @property
    def action(self) -> str:
        """The verdict in one word: block, ask, modify or pass."""
        if self.blocked is not None:
            return "block"
        if self.asked is not None:
            return "ask"
        return "modify" if "modify" in [step.action for step in self.trail] else "pass"

    @property
    def rules(self) -> tuple[str, ...]:
        """The ids of the rules that decided, in order and without duplicates."""
        return tuple(dict.fromkeys([step.rule for step in self.trail if step.rule]))

    @property
    def silent(self) -> bool:
        """True if every hook passed, so that there is nothing to report."""
        if self.context or self.warnings or self.held_context or self.capped or self.verdict != "pass":
            return False
        return not {step.action for step in self.trail} - {"pass"}

    @property
    def verdict(self) -> Verdict:
        if self.blocked is not None:
            return "block"
        return "ask" if self.asked is not None else "allow" if self.allowed is not None else "pass"

    def with_steps(self, *steps: Step) -> Outcome:
        return replace(self, trail=(*self.trail, *steps))

    def with_texts(self, context: tuple[str, ...], warnings: tuple[str, ...]) -> Outcome:
        """Return the outcome with *context* before its own, and with further *warnings*, each once."""
        if not context and not warnings:
            return self
        every = tuple(dict.fromkeys((*self.warnings, *warnings)))
        return replace(self, context=(*context, *self.context), warnings=every)

    def with_response(self, response: Response, step: Step) -> Outcome:
        """Return this outcome merged with *response*; its *step* is not added to the trail yet."""
        reason = _format_reason(response, step)
        return replace(
            self,
            event=apply_changes(self.event, response.changes) if response.changes else self.event,
            blocked=_join_reasons(self.blocked, reason) if response.verdict == "block" else self.blocked,
            asked=_keep_first(self.asked, reason) if response.verdict == "ask" else self.asked,
            allowed=_keep_first(self.allowed, reason) if response.verdict == "allow" else self.allowed,
            context=_append_new(() if response.replace_context else self.context, response.context),
            warnings=_append_new(self.warnings, response.warnings),
            effects=self.effects + response.effects,
            memory=Frozen({**self.memory, **response.memory}) if response.memory else self.memory,
        )

    def merge(self, other: Outcome) -> Outcome:
        """Return this outcome merged with another one of the same payload; the event is that of this one."""
        return replace(
            self,
            blocked=_join_reasons(self.blocked, other.blocked),
            asked=_keep_first(self.asked, other.asked),
            allowed=_keep_first(self.allowed, other.allowed),
            context=_append_new(self.context, other.context),
            warnings=_append_new(self.warnings, other.warnings),
            effects=self.effects + other.effects,
            memory=Frozen({**self.memory, **other.memory}),
            trail=self.trail + other.trail,
            private=self.private + other.private,
            capped=self.capped or other.capped,
            continuations=max(self.continuations, other.continuations),
        )


def apply_changes(event: Event, changes: Mapping[str, Any]) -> Event:
    """Return *event* with *changes*, also in its native payload, which some hooks judge instead."""
    native = event.native
    for name, value in changes.items():
        if name in event.native_paths:
            native = _set_path(native, event.native_paths[name].split("."), value)
    return replace(event, **changes, native=native)


def _set_path(payload: Any, path: list[str], value: Any) -> Any:
    if not path:
        return value
    outer = payload if isinstance(payload, Mapping) else {}
    return Frozen({**outer, path[0]: _set_path(outer.get(path[0]), path[1:], value)})


def _format_reason(response: Response, step: Step) -> str:
    # The rule's id lets the user find the rule and except it.
    reason = response.reason or f"blocked by hook {step.hook!r}"
    return f"{reason} [{step.rule}]" if step.rule else reason


def _keep_first(old: str | None, new: str | None) -> str | None:
    return new if old is None else old


def _join_reasons(old: str | None, new: str | None) -> str | None:
    if old is None or new is None or new == old:
        return new if old is None else old
    return f"{old}\n{new}"


def _append_new(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    # A guard that judges twice repeats its text.
    return old + tuple(text for text in new if text not in old)


def lift_budget_block(outcome: Outcome) -> Outcome:
    """Turn the block of a spent budget into a warning: at a turn's end a block would continue the turn."""
    if not isinstance(outcome.event, OnBudgetExceeded) or outcome.blocked is None:
        return outcome
    return replace(outcome, blocked=None, warnings=(*outcome.warnings, outcome.blocked))


def with_final_verdict(outcome: Outcome, answer: Outcome, steps: tuple[Step, ...]) -> Outcome:
    """Return the outcome of the native event with the verdict and warnings of the whole answer."""
    if answer.trail is outcome.trail and answer.warnings is outcome.warnings and answer.action == "pass":
        return outcome  # it is the whole answer, unchanged
    return replace(
        outcome,
        blocked=answer.blocked,
        asked=answer.asked,
        capped=answer.capped,
        warnings=answer.warnings,
        private=answer.private,
        trail=outcome.trail + steps,
    )


def skip_reentrant_hook(outcome: Outcome, hook: str) -> Outcome:
    note = "was called from its own process tree"
    outcome = outcome.with_steps(Step(hook=hook, action="skipped", note=note))
    return replace(outcome, warnings=(*outcome.warnings, f"hook {hook!r} {note}; it was skipped"))


def count_outcome(outcome: Outcome) -> dict[str, int]:
    """Return what *outcome* adds to the session's counters."""
    steps = [step for step in outcome.trail if _is_hook_run(step.hook, step.action)]
    counts = {RUNS: len(steps), MICROSECONDS: round(sum([step.ms for step in steps]) * 1000)}
    stopped = CONTINUED if isinstance(outcome.event, Stop) else BLOCKED
    for step in steps:
        if step.action == "block" or step.action in FAILED_ACTIONS:
            name = f"{stopped if step.action == 'block' else FAILED}{step.hook}"
            counts[name] = counts.get(name, 0) + 1
    return counts


def _is_hook_run(hook: str, action: str) -> bool:
    return action != "skipped" and hook != "hookline" and not hook.startswith("turn-summary.")
