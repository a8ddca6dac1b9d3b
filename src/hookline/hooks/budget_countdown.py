"""Show the agent its remaining time after every tool call.

The message becomes more urgent with `wrap_up` and with `stop` seconds left. With `enforce`, only committing
is allowed after the end, and commands whose own timeout exceeds the remaining time are blocked.
"""

from __future__ import annotations

from functools import reduce
from typing import Literal

from hookline.core.budget import FINAL_SECONDS, find_band
from hookline.core.events import PostToolUse, PreToolUse
from hookline.core.hook import ANY, hook
from hookline.core.response import Response, inject, remember, warn
from hookline.core.rule_exceptions import Allow, find_exception, note_exceptions
from hookline.core.state import State
from hookline.hooks._budget_countdown import check_time, format_time_left

RULES = ("expired", "too-long")
_NAME = "budget-countdown"
_ANNOUNCED_NOTE, _WARNED_NOTE = "budget-countdown.spoke", "budget-countdown.complained"


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
        return _enforce(event, state, left, allow) if enforce and left is not None else None
    banded = cadence == "banded" and event.subagent is None  # a subagent's messages do not reach its parent
    answers = (
        _warn_unreadable(state) if state.budget.unreadable else None,
        None if left is None else _announce(state, left, (wrap_up, stop), banded=banded),
    )
    return reduce(Response.plus, filter(None, answers)) if any(answers) else None


def _announce(state: State, left: int, tiers: tuple[int, int], *, banded: bool) -> Response | None:
    if not banded:
        return inject(format_time_left(left, *tiers))
    now = [state.budget.ends_at, *find_band(left, *tiers)]
    if left > max(tiers[1], FINAL_SECONDS) and list(state.memory.get(_ANNOUNCED_NOTE) or ()) == now:
        return None
    return inject(format_time_left(left, *tiers)).plus(remember(**{_ANNOUNCED_NOTE: now}))


def _enforce(event: PreToolUse, state: State, left: int, allow: Allow) -> Response | None:
    response = check_time(event, state.home, left)
    reason = (
        find_exception(allow, _NAME, response.rule, event.command or event.path or "") if response else None
    )
    return note_exceptions(
        None if reason else response, [(response.rule, reason)] if response and reason else []
    )


def _warn_unreadable(state: State) -> Response | None:
    """Warn once per session, not at every call."""
    value = state.budget.unreadable
    if state.memory.get(_WARNED_NOTE) == value:
        return None
    text = f"invalid HOOKLINE_BUDGET_END {value!r}: expected Unix seconds; no time budget is set"
    return warn(text).plus(remember(**{_WARNED_NOTE: value}))
