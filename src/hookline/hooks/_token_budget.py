"""What token-budget remembers of a turn, and what it says about it."""

import json
from collections.abc import Mapping
from typing import Any

from msgspec import to_builtins

from hookline.core.token_target import Completion, Decision, Tracker, check

_TRACKED = ("count", "last_delta", "last_total", "started_at")


def decide(kept: Mapping[str, Any], budget: int, used: int, now: float) -> Decision:
    """Whether a turn goes on of which *kept* is remembered."""
    known = {name: kept[name] for name in _TRACKED if name in kept}
    return check(Tracker(**{"started_at": now, **known}), "", budget, used, now)


def kept(tracker: Tracker, before: Mapping[str, Any]) -> dict[str, Any]:
    return {**before, **to_builtins(tracker)}


def nudge(pct: int, used: int, budget: int) -> str:
    return (
        f"{pct} % of the token target is spent ({used:,} of {budget:,}). "
        "Keep working on the task; do not summarise, and do not ask whether to go on."
    )


def told(end: Completion) -> str:
    """For the user."""
    why = "the last steps brought little" if end.diminishing else "the target is reached"
    times = "once" if end.count == 1 else f"{end.count} times"
    return (
        f"token target: ended at {end.pct} % ({end.tokens:,} of {end.budget:,} tokens), because {why}; "
        f"the turn was made to go on {times}, in {end.duration_ms / 1000:.1f} s"
    )


def out_of_time(pct: int, used: int, budget: int) -> str:
    """For the user: who is told to commit and leave is not told to keep working."""
    return f"token target: ended at {pct} % ({used:,} of {budget:,} tokens), because the time budget is over"


def noted(end: Completion) -> str:
    """For the trail, in which programs look."""
    return f"completion {json.dumps(to_builtins(end))}"
