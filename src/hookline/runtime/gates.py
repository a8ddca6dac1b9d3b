"""What may block only so often: gates by strikes, and all that makes a turn go on by one shared cap.

Who could not count, because the store cannot be used, lets go: nothing may go on for ever.
"""

from __future__ import annotations

from hookline.core.chain import struck
from hookline.core.events import Event, Stop, SubagentStop, TurnEnd, TurnStart, UserPromptSubmit
from hookline.core.outcome import Outcome, Step
from hookline.core.store import Store
from hookline.core.values import replace

MOST_STRIKES = 3
STRIKES, CONTINUATIONS, TOKENS = "strikes:", "continuations:", "usage:turn:"
ENDS = (TurnEnd, Stop, SubagentStop)
"""Where a block makes the turn go on."""
_PASSED = frozenset({"pass", "inject", "warn", "modify", "allow", "ask", "failed", "timed-out"})


def judged(store: Store, outcome: Outcome) -> Outcome:
    """*outcome* with its strikes counted: a pass or a new turn resets a gate's, the third lets go."""
    event = outcome.event
    if isinstance(event, UserPromptSubmit | TurnStart) and outcome.blocked is None:
        begin_turn(store, event)
    if not event.gate:
        return outcome
    key = f"{STRIKES}{event.name}:{_who(event)}"
    if outcome.blocked is None:
        _forget(store, event, key)
        return outcome
    gate = _gate(outcome)
    _forget(store, event, *(f"{key}{step.hook}:" for step in outcome.trail if step.said in _PASSED))
    strikes = store.count(event.session, f"{key}{gate}:")
    return struck(outcome, strikes, MOST_STRIKES, f"{gate} blocked {event.name} {strikes} times in a row")


def continued(store: Store, outcome: Outcome, cap: int) -> Outcome:
    """*outcome* of an end with this continuation counted, whoever wanted it; past the *cap* the turn ends."""
    event = outcome.event
    if not isinstance(event, ENDS):
        return outcome
    key = f"{CONTINUATIONS}{_who(event)}"
    if outcome.blocked is None:
        _forget(store, event, *_over(event, key))
        return outcome
    if isinstance(event, Stop) and _struck_out(store, event):
        return struck(outcome, 1, 1, f"a gate has blocked the end of this turn {MOST_STRIKES} times in a row")
    count = store.count(event.session, key)
    if count <= cap:
        outcome = outcome.noting(
            Step(hook="hookline", said="continued", note=f"continuation {count} of {cap}")
        )
    outcome = struck(outcome, count, cap + 1, f"hooks have made this turn go on {cap} times")
    return replace(outcome, continuations=min(count, cap))


def uncounted(outcome: Outcome, *, tells: bool) -> Outcome:
    """*outcome* where nothing can be counted: a block holds once, where the host *tells* of that."""
    event = outcome.event
    if outcome.blocked is None or not (event.gate or isinstance(event, ENDS)):
        return outcome
    if tells and not getattr(event, "again", True):
        return outcome
    return struck(outcome, 1, 1, "the store cannot be used, so nobody counts how often this was blocked")


def begin_turn(store: Store, event: Event) -> None:
    """A helper has counters of its own: its first prompt must not give the session new ones."""
    _forget(store, event, *_all(event), *(() if event.subagent else (TOKENS,)))


def _struck_out(store: Store, event: Event) -> bool:
    """Whether the third strike of a gate has ended the turn: then nothing else makes it go on."""
    ends = f"{STRIKES}{TurnEnd.__name__}:{_who(event)}"
    known = store.counters(event.session).items()
    return any(count >= MOST_STRIKES for name, count in known if name.startswith(ends))


def _over(event: Event, key: str) -> tuple[str, ...]:
    """What is over with an end that passes: before Stop comes, the turn may still go on; a helper is gone."""
    if isinstance(event, TurnEnd):
        return ()
    return _all(event) if isinstance(event, SubagentStop) else (key,)


def _all(event: Event) -> tuple[str, ...]:
    gates = (f"{STRIKES}{kind}:{_who(event)}" for kind in ("TurnEnd", "PreModelCall"))
    return (f"{CONTINUATIONS}{_who(event)}", *gates)


def _forget(store: Store, event: Event, *prefixes: str) -> None:
    """Reading is cheap for every store, writing is not: most turns have nothing to forget."""
    known = store.counters(event.session) if prefixes else {}
    for prefix in prefixes:
        if any(name.startswith(prefix) for name in known):
            store.reset(event.session, prefix)


def _gate(outcome: Outcome) -> str:
    return next((step.hook for step in reversed(outcome.trail) if step.said == "block"), "")


def _who(event: Event) -> str:
    """Whose counter it is, so that no name is the beginning of another one's."""
    helper = event.subagent.id if event.subagent else ""
    return f"{len(helper)}:{helper}:"
