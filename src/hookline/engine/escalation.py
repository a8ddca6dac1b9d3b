"""What an agent that does not get on is advised to do next, and when it is better to stop."""

from collections.abc import Sequence
from itertools import takewhile
from typing import Literal, Protocol

from msgspec import Struct

from hookline.engine.judge import Metric, best, gained

Level = Literal["none", "refine", "pivot", "search", "halt"]

PROGRESS = ("baseline", "keep", "keep_reworked")
"""Statuses that say that something stands."""
NEITHER = ("superseded", "budget")
"""Statuses that are nobody's failure: another one was faster, or the run was over."""
LEAST = 0.001
"""The part of the best metric that must be gained in a while, lest it is a plateau."""


class Row(Protocol):
    """What is to be known of a journal's row."""

    @property
    def status(self) -> str: ...
    @property
    def metric(self) -> float | None: ...


class Thresholds(Protocol):
    """After how many failures in a row, and after how many pivots, which advice is given."""

    @property
    def refine(self) -> int: ...
    @property
    def pivot(self) -> int: ...
    @property
    def search(self) -> int: ...
    @property
    def halt(self) -> int: ...


class Usual(Struct, frozen=True, kw_only=True):
    """The thresholds of a target that has none."""

    refine: int = 3
    pivot: int = 5
    search: int = 2
    halt: int = 3


class Advice(Struct, frozen=True, kw_only=True):
    """What an agent is told."""

    level: Level
    text: str = ""


_FAILED = "{failures} experiments in a row did not help"
_SAYS = {
    "none": "",
    "refine": f"{_FAILED}. Refine: keep the direction, read why each of them failed, and change one smaller "
    "thing at a time.",
    "pivot": f"{_FAILED}. Pivot: leave this direction, and try something of another kind that no row of the "
    "journal has tried.",
    "search": f"{_FAILED}, nor {{pivots}} changes of direction. Search: look up how others solve this "
    "before the next change.",
    "halt": f"{_FAILED}, nor {{pivots}} changes of direction. Halt: a person has to look at the goal, the "
    "metric and the scope.",
}


def advice(rows: Sequence[Row], thresholds: Thresholds | None = None) -> Advice:
    """What the experiments since the last that was kept come to; a keep begins anew."""
    limits, failures = thresholds or Usual(), failed_in_a_row(rows)
    pivots, since = divmod(failures, max(limits.pivot, 1))
    level = _level(pivots, since, limits)
    return Advice(level=level, text=_SAYS[level].format(failures=failures, pivots=pivots))


def _level(pivots: int, since: int, limits: Thresholds) -> Level:
    if pivots >= limits.halt:
        return "halt"
    if since == 0 and pivots:
        return "search" if pivots >= limits.search else "pivot"
    return "refine" if since >= limits.refine else "none"


def failed_in_a_row(rows: Sequence[Row]) -> int:
    """Experiments since the last that stands."""
    since = takewhile(lambda row: row.status not in PROGRESS, reversed(rows))
    return sum(row.status not in NEITHER for row in since)


def plateau(rows: Sequence[Row], metric: Metric, *, window: int | None, least: float = LEAST) -> bool:
    """Whether the last *window* experiments, kept or not, gained next to nothing; with None it never is."""
    if window is None:
        return False
    counted = [row for row in rows if row.status not in NEITHER]
    stood, reached = _stands(counted[:-window], metric), _stands(counted, metric)
    if stood is None or reached is None:
        return False
    return gained(reached, stood, metric) <= least * abs(stood)


def _stands(rows: Sequence[Row], metric: Metric) -> float | None:
    return best([row.metric for row in rows if row.status in PROGRESS and row.metric is not None], metric)
