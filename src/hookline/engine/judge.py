"""Judge a measured candidate against what stands: better, not better, or not to be told from noise.

A metric that says the same twice is believed. One that does not is screened, and what looks better is run
again beside what stands, four times each and by turns: a lucky run must not become the mark that honest work
can never reach.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from math import fsum
from statistics import median
from typing import Literal, Protocol

from msgspec import Struct

from hookline.core.values import replace

Side = Literal["candidate", "incumbent"]
Again = Callable[[Side], float | None]
"""Measure one of them once more; None where that did not work."""
Judged = Literal["keep", "discard", "discard_noise", "metric_error"]

RUNS = 4
"""Fresh runs of each side that confirm a difference: 70 ways to deal them out, so that p can be 1/70."""
SURE = 0.05


class Metric(Protocol):
    """What is to be known of a target's metric."""

    @property
    def direction(self) -> str: ...
    @property
    def min_delta(self) -> float: ...


class Noise(Protocol):
    """How a noisy metric is confirmed."""

    @property
    def samples(self) -> int: ...
    @property
    def p(self) -> float: ...


class Usual(Struct, frozen=True, kw_only=True):
    """The noise settings of a target that has none."""

    samples: int = RUNS
    p: float = SURE


class Verdict(Struct, frozen=True, kw_only=True):
    """What a candidate came to."""

    status: Judged
    value: float | None
    """The candidate's metric: of its fresh runs, where there were any."""
    delta: float | None
    """Candidate less incumbent, of the same runs."""
    samples: tuple[float, ...]
    """Runs of the candidate that the value stands on."""
    mad: float | None = None
    """Median absolute deviation of those, where there are several."""
    p_value: float | None = None
    reason: str = ""


def better(new: float, old: float, metric: Metric) -> bool:
    """Whether *new* is better than *old*, and by more than `min_delta`; equal is not better."""
    return gained(new, old, metric) > max(metric.min_delta, 0.0)


def gained(new: float, old: float, metric: Metric) -> float:
    """How much better *new* is; less than nothing where it is worse."""
    return old - new if metric.direction == "lower" else new - old


def best(values: Sequence[float], metric: Metric) -> float | None:
    return (min if metric.direction == "lower" else max)(values, default=None)


def noisy(baseline: Sequence[float]) -> bool:
    """Whether runs of the same code disagree; one run alone tells nothing, so it is not believed."""
    return len(baseline) < 2 or len(set(baseline)) > 1  # noqa: PLR2004 -- two agree


def judge(
    candidate: float,
    incumbent: float,
    metric: Metric,
    noise: Noise | None = None,
    *,
    again: Again | None = None,
    samples: Sequence[float] = (),
) -> Verdict:
    """The verdict on *candidate*, the median of these *samples* where it is not one alone.

    With *again* the metric is noisy, and what looks better has to show it once more.
    """
    delta = candidate - incumbent
    plain = Verdict(
        status="discard",
        value=candidate,
        delta=delta,
        samples=tuple(samples) or (candidate,),
        mad=mad(samples) if len(samples) > 1 else None,
        reason=_not_better(delta, metric),
    )
    if not better(candidate, incumbent, metric):
        return plain
    if again is None:
        return replace(plain, status="keep", reason="better")
    return _confirmed(plain, metric, noise or Usual(), again)


def _confirmed(screened: Verdict, metric: Metric, noise: Noise, again: Again) -> Verdict:
    runs = _by_turns(noise.samples, again)
    if runs is None:
        reason = "it looked better, but could not be measured once more"
        return replace(screened, status="metric_error", value=None, delta=None, reason=reason)
    new, old = runs
    value, stands, p = median(new), median(old), p_value(new, old, metric)
    sure, enough = p <= noise.p, better(value, stands, metric)
    return Verdict(
        status="keep" if sure and enough else "discard_noise",
        value=value,
        delta=value - stands,
        samples=tuple(new),
        mad=mad(new),
        p_value=p,
        reason=_why(p, noise, enough=enough, runs=len(new)),
    )


def _by_turns(runs: int, again: Again) -> tuple[list[float], list[float]] | None:
    """Interleaved, each side first every other time, so that a machine that warms up favours neither."""
    new, old = list[float](), list[float]()
    for turn in range(runs):
        order: tuple[Side, Side] = ("candidate", "incumbent") if turn % 2 else ("incumbent", "candidate")
        for side in order:
            value = again(side)
            if value is None:
                return None
            (new if side == "candidate" else old).append(value)
    return new, old


def p_value(new: Sequence[float], old: Sequence[float], metric: Metric) -> float:
    """How likely a difference this good is if both are the same: every way to deal the runs out, counted."""
    whole, sign = (*new, *old), -1.0 if metric.direction == "lower" else 1.0
    observed = sign * fsum(new)
    sums = [sign * fsum(chosen) for chosen in combinations(whole, len(new))]
    return sum(one >= observed for one in sums) / len(sums)


def mad(values: Sequence[float]) -> float:
    """Median absolute deviation: how far runs of the same code lie apart."""
    middle = median(values)
    return median(abs(value - middle) for value in values)


def _not_better(delta: float, metric: Metric) -> str:
    if delta == 0:
        return "equal is not better"
    if (delta < 0) == (metric.direction == "lower"):
        return f"better, but by no more than min_delta ({metric.min_delta:g})"
    return "worse"


def _why(p: float, noise: Noise, *, enough: bool, runs: int) -> str:
    if p > noise.p:
        return f"not to be told from noise: p {p:.3f} in {runs} against {runs} runs, {noise.p:g} is asked for"
    if not enough:
        return f"confirmed with p {p:.3f}, but by no more than min_delta"
    return f"confirmed: p {p:.3f} in {runs} against {runs} runs"
