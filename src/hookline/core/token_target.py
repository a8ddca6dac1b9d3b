"""Token targets: what a prompt asks for, and whether a turn that ends below its target goes on."""

import re

from msgspec import Struct

FEW = 500
"""Tokens: who gains fewer at two ends in a row has little left to do."""
EARLY = 3
"""Continuations before which little progress is no reason to end."""
_UNIT = {"k": 1_000, "m": 1_000_000, "b": 1_000_000_000}
_AMOUNT = r"([0-9]{1,15}(?:\.[0-9]{1,15})?)"
_ASKED = (
    re.compile(rf"(?i)\A\s*\+{_AMOUNT}([kmb])\b"),
    re.compile(rf"(?i)\s\+{_AMOUNT}([kmb])[.!?]?\s*\Z"),
    re.compile(rf"(?i)\b(?:use|spend)\s+{_AMOUNT}\s?([kmb])\s+tokens?\b"),
)
"""At the start, at the end, anywhere: the first that is there counts."""


class Tracker(Struct, frozen=True, kw_only=True):
    """How far the continuations of one turn have come."""

    count: int = 0
    last_delta: int = 0
    last_total: int = 0
    started_at: float = 0.0
    """Unix seconds."""


class Completion(Struct, frozen=True, kw_only=True):
    """Why a turn that was made to go on has ended."""

    count: int
    pct: int
    tokens: int
    budget: int
    diminishing: bool
    duration_ms: int


class Decision(Struct, frozen=True, kw_only=True):
    """Whether the turn goes on."""

    goes_on: bool
    tracker: Tracker
    """As it is to be remembered: the same as before where the turn ends."""
    pct: int = 0
    completion: Completion | None = None
    """None where the turn goes on, or never was made to."""


def check(tracker: Tracker, agent: str, budget: int | None, turn_tokens: int, now: float) -> Decision:
    """What becomes of a turn that has come to *turn_tokens* of output and is about to end."""
    if agent or budget is None or budget <= 0:
        return Decision(goes_on=False, tracker=tracker)
    pct, delta = percent(turn_tokens, budget), turn_tokens - tracker.last_total
    diminishing = tracker.count >= EARLY and delta < FEW and tracker.last_delta < FEW
    if not diminishing and turn_tokens * 10 < budget * 9:
        further = Tracker(
            count=tracker.count + 1, last_delta=delta, last_total=turn_tokens, started_at=tracker.started_at
        )
        return Decision(goes_on=True, tracker=further, pct=pct)
    if not diminishing and tracker.count == 0:
        return Decision(goes_on=False, tracker=tracker, pct=pct)
    completion = Completion(
        count=tracker.count,
        pct=pct,
        tokens=turn_tokens,
        budget=budget,
        diminishing=diminishing,
        duration_ms=round((now - tracker.started_at) * 1000),
    )
    return Decision(goes_on=False, tracker=tracker, pct=pct, completion=completion)


def percent(part: int, whole: int) -> int:
    """Rounded, a half upwards."""
    return (part * 200 + whole) // (whole * 2)


def prompt_target(prompt: str) -> int:
    """The tokens that a *prompt* asks to spend; 0 where it asks for none."""
    if "+" not in prompt and "token" not in prompt.lower():
        return 0
    for pattern in _ASKED:
        found = pattern.search(prompt)
        if found is not None:
            return round(float(found[1]) * _UNIT[found[2].lower()])
    return 0
