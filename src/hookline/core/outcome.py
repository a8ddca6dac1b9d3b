"""All responses to one event, merged, with a trail of who said what in how long."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from hookline.core.events import Event, OnBudgetExceeded
from hookline.core.frozen import NOTHING, Frozen
from hookline.core.response import Effect, Response, Verdict
from hookline.core.values import replace

PRIVATE = "(what was remembered; it is not kept here, so that it can be forgotten)"


class Step(Struct, frozen=True, kw_only=True):
    """What one hook did, as a person may want to see it later."""

    hook: str
    said: str
    """pass, inject, warn, modify, allow, ask, block; or failed, timed-out, skipped, continued, capped,
    degraded, shown."""
    rule: str = ""
    reason: str = ""
    span: tuple[int, int] | None = None
    note: str = ""
    """Why it did not run, or what of its answer could not count."""
    before: Mapping[str, Any] = NOTHING
    after: Mapping[str, Any] = NOTHING
    told: tuple[str, ...] = ()
    """The context that it gave."""
    ms: float = 0.0
    nature: str = "policy"


class Outcome(Struct, frozen=True, kw_only=True):
    """What is to be answered; None where nobody blocked, asked or allowed."""

    event: Event
    """With the changes that were made."""
    blocked: str | None = None
    asked: str | None = None
    allowed: str | None = None
    context: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    effects: tuple[Effect, ...] = ()
    memory: Mapping[str, Any] = NOTHING
    kept: tuple[str, ...] = ()
    """Context that this moment could not take, for the next one that can."""
    trail: tuple[Step, ...] = ()
    private: tuple[str, ...] = ()
    """Those of the warnings that are said and not kept."""
    capped: bool = False
    """Whether a block was overruled because it came too often."""
    continuations: int = 0
    """How often hooks have made this turn go on."""

    @property
    def ended(self) -> bool:
        """Whether the chain ends here: something was prevented."""
        return self.blocked is not None and self.event.prevents

    @property
    def action(self) -> str:
        """The verdict in one word: block, ask, modify or pass."""
        if self.blocked is not None:
            return "block"
        if self.asked is not None:
            return "ask"
        return "modify" if "modify" in [step.said for step in self.trail] else "pass"

    @property
    def rules(self) -> tuple[str, ...]:
        """Every rule that spoke, in order, once each."""
        return tuple(dict.fromkeys([step.rule for step in self.trail if step.rule]))

    @property
    def silent(self) -> bool:
        """Whether every hook just passed, so that there is nothing to tell anybody."""
        if self.context or self.warnings or self.kept or self.capped or self.verdict != "pass":
            return False
        return not {step.said for step in self.trail} - {"pass"}

    @property
    def verdict(self) -> Verdict:
        if self.blocked is not None:
            return "block"
        return "ask" if self.asked is not None else "allow" if self.allowed is not None else "pass"

    def noting(self, *steps: Step) -> Outcome:
        return replace(self, trail=(*self.trail, *steps))

    def adding(self, response: Response, step: Step) -> Outcome:
        """This outcome after one more response, whose *step* is still to be noted."""
        said = _reason(response, step)
        return replace(
            self,
            event=changed(self.event, response.changes) if response.changes else self.event,
            blocked=_joined(self.blocked, said) if response.verdict == "block" else self.blocked,
            asked=_first(self.asked, said) if response.verdict == "ask" else self.asked,
            allowed=_first(self.allowed, said) if response.verdict == "allow" else self.allowed,
            context=_fresh(() if response.replace_context else self.context, response.context),
            warnings=_fresh(self.warnings, response.warnings),
            effects=self.effects + response.effects,
            memory=Frozen({**self.memory, **response.memory}) if response.memory else self.memory,
        )

    def joined(self, other: Outcome) -> Outcome:
        """Two outcomes of one native payload as one; the event is this one's."""
        return replace(
            self,
            blocked=_joined(self.blocked, other.blocked),
            asked=_first(self.asked, other.asked),
            allowed=_first(self.allowed, other.allowed),
            context=_fresh(self.context, other.context),
            warnings=_fresh(self.warnings, other.warnings),
            effects=self.effects + other.effects,
            memory=Frozen({**self.memory, **other.memory}),
            trail=self.trail + other.trail,
            private=self.private + other.private,
            capped=self.capped or other.capped,
            continuations=max(self.continuations, other.continuations),
        )


def changed(event: Event, changes: Mapping[str, Any]) -> Event:
    """*event* with the changes, in the host's own payload too: who reads that must not judge the old one."""
    native = event.native
    for name, value in changes.items():
        if name in event.lies_at:
            native = _laid(native, event.lies_at[name].split("."), value)
    return replace(event, **changes, native=native)


def _laid(payload: Any, path: list[str], value: Any) -> Any:
    if not path:
        return value
    outer = payload if isinstance(payload, Mapping) else {}
    return Frozen({**outer, path[0]: _laid(outer.get(path[0]), path[1:], value)})


def _reason(response: Response, step: Step) -> str:
    """The reason with the rule's id, so that it can be found and excepted."""
    reason = response.reason or f"stopped by hook {step.hook!r}"
    return f"{reason} [{step.rule}]" if step.rule else reason


def _first(old: str | None, new: str | None) -> str | None:
    return new if old is None else old


def _joined(old: str | None, new: str | None) -> str | None:
    if old is None or new is None or new == old:
        return new if old is None else old
    return f"{old}\n{new}"


def _fresh(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    """A guard that looks twice says a thing once."""
    return old + tuple(text for text in new if text not in old)


def no_reason_to_go_on(outcome: Outcome) -> Outcome:
    """A budget that is spent ends a turn: its block must not make the agent go on."""
    if not isinstance(outcome.event, OnBudgetExceeded) or outcome.blocked is None:
        return outcome
    return replace(outcome, blocked=None, warnings=(*outcome.warnings, outcome.blocked))


def with_end(outcome: Outcome, said: Outcome, added: tuple[Step, ...]) -> Outcome:
    """The native event's own outcome, with what became of the whole answer."""
    if said.trail is outcome.trail and said.warnings is outcome.warnings and said.action == "pass":
        return outcome  # it is the whole answer, and nothing became of it
    return replace(
        outcome,
        blocked=said.blocked,
        asked=said.asked,
        capped=said.capped,
        warnings=said.warnings,
        private=said.private,
        trail=outcome.trail + added,
    )


def not_again(outcome: Outcome, hook: str) -> Outcome:
    note = "was reached from its own process tree"
    outcome = outcome.noting(Step(hook=hook, said="skipped", note=note))
    return replace(outcome, warnings=(*outcome.warnings, f"hook {hook!r} {note}; it was skipped"))
