"""Advice to an agent that makes no progress, and the detection of a plateau."""

from collections.abc import Sequence
from itertools import takewhile
from typing import Literal, Protocol

from msgspec import Struct

from hookline.engine.judge import Metric, best, gain

Level = Literal["none", "refine", "pivot", "search", "halt"]

PROGRESS = ("baseline", "keep", "keep_reworked")
"""Statuses whose change is kept."""
NEUTRAL = ("superseded", "budget")
"""Statuses that do not count as failures: superseded by another experiment, or ended with the run."""
MIN_GAIN = 0.001
"""Fraction of the best metric below which a gain counts as a plateau."""


class Row(Protocol):
    """Properties of a journal row that are used here."""

    @property
    def status(self) -> str: ...
    @property
    def metric(self) -> float | None: ...


class Thresholds(Protocol):
    """Numbers of failures in a row and of pivots for each level of advice."""

    @property
    def refine(self) -> int: ...
    @property
    def pivot(self) -> int: ...
    @property
    def search(self) -> int: ...
    @property
    def halt(self) -> int | None: ...


class DefaultThresholds(Struct, frozen=True, kw_only=True):
    """Thresholds for a target that has none."""

    refine: int = 3
    pivot: int = 5
    search: int = 2
    halt: int = 3


class Advice(Struct, frozen=True, kw_only=True):
    """The advice to an agent."""

    level: Level
    text: str = ""


_FAILED = "{failures} experiments in a row brought no improvement"
_TEXTS = {
    "none": "",
    "refine": f"{_FAILED}. Refine: keep the direction, read why each experiment failed, and make one "
    "smaller change.",
    "pivot": f"{_FAILED}. Pivot: abandon this direction, and try a different kind of change that is not in "
    "the journal.",
    "search": f"{_FAILED}, despite {{pivots}} changes of direction. Search: look up how others solve "
    "this problem before the next change.",
    "halt": f"{_FAILED}, despite {{pivots}} changes of direction. Halt: a person must review the "
    "goal, the metric and the scope.",
}


def advice(rows: Sequence[Row], thresholds: Thresholds | None = None) -> Advice:
    """Return the advice for the failures since the last kept experiment."""
    limits, failures = thresholds or DefaultThresholds(), count_failures(rows)
    pivots, remainder = divmod(failures, max(limits.pivot, 1))
    level = _level(pivots, remainder, limits)
    return Advice(level=level, text=_TEXTS[level].format(failures=failures, pivots=pivots))


def _level(pivots: int, remainder: int, limits: Thresholds) -> Level:
    if limits.halt is not None and pivots >= limits.halt:
        return "halt"
    if remainder == 0 and pivots:
        return "search" if pivots >= limits.search else "pivot"
    return "refine" if remainder >= limits.refine else "none"


def count_failures(rows: Sequence[Row]) -> int:
    """Return the number of failed experiments since the last one that was kept."""
    since = takewhile(lambda row: row.status not in PROGRESS, reversed(rows))
    return sum(row.status not in NEUTRAL for row in since)


def has_plateaued(
    rows: Sequence[Row], metric: Metric, *, window: int | None, min_gain: float = MIN_GAIN
) -> bool:
    """Return whether the last *window* experiments gained almost nothing; False if *window* is None."""
    if window is None:
        return False
    counted = [row for row in rows if row.status not in NEUTRAL]
    earlier, current = _best_kept(counted[:-window], metric), _best_kept(counted, metric)
    if earlier is None or current is None:
        return False
    return gain(current, earlier, metric) <= min_gain * abs(earlier)


def _best_kept(rows: Sequence[Row], metric: Metric) -> float | None:
    return best([row.metric for row in rows if row.status in PROGRESS and row.metric is not None], metric)
