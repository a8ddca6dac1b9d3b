"""Where a secret lies: what every search of this room yields."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    start: int
    end: int
    kind: str
    more: bool = False
    """Goes on from the one before, on another line or in another string: cut without a mark of its own."""
