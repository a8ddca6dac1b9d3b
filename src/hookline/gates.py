"""What may block only so often: gates by strikes, and all that makes a turn go on by one shared cap."""

from __future__ import annotations

from hookline.chain import struck
from hookline.events import Event, Stop, SubagentStop, TurnStart, UserPromptSubmit
from hookline.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.outcome import Outcome
    from hookline.store import Store

MOST_STRIKES = 3
STRIKES, CONTINUATIONS, TOKENS = "strikes:", "continuations:", "usage:turn:"


def judged(store: Store, outcome: Outcome) -> Outcome:
    """*outcome* with its strikes counted: a pass or a new turn resets them, the third lets go."""
    event = outcome.event
    # A helper has counters of its own: its first prompt must not give the session new ones.
    if isinstance(event, UserPromptSubmit | TurnStart) and event.subagent is None:
        begin_turn(store, event)
    if not event.gate:
        return outcome
    key = f"{STRIKES}{event.name}:{_who(event)}"
    if outcome.blocked is None:
        _forget(store, event, key)
        return outcome
    strikes = store.count(event.session, key)
    return struck(outcome, strikes, MOST_STRIKES, f"{event.name} was blocked {strikes} times in a row")


def continued(store: Store, event: Event, outcome: Outcome, cap: int) -> Outcome:
    """*outcome* of a stop with this continuation counted, whoever wanted it; past the *cap* the turn ends."""
    if not isinstance(event, Stop | SubagentStop):
        return outcome
    key = f"{CONTINUATIONS}{_who(event)}"
    if outcome.blocked is None:
        _forget(store, event, key)
        return outcome
    count = store.count(event.session, key)
    outcome = struck(outcome, count, cap + 1, f"hooks have made this turn go on {cap} times")
    return replace(outcome, continuations=min(count, cap))


def begin_turn(store: Store, event: Event) -> None:
    for prefix in (STRIKES, CONTINUATIONS, TOKENS):
        _forget(store, event, prefix)


def _forget(store: Store, event: Event, prefix: str) -> None:
    """Reading is cheap for every store, writing is not: most turns have nothing to forget."""
    if any(name.startswith(prefix) for name in store.counters(event.session)):
        store.reset(event.session, prefix)


def _who(event: Event) -> str:
    return event.subagent.id if event.subagent else ""
