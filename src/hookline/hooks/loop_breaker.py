"""Stop an agent that goes round in circles: a word first, then the call, then the run.

A loop is the same call with the same failing result three times in six minutes, two calls that take turns
without anything new, a file edited back and forth, or compactions that free next to nothing. What counts is
the tool, its input, its result and the state of the workspace: the same tests after an edit are no loop, nor
is waiting for something. A person's next prompt lifts every stop.
"""

from __future__ import annotations

from hookline.core.events import PostToolUse, PreCompact, PreToolUse, UserPromptSubmit
from hookline.core.hook import hook
from hookline.core.response import Response, remember
from hookline.core.rule_exceptions import Allow, excepted, noted
from hookline.core.state import State
from hookline.hooks._loop_breaker import looked, relieved, stopped

RULES = ("repeated-failure", "alternating", "back-and-forth", "no-relief", "ended")
_NAME = "loop-breaker"
_STOPPED, _ENDED, _RELIEF = (f"{_NAME}.{what}" for what in ("stopped", "ended", "relief"))


@hook(priority=80, nature="policy", rules=RULES)
def loop_breaker(
    event: PreToolUse | PostToolUse | PreCompact | UserPromptSubmit,
    state: State,
    *,
    times: int = 3,
    seconds: int = 360,
    allow: Allow = (),
) -> Response | None:
    if isinstance(event, PreToolUse):
        said = _before(event, state, seconds)
    elif isinstance(event, PostToolUse):
        said = _after(event, state, times, seconds)
    else:
        return _compacting(state) if isinstance(event, PreCompact) else _lifted(state)
    subject = event.command or event.path or ""
    spared = excepted(allow, _NAME, said.rule, subject) if said and said.rule else None
    return noted(None, [(said.rule, spared)]) if said and spared else said


def _before(event: PreToolUse, state: State, seconds: float) -> Response | None:
    if not state.memory.get(_STOPPED) and not state.memory.get(_ENDED):
        return None
    return stopped(event, state, seconds)


def _after(event: PostToolUse, state: State, times: int, seconds: float) -> Response:
    said = looked(event, state, times, seconds)
    relief = relieved(state, times) if (state.memory.get(_RELIEF) or {}).get("before") else None
    return relief.plus(said) if relief and not said.rule else said


def _compacting(state: State) -> Response | None:
    used = state.usage.used
    return remember(**{_RELIEF: {**(state.memory.get(_RELIEF) or {}), "before": used}}) if used else None


def _lifted(state: State) -> Response | None:
    if not state.memory.get(_STOPPED) and not state.memory.get(_ENDED):
        return None
    return remember(**{_STOPPED: {}, _ENDED: {}})
