"""Save a session's state as a handoff, and give it to the next session.

A handoff holds the task, branch, issue, blockers and next step, without secrets. It is saved before a
compaction, when the context or the time runs out, and at the end.
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
from hookline.hooks._handoff import check_first_answer, remember_last_text

_UNSEEN_SOURCE, _HANDOFF_VARIABLE, _LEG_VARIABLE = "unseen", "HOOKLINE_HANDOFF", "HOOKLINE_ROTATION"
_EXPECTED_NOTE, _FROM_NOTE, _ROTATE_NOTE = "handoff.expected", "handoff.from", "handoff.rotate"


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
        return _check_answer(event, state)
    if isinstance(event, SessionStart | UserPromptSubmit | PostCompact):
        return _deliver(event, state, cap, offer=offer)
    if isinstance(event, OnBudgetExceeded):
        return _handoff.on_budget_exceeded(event, state, at, cap)
    if isinstance(event, PreCompact):
        return _handoff.before_compaction(event, state, cap)
    return _handoff.at_end(state, cap)


def _deliver(
    event: SessionStart | UserPromptSubmit | PostCompact, state: State, cap: int, *, offer: bool
) -> Response | None:
    if isinstance(event, UserPromptSubmit) and (
        not state.env.get(_HANDOFF_VARIABLE) or state.memory.get(_FROM_NOTE)
    ):
        # A session gets its handoff at its start; a person's prompt means that the session continues.
        continued = state.memory.get(_ROTATE_NOTE) and not state.env.get(_LEG_VARIABLE)
        return remember(**{_ROTATE_NOTE: False}) if continued else None
    unseen = isinstance(event, SessionStart) and event.source == _UNSEEN_SOURCE
    if unseen and state.facts.get("reports_start"):
        return None  # the session began before its first event here, and is in the middle of its work
    if isinstance(event, PostCompact):
        return _handoff.after_compaction(event, state, cap)
    return _handoff.at_start(event, state, cap, offer=offer)


def _check_answer(event: PostToolUse | TurnEnd, state: State) -> Response | None:
    if isinstance(event, PostToolUse) and not state.memory.get(_EXPECTED_NOTE):
        return None
    response = check_first_answer(event, state) if state.memory.get(_EXPECTED_NOTE) else None
    return response or (remember_last_text(event, state) if isinstance(event, TurnEnd) else None)
