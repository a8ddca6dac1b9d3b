"""Encoding of an outcome for a host; what the host cannot express is replaced, and the trail records it."""

from __future__ import annotations

from collections.abc import Iterable

from hookline.core.chain import truncate_texts
from hookline.core.events import ALLOW, ASK, BLOCK, INJECT, MODIFY, Ability, Event, SessionEnd
from hookline.core.host import CONTEXT_CAP, Host, Moment, Reply, ReplyContext, find_change, find_row
from hookline.core.outcome import Outcome, Step
from hookline.core.response import End, find_end_reason
from hookline.core.values import replace

MAX_WARNING_CHARS = 2_000


def build_reply(
    host: Host, name: str, event: Event, outcome: Outcome, cap: int = CONTEXT_CAP
) -> tuple[Reply, Outcome]:
    """Return the reply for the host, and the outcome as far as the reply expresses it in *cap* characters."""
    row = find_row(host, name, event.native)
    outcome = _drop_end(outcome, host, event)
    if outcome.silent and find_change(event, outcome.event) is None:
        return host.encode(ReplyContext(name=name, event=event, outcome=outcome)), outcome
    outcome = truncate_outcome(degrade(outcome, event, _find_abilities(row, event, outcome)), cap)
    context = ReplyContext(name=name, event=event, outcome=outcome)
    reply = host.encode(context)
    return (
        replace(reply, unwritten_code=host.blocking_code) if _must_be_read(context, reply) else reply
    ), outcome


def _must_be_read(context: ReplyContext, reply: Reply) -> bool:
    """Return whether the host would continue unchecked if it never read the reply's standard output."""
    asked = context.outcome.blocked is not None or context.outcome.asked is not None
    return bool(reply.stdout) and (asked or (context.event.block_prevents and context.changed is not None))


def _drop_end(outcome: Outcome, host: Host, event: Event) -> Outcome:
    if not find_end_reason(outcome.effects) or isinstance(event, host.run_ending_events):
        return outcome
    remaining = tuple(effect for effect in outcome.effects if not isinstance(effect, End))
    return _add_note(
        replace(outcome, effects=remaining),
        f"{host.name} cannot end the run here; further calls are blocked instead",
    )


def _find_abilities(row: Moment | None, event: Event, outcome: Outcome) -> frozenset[Ability]:
    """Return what a reply can do at this moment, without `MODIFY` if the host cannot make this change."""
    if row is None:
        return frozenset()
    new = find_change(event, outcome.event)
    possible = new is None or row.fits(getattr(event, event.changeable_field), new)
    return row.abilities if possible else row.abilities - {MODIFY}


def truncate_outcome(outcome: Outcome, cap: int) -> Outcome:
    """Truncate the text for the agent to *cap* characters, of which reasons are kept before context."""
    texts = (outcome.blocked, outcome.asked, outcome.allowed)
    if not (any(texts) or outcome.context or outcome.held_context or outcome.warnings):
        return outcome
    blocked, asked, allowed = (_truncate(text, cap) for text in texts)
    available = cap - max(len(text or "") for text in (blocked, asked, allowed))
    return replace(
        outcome,
        blocked=blocked,
        asked=asked,
        allowed=allowed,
        context=truncate_texts(outcome.context, max(available, 0)),
        held_context=truncate_texts(outcome.held_context, cap),
        warnings=tuple("\n".join(truncate_texts((text,), MAX_WARNING_CHARS)) for text in outcome.warnings),
    )


def _truncate(text: str | None, cap: int) -> str | None:
    return text and "\n".join(truncate_texts((text,), cap - 1))


def degrade(outcome: Outcome, event: Event, can: Iterable[Ability]) -> Outcome:
    """Return *outcome* with each part that the host cannot express replaced by one that it can."""
    can = frozenset(can)
    if MODIFY not in can or find_change(event, outcome.event) is None:
        outcome = _degrade_change(outcome, event, can)
    for needed, replace_part in ((ASK, _degrade_ask), (ALLOW, _degrade_allow), (BLOCK, _degrade_block)):
        if needed not in can:
            outcome = replace_part(outcome, event, can)
    return outcome if INJECT in can else _degrade_context(outcome, event, can)


def _degrade_change(outcome: Outcome, event: Event, can: frozenset[Ability]) -> Outcome:
    key = event.changeable_field
    if not key or getattr(outcome.event, key, None) == getattr(event, key, None):
        return outcome
    modify_steps = [step for step in outcome.trail if step.action == "modify"]
    names = ", ".join(dict.fromkeys(step.hook for step in modify_steps))
    outcome = replace(outcome, event=replace(outcome.event, **{key: getattr(event, key)}))
    reasons = "; ".join(dict.fromkeys(step.reason for step in modify_steps if step.reason))
    why = f" ({reasons})" if reasons else ""
    note = f"{names} tried to change the {key}{why}, which {event.host} does not support here"
    if BLOCK in can and event.block_prevents and any(step.nature == "policy" for step in modify_steps):
        return _add_note(
            replace(outcome, blocked=outcome.blocked or f"{note}; the call was blocked"), note, warn=False
        )
    return _add_note(outcome, f"{note}; the {key} is unchanged")


def _degrade_ask(outcome: Outcome, event: Event, can: frozenset[Ability]) -> Outcome:
    if outcome.asked is None:
        return outcome
    asked = outcome.asked
    outcome = replace(outcome, asked=None)
    if BLOCK in can and event.block_prevents:
        reason = f"{asked} (a person must decide this, and {event.host} cannot ask one here)"
        return _add_note(
            replace(outcome, blocked=outcome.blocked or reason), "ask was replaced by block", warn=False
        )
    return _add_note(outcome, f"{event.host} cannot ask a person here, so the question stays open: {asked}")


def _degrade_allow(outcome: Outcome, event: Event, can: frozenset[Ability]) -> Outcome:
    if outcome.allowed is None:
        return outcome
    return _add_note(replace(outcome, allowed=None), f"{event.host} does not support allow here", warn=False)


def _degrade_block(outcome: Outcome, event: Event, can: frozenset[Ability]) -> Outcome:
    if outcome.blocked is None:
        return outcome
    reason = outcome.blocked
    outcome = replace(outcome, blocked=None, context=(*outcome.context, reason))
    fate = "only received the reason" if INJECT in can else "has not received the reason"
    return _add_note(outcome, f"{event.host} cannot block here; the agent {fate}: {reason}")


def _degrade_context(outcome: Outcome, event: Event, can: frozenset[Ability]) -> Outcome:
    if not outcome.context:
        return outcome
    context, outcome = outcome.context, replace(outcome, context=())
    if outcome.blocked is not None:
        return replace(outcome, blocked="\n".join((outcome.blocked, *context)))
    if isinstance(event, SessionEnd):
        return _add_note(
            outcome, "the session has ended, so the agent did not receive this context: " + "\n".join(context)
        )
    return _add_note(
        replace(outcome, held_context=context),
        "context is held back for the next event that accepts it",
        warn=False,
    )


def _add_note(outcome: Outcome, note: str, *, warn: bool = True) -> Outcome:
    outcome = outcome.with_steps(Step(hook="hookline", action="degraded", note=note))
    return replace(outcome, warnings=(*outcome.warnings, note)) if warn else outcome
