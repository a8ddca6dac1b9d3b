"""Say an outcome in a host's words, and turn what it cannot express into what it can, aloud."""

from __future__ import annotations

from collections.abc import Iterable

from hookline.core.chain import cut
from hookline.core.events import ALLOW, ASK, BLOCK, INJECT, MODIFY, Can, Event, SessionEnd
from hookline.core.host import CONTEXT_CAP, Host, Moment, Reply, Said, changed, row_of
from hookline.core.outcome import Outcome, Step
from hookline.core.response import End, ending
from hookline.core.values import replace

LONGEST_WARNING = 2_000


def answer(
    host: Host, name: str, event: Event, outcome: Outcome, cap: int = CONTEXT_CAP
) -> tuple[Reply, Outcome]:
    """The reply in the host's words, and the outcome as it could be expressed within *cap* characters."""
    row = row_of(host, name, event.native)
    outcome = _unended(outcome, host, event)
    if outcome.silent and changed(event, outcome.event) is None:  # there is nothing to be said
        return host.encode(Said(name=name, event=event, outcome=outcome)), outcome
    outcome = capped(degraded(outcome, event, _able(row, event, outcome)), cap)
    said = Said(name=name, event=event, outcome=outcome)
    reply = host.encode(said)
    return (replace(reply, unwritten_code=host.blocking_code) if _stops(said, reply) else reply), outcome


def _stops(said: Said, reply: Reply) -> bool:
    """Return whether the host would go ahead unchecked if it never read the reply's standard output."""
    asked = said.outcome.blocked is not None or said.outcome.asked is not None
    return bool(reply.stdout) and (asked or (said.event.prevents and said.changed is not None))


def _unended(outcome: Outcome, host: Host, event: Event) -> Outcome:
    if not ending(outcome.effects) or isinstance(event, host.ends):
        return outcome
    left = tuple(one for one in outcome.effects if not isinstance(one, End))
    return _note(replace(outcome, effects=left), f"{host.name} cannot end a run here: its calls are stopped")


def _able(row: Moment | None, event: Event, outcome: Outcome) -> frozenset[Can]:
    """What can be done here, without the change if it is one that the host cannot make."""
    if row is None:
        return frozenset()
    new = changed(event, outcome.event)
    fits = new is None or row.fits(getattr(event, event.changes), new)
    return row.can if fits else row.can - {MODIFY}


def capped(outcome: Outcome, cap: int) -> Outcome:
    """What the agent is to read, reason first, within *cap* characters; what is cut is said."""
    texts = (outcome.blocked, outcome.asked, outcome.allowed)
    if not (any(texts) or outcome.context or outcome.kept or outcome.warnings):
        return outcome
    blocked, asked, allowed = (_within(text, cap) for text in texts)
    room = cap - max(len(text or "") for text in (blocked, asked, allowed))
    return replace(
        outcome,
        blocked=blocked,
        asked=asked,
        allowed=allowed,
        context=cut(outcome.context, max(room, 0)),
        kept=cut(outcome.kept, cap),
        warnings=tuple("\n".join(cut((text,), LONGEST_WARNING)) for text in outcome.warnings),
    )


def _within(text: str | None, cap: int) -> str | None:
    return text and "\n".join(cut((text,), cap - 1))


def degraded(outcome: Outcome, event: Event, can: Iterable[Can]) -> Outcome:
    """The same outcome with what the host cannot express turned into what it can, aloud."""
    can = frozenset(can)
    if MODIFY not in can or changed(event, outcome.event) is None:
        outcome = _unchanged(outcome, event, can)
    for needed, turn in ((ASK, _unasked), (ALLOW, _unallowed), (BLOCK, _unblocked)):
        if needed not in can:
            outcome = turn(outcome, event, can)
    return outcome if INJECT in can else _uninjected(outcome, event, can)


def _unchanged(outcome: Outcome, event: Event, can: frozenset[Can]) -> Outcome:
    key = event.changes
    if not key or getattr(outcome.event, key, None) == getattr(event, key, None):
        return outcome
    makers = [step for step in outcome.trail if step.said == "modify"]
    names = ", ".join(dict.fromkeys(step.hook for step in makers))
    outcome = replace(outcome, event=replace(outcome.event, **{key: getattr(event, key)}))
    reasons = "; ".join(dict.fromkeys(step.reason for step in makers if step.reason))
    why = f" ({reasons})" if reasons else ""
    note = f"{names} wanted to change the {key}{why}, which {event.host} cannot do here"
    if BLOCK in can and event.prevents and any(step.nature == "policy" for step in makers):
        return _note(
            replace(outcome, blocked=outcome.blocked or f"{note}, so it was stopped"), note, warn=False
        )
    return _note(outcome, f"{note}, so it stays as it was")


def _unasked(outcome: Outcome, event: Event, can: frozenset[Can]) -> Outcome:
    if outcome.asked is None:
        return outcome
    asked = outcome.asked
    outcome = replace(outcome, asked=None)
    if BLOCK in can and event.prevents:
        reason = f"{asked} (a person would have to decide this, and {event.host} cannot ask one here)"
        return _note(replace(outcome, blocked=outcome.blocked or reason), "asking became a block", warn=False)
    return _note(outcome, f"a person should have been asked, which {event.host} cannot do here: {asked}")


def _unallowed(outcome: Outcome, event: Event, can: frozenset[Can]) -> Outcome:
    if outcome.allowed is None:
        return outcome
    return _note(replace(outcome, allowed=None), f"{event.host} cannot be told to allow this", warn=False)


def _unblocked(outcome: Outcome, event: Event, can: frozenset[Can]) -> Outcome:
    if outcome.blocked is None:
        return outcome
    reason = outcome.blocked
    outcome = replace(outcome, blocked=None, context=(*outcome.context, reason))
    return _note(outcome, f"{event.host} cannot block here, so the agent was only told: {reason}")


def _uninjected(outcome: Outcome, event: Event, can: frozenset[Can]) -> Outcome:
    if not outcome.context:
        return outcome
    context, outcome = outcome.context, replace(outcome, context=())
    if outcome.blocked is not None:
        return replace(outcome, blocked="\n".join((outcome.blocked, *context)))
    if isinstance(event, SessionEnd):
        return _note(
            outcome, "context for the agent came too late, the session is over: " + "\n".join(context)
        )
    return _note(
        replace(outcome, kept=context), "context is kept for the next moment that can take it", warn=False
    )


def _note(outcome: Outcome, note: str, *, warn: bool = True) -> Outcome:
    outcome = outcome.noting(Step(hook="hookline", said="degraded", note=note))
    return replace(outcome, warnings=(*outcome.warnings, note)) if warn else outcome
