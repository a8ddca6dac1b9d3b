"""Tell the agent, after every tool call, how much of its time is left.

An agent that cannot see the clock analyses until it runs out, and never commits.
"""

from __future__ import annotations

from functools import reduce
from typing import Literal

from hookline.core.budget import LAST, band
from hookline.core.events import PostToolUse, PreToolUse
from hookline.core.hook import ANY, hook
from hookline.core.response import Response, inject, remember, warn
from hookline.core.rule_exceptions import Allow, excepted, noted
from hookline.core.state import State
from hookline.hooks._budget import said, stopped

RULES = ("expired", "too-long")
_NAME = "budget-countdown"
_SPOKE, _COMPLAINED = "budget-countdown.spoke", "budget-countdown.complained"


@hook(
    priority={PreToolUse: 22, PostToolUse: 90},
    nature="policy",
    rules=RULES,
    stricter={"enforce": (True,), "cadence": ANY, "wrap_up": ANY, "stop": ANY},
    unattended={"enforce": True},
)
def budget_countdown(
    event: PreToolUse | PostToolUse,
    state: State,
    *,
    wrap_up: int = 300,
    stop: int = 120,
    cadence: Literal["every-call", "banded"] = "every-call",
    enforce: bool = False,
    allow: Allow = (),
) -> Response | None:
    left = state.budget.seconds_left(state.now)
    if isinstance(event, PreToolUse):
        return _stopped(event, state, left, allow) if enforce and left is not None else None
    banded = cadence == "banded" and event.subagent is None  # what a helper hears, its parent does not
    answers = (
        _complaint(state) if state.budget.unreadable else None,
        None if left is None else _spoken(state, left, (wrap_up, stop), banded=banded),
    )
    return reduce(Response.plus, filter(None, answers)) if any(answers) else None


def _spoken(state: State, left: int, tiers: tuple[int, int], *, banded: bool) -> Response | None:
    if not banded:
        return inject(said(left, *tiers))
    now = [state.budget.ends_at, *band(left, *tiers)]
    if left > max(tiers[1], LAST) and list(state.memory.get(_SPOKE) or ()) == now:
        return None
    return inject(said(left, *tiers)).plus(remember(**{_SPOKE: now}))


def _stopped(event: PreToolUse, state: State, left: int, allow: Allow) -> Response | None:
    found = stopped(event, state.home, left)
    spared = excepted(allow, _NAME, found.rule, event.command or event.path or "") if found else None
    return noted(None if spared else found, [(found.rule, spared)] if found and spared else [])


def _complaint(state: State) -> Response | None:
    """One warning a session, not one a call."""
    given = state.budget.unreadable
    if state.memory.get(_COMPLAINED) == given:
        return None
    text = f"AUTORESEARCH_BUDGET_END is {given!r}, which is no number of Unix seconds; it sets no budget"
    return warn(text).plus(remember(**{_COMPLAINED: given}))
