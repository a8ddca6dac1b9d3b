"""State that token-budget keeps of a turn, and its messages."""

import json
from collections.abc import Mapping
from typing import Any

from msgspec import to_builtins

from hookline.core.token_target import Completion, Decision, Tracker, decide_continuation

_TRACKER_FIELDS = ("count", "last_delta", "last_total", "started_at")


def decide(state: Mapping[str, Any], budget: int, used: int, now: float) -> Decision:
    """Return whether the turn continues, given its remembered *state*."""
    tracked = {name: state[name] for name in _TRACKER_FIELDS if name in state}
    return decide_continuation(Tracker(**{"started_at": now, **tracked}), "", budget, used, now)


def merge_tracker(tracker: Tracker, before: Mapping[str, Any]) -> dict[str, Any]:
    return {**before, **to_builtins(tracker)}


def format_nudge(pct: int, used: int, budget: int) -> str:
    return (
        f"{pct} % of the token target is spent ({used:,} of {budget:,}). "
        "Keep working on the task; do not summarise, and do not ask whether to go on."
    )


def format_completion(end: Completion) -> str:
    """Return the message to the user about the end of the turn."""
    why = "the last steps brought little" if end.diminishing else "the target is reached"
    times = "once" if end.count == 1 else f"{end.count} times"
    return (
        f"token target: ended at {end.pct} % ({end.tokens:,} of {end.budget:,} tokens), because {why}; "
        f"the turn was made to go on {times}, in {end.duration_ms / 1000:.1f} s"
    )


def format_out_of_time(pct: int, used: int, budget: int) -> str:
    """Return the message to the user if time is over: the agent is then not told to keep working."""
    return f"token target: ended at {pct} % ({used:,} of {budget:,} tokens), because the time budget is over"


def format_completion_note(end: Completion) -> str:
    """Return the note for the audit record, which programs search."""
    return f"completion {json.dumps(to_builtins(end))}"
