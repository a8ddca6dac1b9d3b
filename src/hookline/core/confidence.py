"""Confidence in a known error and its fix: from 0 to 1, gained by use, halved every 45 days.

A store keeps a weight: the confidence scaled to a fixed moment in the past. All weights decay at the same
rate, so a gain is one addition to the stored weight, which a database does without reading it first.
"""

from __future__ import annotations

INITIAL, SEEN_AGAIN, FIX_FOUND, FIX_HELPED, FIX_FAILED = 0.30, 0.05, 0.15, 0.10, -0.15
"""Gains of an error: first seen, seen again, fix found, fix helped, fix did not help."""
HALF_LIFE = 45 * 86_400.0
"""Seconds in which confidence halves."""
_EPOCH = 1_600_000_000.0
_MAX_HALF_LIVES = 1000.0
"""Half-lives from `_EPOCH` that a float can still represent: more than a hundred years."""


def gain_to_weight(gain: float, at: float) -> float:
    """Return what a *gain*, at most 1, adds to a weight at the time *at*, in Unix seconds."""
    return float(gain * 2.0 ** max(-_MAX_HALF_LIVES, min(_MAX_HALF_LIVES, (at - _EPOCH) / HALF_LIFE)))


def weight_to_confidence(stored: float, at: float) -> float:
    """Return the confidence, from 0 to 1, that the weight *stored* means at the time *at*."""
    return max(0.0, min(1.0, stored / gain_to_weight(1.0, at)))


def add_gain(stored: float, gain: float, at: float) -> float:
    """Return the weight after a *gain*, limited to the range from no confidence to full confidence."""
    return max(0.0, min(gain_to_weight(1.0, at), stored + gain_to_weight(gain, at)))
