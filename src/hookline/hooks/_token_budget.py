"""Token targets: parsing them from prompts, deciding whether a turn continues, and messages about it."""

import json
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, to_builtins

from hookline.core.response import Measure
from hookline.lazy import re

MIN_PROGRESS_TOKENS = 500
"""Output tokens of a continuation below which progress is small; two in a row end the turn."""
MIN_CONTINUATIONS = 3
"""Continuations before which small progress does not end the turn."""
_UNITS = {"k": 1_000, "m": 1_000_000, "b": 1_000_000_000}
_AMOUNT = r"([0-9]{1,15}(?:\.[0-9]{1,15})?)"
_TARGET_PATTERNS = (
    re.compile(rf"(?i)\A\s*\+{_AMOUNT}([kmb])\b"),
    re.compile(rf"(?i)\s\+{_AMOUNT}([kmb])[.!?]?\s*\Z"),
    re.compile(rf"(?i)\b(?:use|spend)\s+{_AMOUNT}\s?([kmb])\s+tokens?\b"),
)
"""Targets at the start, at the end, or anywhere in a prompt; the first match counts."""


class Tracker(Struct, frozen=True, kw_only=True):
    """The progress of the continuations of one turn."""

    count: int = 0
    last_delta: int = 0
    last_total: int = 0
    started_at: float = 0.0
    """Unix seconds."""


class Completion(Struct, frozen=True, kw_only=True):
    """The summary of a turn that was continued and has ended."""

    count: int
    pct: int
    tokens: int
    budget: int
    diminishing: bool
    duration_ms: int


class Decision(Struct, frozen=True, kw_only=True):
    """The decision whether a turn continues."""

    continues: bool
    tracker: Tracker
    """The tracker to remember; unchanged if the turn ends."""
    pct: int = 0
    completion: Completion | None = None
    """None if the turn continues, or was never continued."""


def decide_continuation(
    tracker: Tracker, agent: str, budget: int | None, turn_tokens: int, now: float
) -> Decision:
    """Decide whether a turn with *turn_tokens* of output that is about to end continues."""
    if agent or budget is None or budget <= 0:
        return Decision(continues=False, tracker=tracker)
    pct, delta = round_percent(turn_tokens, budget), turn_tokens - tracker.last_total
    diminishing = (
        tracker.count >= MIN_CONTINUATIONS
        and delta < MIN_PROGRESS_TOKENS
        and tracker.last_delta < MIN_PROGRESS_TOKENS
    )
    if not diminishing and turn_tokens * 10 < budget * 9:
        updated = Tracker(
            count=tracker.count + 1, last_delta=delta, last_total=turn_tokens, started_at=tracker.started_at
        )
        return Decision(continues=True, tracker=updated, pct=pct)
    if not diminishing and tracker.count == 0:
        return Decision(continues=False, tracker=tracker, pct=pct)
    completion = Completion(
        count=tracker.count,
        pct=pct,
        tokens=turn_tokens,
        budget=budget,
        diminishing=diminishing,
        duration_ms=round((now - tracker.started_at) * 1000),
    )
    return Decision(continues=False, tracker=tracker, pct=pct, completion=completion)


def round_percent(part: int, whole: int) -> int:
    """Return *part* as a percentage of *whole*, rounded half up."""
    return (part * 200 + whole) // (whole * 2)


def parse_prompt_target(prompt: str) -> int:
    """Return the tokens that *prompt* asks to spend, or 0."""
    if "+" not in prompt and "token" not in prompt.lower():
        return 0
    for pattern in _TARGET_PATTERNS:
        match = pattern.search(prompt)
        if match is not None:
            return round(float(match[1]) * _UNITS[match[2].lower()])
    return 0


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
