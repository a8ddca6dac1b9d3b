"""Stop a call that goes round in circles before it runs; then, where even that does not help, all of them."""

from __future__ import annotations

from hookline.events import PreToolUse
from hookline.hooks._loops.after import STOPPED
from hookline.hooks._loops.calls import call_of
from hookline.response import End, Notify, Response, block, effect, remember, warn
from hookline.state import State

ENDED = "loop-breaker.ended"
TRIES = 3
"""Times that a call is stopped before the run is ended."""
LONGEST = 600.0
"""Seconds that everything is stopped, if no person speaks before."""
_ENOUGH = (
    "▲▲▲ LOOP: this run goes round in circles, and every further tool call is stopped. Call no tools: say "
    "what was tried, what is known and what is left to do, and end here, so that a person or a fresh session "
    "can go on."
)
_TOLD = "an agent goes round in circles; its tool calls are stopped until you write to it, or start afresh"


def stopped(event: PreToolUse, state: State, seconds: float) -> Response | None:
    """Level 2: this call is stopped as long as nothing changed; level 3: so are all the others."""
    ended = state.memory.get(ENDED)
    if ended and 0 <= state.now - ended["at"] < LONGEST and ended["turn"] == event.turn:
        return block(_ENOUGH, rule="ended").plus(effect(End(reason=_TOLD)))
    known = state.memory.get(STOPPED) or {}
    found = known.get(call_of(event)) if known else None
    if not found:
        return None
    rule, at, place, tries = found
    if not 0 <= state.now - at <= seconds or place != str(state.facts.get("workspace", "")):
        return None
    return _again(event, state, rule, [rule, at, place, tries + 1])


def _again(event: PreToolUse, state: State, rule: str, now: list[object]) -> Response:
    tries = int(str(now[-1]))
    kept = remember(**{STOPPED: {**(state.memory.get(STOPPED) or {}), call_of(event): now}})
    if tries < TRIES:
        said = "This call was part of a loop, and nothing has changed since: it is not run again. Find the "
        return block(said + "cause, change something, take another way, or ask your user.", rule=rule).plus(
            kept
        )
    ended = remember(**{ENDED: {"at": state.now, "turn": event.turn}})
    shown = effect(Notify(title="hookline: loop", text=_TOLD), End(reason=_TOLD)).plus(warn(_TOLD))
    return block(_ENOUGH, rule="ended").plus(kept).plus(ended).plus(shown)
