"""Arithmetic of time and tokens; has no clock of its own."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from typing import Any, TypeGuard

from msgspec import Struct

from hookline.core.values import replace


class Budget(Struct, frozen=True, kw_only=True):
    """Time budget of a session; None is unlimited."""

    ends_at: float | None = None
    """End of the budget in Unix seconds."""
    unreadable: str = ""
    """The configured end if it is not a number; shown to the user, never to the agent."""

    def seconds_left(self, now: float) -> int | None:
        """Return the whole seconds until the end, rounded down, or None without an end."""
        return None if self.ends_at is None else math.floor(self.ends_at - now)

    def expired(self, now: float) -> bool:
        return self.ends_at is not None and now >= self.ends_at


UNLIMITED = Budget()
MAX_SHOWN_CHARS = 40
MAX_TIME = 253_402_300_799.0
"""Unix seconds at the end of the year 9999, the last that `datetime` can represent."""


def parse_budget_end(text: str) -> Budget:
    """Return the budget that ends at *text*, Unix seconds from the environment; empty or 0 is unlimited."""
    text = text.strip()
    if not text:
        return UNLIMITED
    try:
        end = float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        end = math.nan
    if not abs(end) <= MAX_TIME:
        return Budget(unreadable=text[:MAX_SHOWN_CHARS])
    return Budget(ends_at=end) if end else UNLIMITED


REARM_MARGIN = 10.0
"""Percentage points that usage must fall below a threshold before it is reported again."""


def with_earliest_end(budget: Budget, *ends: float | None) -> Budget:
    """Return *budget* with the earliest of its own end and *ends*; values that are not times are ignored."""
    valid = [end for end in (budget.ends_at, *ends) if _is_time(end)]
    return replace(budget, ends_at=min(valid)) if valid else budget


def _is_time(end: Any) -> TypeGuard[float]:
    return isinstance(end, int | float) and not isinstance(end, bool) and abs(end) <= MAX_TIME


def compare_thresholds(
    percent: float, thresholds: Iterable[float], reported: Collection[float], margin: float = REARM_MARGIN
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the thresholds to report now, and the *reported* ones that usage has fallen below again."""
    values = tuple(thresholds)
    crossed = tuple(threshold for threshold in values if percent >= threshold and threshold not in reported)
    rearmed = tuple(
        threshold for threshold in values if percent <= threshold - margin and threshold in reported
    )
    return crossed, rearmed


FINAL_SECONDS, FIVE_MINUTES, TEN_MINUTES = 120, 300, 600
"""Seconds; below `FINAL_SECONDS` the time left is always shown."""


def find_band(left: int, wrap_up: int, stop: int) -> tuple[int, int]:
    """Return the urgency (0 to 3) of the *left* seconds and the start of their band.

    A band is five minutes wide above ten minutes, else one minute.
    """
    tier = (left <= 0) + (left <= stop) + (left <= wrap_up)
    if left > TEN_MINUTES:
        return tier, left // FIVE_MINUTES * FIVE_MINUTES
    return tier, left // 60 * 60
