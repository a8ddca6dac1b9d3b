"""Arithmetic of time and tokens; has no clock of its own."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from typing import Any, TypeGuard

from msgspec import Struct

from hookline.core.values import replace


class Budget(Struct, frozen=True, kw_only=True):
    """What a session may spend; None is unlimited."""

    ends_at: float | None = None
    """Unix seconds."""
    unreadable: str = ""
    """An end that was given but is no number: shown to the user, never to the agent."""

    def seconds_left(self, now: float) -> int | None:
        """Whole seconds until the end, rounded down; None without an end."""
        return None if self.ends_at is None else math.floor(self.ends_at - now)

    def expired(self, now: float) -> bool:
        return self.ends_at is not None and now >= self.ends_at


UNLIMITED = Budget()
LONGEST_SHOWN = 40
LATEST = 253_402_300_799.0
"""Unix seconds: the end of the year 9999, past which no clock can show a time."""


def budget_until(text: str) -> Budget:
    """The budget that an environment's end in Unix seconds means; empty or 0 is none."""
    text = text.strip()
    if not text:
        return UNLIMITED
    try:
        end = float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        end = math.nan
    if not abs(end) <= LATEST:
        return Budget(unreadable=text[:LONGEST_SHOWN])
    return Budget(ends_at=end) if end else UNLIMITED


MARGIN = 10.0
"""Percentage points below a threshold at which it may speak again."""


def nearest(given: Budget, *ends: float | None) -> Budget:
    """*given* with the nearest of its end and the *ends*; one that is no number is none."""
    known = [end for end in (given.ends_at, *ends) if _is_time(end)]
    return replace(given, ends_at=min(known)) if known else given


def _is_time(end: Any) -> TypeGuard[float]:
    return isinstance(end, int | float) and not isinstance(end, bool) and abs(end) <= LATEST


def crossed(
    percent: float, thresholds: Iterable[float], said: Collection[float], margin: float = MARGIN
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The *thresholds* that speak now, of those that have not *said* it, and those that are over again."""
    every = tuple(thresholds)
    fresh = tuple(one for one in every if percent >= one and one not in said)
    over = tuple(one for one in every if percent <= one - margin and one in said)
    return fresh, over


LAST, FIVE_MINUTES, TEN_MINUTES = 120, 300, 600
"""Seconds."""


def band(left: int, wrap_up: int, stop: int) -> tuple[int, int]:
    """Which of the bands a time is in, and how urgent: of five minutes above ten minutes, else of one."""
    tier = (left <= 0) + (left <= stop) + (left <= wrap_up)
    if left > TEN_MINUTES:
        return tier, left // FIVE_MINUTES * FIVE_MINUTES
    return tier, left // 60 * 60
