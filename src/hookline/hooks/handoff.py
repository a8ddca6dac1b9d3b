"""Hand on what a session leaves, and hold the next one's first answer against it.

Before a compaction, when the context is nearly full or the time over, and at the end, a handoff is made from
the host's recording, without a model and without secrets: task, branch, issue, blockers, next step and what
helps to go on. After a compaction, and in the session that goes on after a rotation, it is given back.
"""

from __future__ import annotations

from hookline.core.events import (
    OnBudgetExceeded,
    PostCompact,
    PostToolUse,
    PreCompact,
    SessionEnd,
    SessionStart,
    TurnEnd,
    UserPromptSubmit,
)
from hookline.core.hook import hook
from hookline.core.response import Response, remember
from hookline.core.state import State
from hookline.hooks import _handoff
from hookline.hooks._handoff import checked, heard

_UNSEEN, _GIVEN, _LEG = "unseen", "HOOKLINE_HANDOFF", "HOOKLINE_ROTATION"
_EXPECTED, _FROM, _WANTED = "handoff.expected", "handoff.from", "handoff.rotate"


@hook(priority=54, nature="advice")
def handoff(
    event: SessionStart
    | UserPromptSubmit
    | PostToolUse
    | PreCompact
    | PostCompact
    | TurnEnd
    | OnBudgetExceeded
    | SessionEnd,
    state: State,
    *,
    at: int = 80,
    cap: int = 6_000,
    offer: bool = True,
) -> Response | None:
    if event.subagent is not None:
        return None
    if isinstance(event, PostToolUse | TurnEnd):
        return _answered(event, state)
    if isinstance(event, SessionStart | UserPromptSubmit | PostCompact):
        return _given(event, state, cap, offer=offer)
    if isinstance(event, OnBudgetExceeded):
        return _handoff.short_of(event, state, at, cap)
    if isinstance(event, PreCompact):
        return _handoff.compacting(event, state, cap)
    return _handoff.ended(state, cap)


def _given(
    event: SessionStart | UserPromptSubmit | PostCompact, state: State, cap: int, *, offer: bool
) -> Response | None:
    if isinstance(event, UserPromptSubmit) and (not state.env.get(_GIVEN) or state.memory.get(_FROM)):
        # What a session is sent with it is given at its start; a person's prompt says that it is not over.
        return remember(**{_WANTED: False}) if state.memory.get(_WANTED) and not state.env.get(_LEG) else None
    if isinstance(event, SessionStart) and event.source == _UNSEEN and state.facts.get("tells_start"):
        return None  # it began before anybody asked us, and is in the middle of something
    if isinstance(event, PostCompact):
        return _handoff.after_compaction(event, state, cap)
    return _handoff.at_start(event, state, cap, offer=offer)


def _answered(event: PostToolUse | TurnEnd, state: State) -> Response | None:
    if isinstance(event, PostToolUse) and not state.memory.get(_EXPECTED):
        return None
    said = checked(event, state) if state.memory.get(_EXPECTED) else None
    return said or (heard(event, state) if isinstance(event, TurnEnd) else None)
