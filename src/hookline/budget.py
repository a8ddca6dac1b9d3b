"""Arithmetic of time and tokens; has no clock of its own."""

from __future__ import annotations

import math

from hookline.record import record


@record
class Budget:
    """What a session may spend; None is unlimited."""

    ends_at: float | None = None
    """Unix seconds."""
    used_tokens: int | None = None
    effective_limit: int | None = None
    unreadable: str = ""
    """An end that was given but is no number: shown to the user, never to the agent."""

    def seconds_left(self, now: float) -> int | None:
        """Whole seconds until the end, rounded down; None without an end."""
        return None if self.ends_at is None else math.floor(self.ends_at - now)

    def expired(self, now: float) -> bool:
        return self.ends_at is not None and now >= self.ends_at


UNLIMITED = Budget()
LONGEST_SHOWN = 40


def budget_until(text: str) -> Budget:
    """The budget that an environment's end in Unix seconds means; empty or 0 is none."""
    text = text.strip()
    if not text:
        return UNLIMITED
    try:
        end = float(text)
    except ValueError:
        return Budget(unreadable=text[:LONGEST_SHOWN])
    if not math.isfinite(end):
        return Budget(unreadable=text[:LONGEST_SHOWN])
    return Budget(ends_at=end) if end else UNLIMITED
