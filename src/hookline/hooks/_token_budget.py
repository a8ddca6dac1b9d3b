"""State of a turn with a token target, and messages about it."""

import json
from collections.abc import Mapping
from typing import Any

from msgspec import to_builtins

from hookline.core.response import Measure
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
        "Keep working on the task; do not summarise, and do not ask whether to continue."
    )


def format_completion(end: Completion) -> str:
    """Return the message to the user about the end of the turn."""
    why = "the last steps brought little" if end.diminishing else "the target is reached"
    times = "once" if end.count == 1 else f"{end.count} times"
    return (
        f"token target: ended at {end.pct} % ({end.tokens:,} of {end.budget:,} tokens), because {why}; "
        f"the turn was continued {times}, in {end.duration_ms / 1000:.1f} s"
    )


def format_out_of_time(pct: int, used: int, budget: int) -> str:
    """Return the message to the user if the time has expired, because the turn is then not continued."""
    return (
        f"token target: ended at {pct} % ({used:,} of {budget:,} tokens), because the time budget has expired"
    )


def describe_completion(end: Completion) -> tuple[str, tuple[Measure, ...]]:
    """Return the note for the audit record, which programs search, and the figures for telemetry."""
    figures = {
        "target.continuations": end.count,
        "target.usage": end.pct / 100,
        "target.tokens": end.tokens,
        "target.budget": end.budget,
        "target.diminishing": float(end.diminishing),
        "target.duration": end.duration_ms / 1000,
    }
    measured = tuple(Measure(name=name, value=value) for name, value in figures.items())
    return f"completion {json.dumps(to_builtins(end))}", measured
