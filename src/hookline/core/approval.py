"""A question that a person answers while the call waits, and the person's decision."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from hookline.core.audit import summarize_event
from hookline.core.outcome import Outcome, Step
from hookline.core.values import replace

Choice: TypeAlias = 'Literal["once", "session", "deny"]'
CHOICES: tuple[Choice, ...] = ("once", "session", "deny")
"""Allow this call, allow the question's rules for the rest of the session, or deny the call."""
MAX_MESSAGE_CHARS = 2_000


class Question(Struct, frozen=True, kw_only=True):
    """A question about one call of a tool; its texts are redacted."""

    id: str
    host: str
    session: str
    root: str
    """The project's root."""
    cwd: str
    tool: str
    summary: str
    """One line that describes the call."""
    reason: str
    rules: tuple[str, ...]
    """The rules that ask, as `hook:rule`."""
    at: float
    until: float
    """Unix seconds until which the call waits."""


class Decision(Struct, frozen=True, kw_only=True):
    """The answer of a person."""

    id: str
    """The id of the question."""
    choice: Choice
    message: str = ""
    """A message to the agent about a denied call."""


def build_question(id: str, outcome: Outcome, *, root: str, at: float, seconds: float) -> Question:  # noqa: A002 -- it is the question's id
    """Return the question of *outcome*, which is redacted and asks."""
    event = outcome.event
    return Question(
        id=id,
        host=event.host,
        session=event.session,
        root=root,
        cwd=event.cwd,
        tool=getattr(event, "tool", ""),
        summary=summarize_event(event),
        reason=outcome.asked or "",
        rules=tuple(dict.fromkeys(s.rule for s in outcome.trail if s.action == "ask" and s.rule)),
        at=at,
        until=at + seconds,
    )


def apply_decision(outcome: Outcome, decision: Decision | None) -> Outcome:
    """Return *outcome* as a person decided; unchanged without a decision."""
    if decision is None:
        return outcome.with_steps(_step("shown", "no person answered in time"))
    reason = outcome.asked or ""
    outcome = replace(outcome, asked=None)
    if decision.choice == "deny":
        message = decision.message[:MAX_MESSAGE_CHARS] or "no reason given"
        denied = f"a person denied this call: {message}\n{reason}"
        return replace(outcome, blocked=denied).with_steps(_step("block", "denied by a person"))
    scope = "for this session" if decision.choice == "session" else "once"
    note = f"allowed {scope} by a person"
    return replace(outcome, allowed=note).with_steps(_step("allow", note))


def _step(action: str, note: str) -> Step:
    return Step(hook="hookline", action=action, note=note)
