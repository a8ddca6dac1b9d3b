"""Stop an agent that repeats calls without progress.

A loop is a repeated failure, two alternating calls, a file edited back and forth, or compactions that free
little. The agent is warned, then the call is blocked, then the run is ended. A change of the workspace resets
the count, and the user's next prompt lifts every block.
"""

from __future__ import annotations

from hookline.core.events import PostToolUse, PreCompact, PreToolUse, UserPromptSubmit
from hookline.core.hook import hook
from hookline.core.response import Response, remember
from hookline.core.rule_exceptions import Allow, find_exception, note_exceptions
from hookline.core.state import State
from hookline.hooks._loop_breaker import check_call, check_relief, stop_call

RULES = ("repeated-failure", "repeated-read", "alternating", "back-and-forth", "no-relief", "ended")
_NAME = "loop-breaker"
_CALLS_NOTE, _STOPPED_NOTE, _ENDED_NOTE, _RELIEF_NOTE = (
    f"{_NAME}.{what}" for what in ("calls", "stopped", "ended", "relief")
)


@hook(priority=80, nature="policy", rules=RULES)
def loop_breaker(
    event: PreToolUse | PostToolUse | PreCompact | UserPromptSubmit,
    state: State,
    *,
    times: int = 3,
    seconds: int = 7200,
    allow: Allow = (),
) -> Response | None:
    if isinstance(event, PreToolUse):
        response = _stop_call(event, state, seconds)
    elif isinstance(event, PostToolUse):
        response = _check_call(event, state, times, seconds)
    else:
        return _note_usage(state) if isinstance(event, PreCompact) else _lift_stops(state)
    subject = event.command or event.path or ""
    reason = find_exception(allow, _NAME, response.rule, subject) if response and response.rule else None
    return note_exceptions(None, [(response.rule, reason)]) if response and reason else response


def _stop_call(event: PreToolUse, state: State, seconds: float) -> Response | None:
    if not state.memory.get(_STOPPED_NOTE) and not state.memory.get(_ENDED_NOTE):
        return None
    return stop_call(event, state, seconds)


def _check_call(event: PostToolUse, state: State, times: int, seconds: float) -> Response:
    response = check_call(event, state, times, seconds)
    relief = check_relief(state, times) if (state.memory.get(_RELIEF_NOTE) or {}).get("before") else None
    return relief.plus(response) if relief and not response.rule else response


def _note_usage(state: State) -> Response | None:
    used = state.usage.used
    return (
        remember(**{_RELIEF_NOTE: {**(state.memory.get(_RELIEF_NOTE) or {}), "before": used}})
        if used
        else None
    )


def _lift_stops(state: State) -> Response | None:
    """Forget the calls before the user's prompt: a person who asks for another try wants it."""
    empty = {_CALLS_NOTE: "", _STOPPED_NOTE: {}, _ENDED_NOTE: {}}
    noted = {note: value for note, value in empty.items() if state.memory.get(note)}
    return remember(**noted) if noted else None
