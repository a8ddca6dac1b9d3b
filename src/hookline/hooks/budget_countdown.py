"""Tell the agent, after every tool call, how much of its time is left.

An agent that cannot see the clock analyses until it runs out, and never commits.
"""

from hookline.events import PostToolUse
from hookline.hook import hook
from hookline.response import Response, inject, remember, warn
from hookline.state import State


@hook(priority=90, nature="advice")
def budget_countdown(
    event: PostToolUse, state: State, *, wrap_up: int = 300, stop: int = 120
) -> Response | None:
    left = state.budget.seconds_left(state.now)
    if state.budget.unreadable:
        return _complaint(state)
    if left is None:
        return None
    if left <= 0:
        return inject("▲▲▲ BUDGET EXPIRED — COMMIT NOW AND EXIT ▲▲▲")
    minutes, seconds = divmod(left, 60)
    if left <= stop:
        return inject(f"▲▲▲ BUDGET: {minutes}m{seconds}s — STOP EDITING, COMMIT NOW, EXIT ▲▲▲")
    if left <= wrap_up:
        return inject(f"▲ BUDGET: {minutes}m{seconds}s remaining — wrap up and commit soon")
    return inject(f"BUDGET: {minutes}m remaining")


def _complaint(state: State) -> Response | None:
    """One warning a session, not one a call."""
    if state.memory.get("budget-countdown.complained") == state.budget.unreadable:
        return None
    text = f"AUTORESEARCH_BUDGET_END is {state.budget.unreadable!r}, which is no number of Unix seconds"
    said = {"budget-countdown.complained": state.budget.unreadable}
    return warn(f"{text}; the session has no time budget").plus(remember(**said))
