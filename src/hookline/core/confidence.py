"""How far a known error and its fix are believed: from 0 to 1, gained by use, halved every 45 days.

A store keeps a weight: the confidence as it would be worth at a fixed moment long ago. What fades by halves
fades everywhere alike, so that a gain is one addition, which any database does without reading first.
"""

from __future__ import annotations

START, AGAIN, FOUND, HELPED, FAILED = 0.30, 0.05, 0.15, 0.10, -0.15
"""Of an error that is new, was seen again, got a fix, whose fix helped, and whose fix did not help."""
HALF_LIFE = 45 * 86_400.0
"""Seconds."""
_THEN = 1_600_000_000.0
_MOST = 1000.0
"""Half-lives before or after that moment which a float still tells: more than a hundred years."""


def weight(gain: float, at: float) -> float:
    """What a *gain* at that time, in Unix seconds, adds to a weight; that of 1 is the most there may be."""
    return float(gain * 2.0 ** max(-_MOST, min(_MOST, (at - _THEN) / HALF_LIFE)))


def confidence(weighed: float, at: float) -> float:
    """How far it is believed at that time."""
    return max(0.0, min(1.0, weighed / weight(1.0, at)))


def added(weighed: float, gain: float, at: float) -> float:
    """A weight after a *gain*; never less than nothing, nor more than full confidence is worth then."""
    return max(0.0, min(weight(1.0, at), weighed + weight(gain, at)))
