"""Limits on blocks: strikes for each gate, and one cap on everything that makes a turn continue.

If the store fails and nothing can be counted, blocks are lifted, so that no turn continues for ever.
"""

from __future__ import annotations

from hookline.core.chain import lift_repeated_block
from hookline.core.events import (
    Event,
    SessionEnd,
    SessionStart,
    Stop,
    SubagentStop,
    TurnEnd,
    TurnStart,
    UserPromptSubmit,
)
from hookline.core.outcome import Outcome, Step
from hookline.core.store import Store
from hookline.core.values import replace

MAX_STRIKES = 3
"""Blocks in a row after which a gate is lifted."""
STRIKES, CONTINUATIONS, TOKENS, ENDS = "strikes:", "continuations:", "usage:turn:", "ends:"
ENDED_NOTE = "hookline.ended"
"""Name of the note that holds the call that ended the session; a retry of it is not a repetition."""
END_EVENTS = (TurnEnd, Stop, SubagentStop)
"""Events at which a block makes the turn continue."""
_PASSING_STEPS = frozenset({"pass", "inject", "warn", "modify", "allow", "ask", "failed", "timed-out"})


def count_strikes(store: Store, outcome: Outcome) -> Outcome:
    """Return *outcome* after counting strikes: a pass or a new turn resets a gate, the third lifts it."""
    event = outcome.event
    if isinstance(event, UserPromptSubmit | TurnStart) and outcome.blocked is None:
        reset_turn(store, event)
    if not event.counts_strikes:
        return outcome
    key = f"{STRIKES}{event.name}:{_counter_owner(event)}"
    if outcome.blocked is None:
        _reset_counters(store, event, key)
        return outcome
    gate = _blocking_gate(outcome)
    _reset_counters(
        store, event, *(f"{key}{step.hook}:" for step in outcome.trail if step.action in _PASSING_STEPS)
    )
    strikes = store.count(event.session, f"{key}{gate}:")
    return lift_repeated_block(
        outcome, strikes, MAX_STRIKES, f"{gate} blocked {event.name} {strikes} times in a row"
    )


def count_continuation(store: Store, outcome: Outcome, cap: int) -> Outcome:
    """Return the *outcome* of an end after counting this continuation; past the *cap* the turn ends."""
    event = outcome.event
    if not isinstance(event, END_EVENTS):
        return outcome
    key = f"{CONTINUATIONS}{_counter_owner(event)}"
    if outcome.blocked is None:
        _reset_counters(store, event, *_expired_prefixes(event, key))
        return outcome
    if isinstance(event, Stop) and _has_struck_out(store, event):
        return lift_repeated_block(
            outcome, 1, 1, f"a gate has blocked the end of this turn {MAX_STRIKES} times in a row"
        )
    count = store.count(event.session, key)
    if count <= cap:
        outcome = outcome.with_steps(
            Step(hook="hookline", action="continued", note=f"continuation {count} of {cap}")
        )
    outcome = lift_repeated_block(outcome, count, cap + 1, f"hooks have continued this turn {cap} times")
    return replace(outcome, continuations=min(count, cap))


def is_repeated_end(store: Store, event: Event, call: str) -> bool:
    """Return whether another *call* has ended the session already; its start or a prompt continues it."""
    if not event.session or event.subagent is not None:
        return False
    if isinstance(event, SessionEnd):
        if store.count(event.session, ENDS) > 1:
            return not call or store.notes(event.session).get(ENDED_NOTE) != call
        store.set_notes(event.session, {ENDED_NOTE: call})
    if isinstance(event, SessionStart | UserPromptSubmit | TurnStart):
        _reset_counters(store, event, ENDS)
    return False


def limit_uncounted(outcome: Outcome, *, reports_again: bool) -> Outcome:
    """Return *outcome* without counters: a block holds once, if the host *reports_again* a repeated end."""
    event = outcome.event
    if outcome.blocked is None or not (event.counts_strikes or isinstance(event, END_EVENTS)):
        return outcome
    if reports_again and not getattr(event, "again", True):
        return outcome
    return lift_repeated_block(outcome, 1, 1, "the store is not available, so blocks cannot be counted")


def reset_turn(store: Store, event: Event) -> None:
    """Reset the counters of a turn; a subagent's first prompt does not reset those of the session."""
    _reset_counters(store, event, *_turn_prefixes(event), *(() if event.subagent else (TOKENS,)))


def _has_struck_out(store: Store, event: Event) -> bool:
    """Return whether the third strike of a gate has ended the turn; then nothing else may continue it."""
    ends = f"{STRIKES}{TurnEnd.__name__}:{_counter_owner(event)}"
    counters = store.counters(event.session).items()
    return any(count >= MAX_STRIKES for name, count in counters if name.startswith(ends))


def _expired_prefixes(event: Event, key: str) -> tuple[str, ...]:
    """Return the counters to reset after an end that passes; none at TurnEnd, as Stop may still block."""
    if isinstance(event, TurnEnd):
        return ()
    return _turn_prefixes(event) if isinstance(event, SubagentStop) else (key,)


def _turn_prefixes(event: Event) -> tuple[str, ...]:
    gates = (f"{STRIKES}{kind}:{_counter_owner(event)}" for kind in ("TurnEnd", "PreModelCall"))
    return (f"{CONTINUATIONS}{_counter_owner(event)}", *gates)


def _reset_counters(store: Store, event: Event, *prefixes: str) -> None:
    """Reset counters only if there are any, because reading is cheap for every store and writing is not."""
    counters = store.counters(event.session) if prefixes else {}
    for prefix in prefixes:
        if any(name.startswith(prefix) for name in counters):
            store.reset_counters(event.session, prefix)


def _blocking_gate(outcome: Outcome) -> str:
    return next((step.hook for step in reversed(outcome.trail) if step.action == "block"), "")


def _counter_owner(event: Event) -> str:
    """Return the part of a counter's name for the subagent, so that no name is a prefix of another."""
    helper = event.subagent.id if event.subagent else ""
    return f"{len(helper)}:{helper}:"
