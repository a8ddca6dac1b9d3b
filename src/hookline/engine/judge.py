"""The judgement of a candidate against the incumbent: better, not better, or indistinguishable from noise.

A deterministic metric is trusted after one run. With a noisy one, a better first result is confirmed by new
runs of both sides in turn, because a lucky run kept as incumbent could never be beaten.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from math import fsum, sqrt
from statistics import fmean, median, stdev
from typing import Literal, Protocol

from msgspec import Struct

from hookline.core.values import replace

Side = Literal["candidate", "incumbent"]
Remeasure = Callable[[Side], float | None]
"""Measure one side once more; None if that fails."""
Decision = Literal["keep", "discard", "discard_noise", "metric_error"]

DEFAULT_SAMPLES = 4
"""New runs of each side to confirm a difference: 70 permutations, so p can be as small as 1/70."""
DEFAULT_P = 0.05
_T_QUANTILES = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)
"""Quantiles of Student's t for 95 %, with 1 to 9 degrees of freedom."""


class Metric(Protocol):
    """Properties of a target's metric that are used here."""

    @property
    def direction(self) -> str: ...
    @property
    def min_delta(self) -> float: ...


class Noise(Protocol):
    """Settings for confirming a noisy metric."""

    @property
    def samples(self) -> int: ...
    @property
    def p(self) -> float: ...


class DefaultNoise(Struct, frozen=True, kw_only=True):
    """Settings for a target that has none."""

    samples: int = DEFAULT_SAMPLES
    p: float = DEFAULT_P


class Verdict(Struct, frozen=True, kw_only=True):
    """The judgement of a candidate."""

    status: Decision
    value: float | None
    """The candidate's metric: the mean of its new runs if there are any."""
    delta: float | None
    """Candidate minus incumbent, from the same runs."""
    samples: tuple[float, ...]
    """The runs of the candidate on which the value is based."""
    mad: float | None = None
    """Median absolute deviation of the samples, if there are several."""
    interval: tuple[float, float] | None = None
    """95 % interval of the delta, from the differences of paired runs."""
    incumbent: float
    """The incumbent's metric in the same runs."""
    varies: bool = False
    """True if a second run of the same commit gave another value although the metric seemed exact."""
    p_value: float | None = None
    reason: str = ""


def better(new: float, old: float, metric: Metric) -> bool:
    """Return whether *new* is better than *old* by more than `min_delta`; equal is not better."""
    return gain(new, old, metric) > max(metric.min_delta, 0.0)


def gain(new: float, old: float, metric: Metric) -> float:
    """Return how much better *new* is; negative if it is worse."""
    return old - new if metric.direction == "lower" else new - old


def best(values: Sequence[float], metric: Metric) -> float | None:
    return (min if metric.direction == "lower" else max)(values, default=None)


def runs_differ(baseline: Sequence[float]) -> bool:
    """Return whether runs of the same code differ; true for a single run, which proves nothing."""
    return len(baseline) < 2 or len(set(baseline)) > 1  # noqa: PLR2004 -- at least two are required to agree


def judge(
    candidate: float,
    incumbent: float,
    metric: Metric,
    noise: Noise | None = None,
    *,
    remeasure: Remeasure | None = None,
    exact: bool = False,
    samples: Sequence[float] = (),
) -> Verdict:
    """Return the verdict on *candidate*, the median of *samples* if there are several.

    With *remeasure* a better candidate is confirmed by further runs; if the metric seems *exact*, only if one
    more run of each side gives another value.
    """
    delta = candidate - incumbent
    verdict = Verdict(
        status="discard",
        value=candidate,
        delta=delta,
        incumbent=incumbent,
        samples=tuple(samples) or (candidate,),
        mad=mad(samples) if len(samples) > 1 else None,
        reason=_not_better(delta, metric),
    )
    if not better(candidate, incumbent, metric):
        return verdict
    if remeasure is None:
        return replace(verdict, status="keep", reason="better")
    if exact and (remeasure("incumbent"), remeasure("candidate")) == (incumbent, candidate):
        return replace(verdict, status="keep", reason="better, and the same in a second run")
    return replace(_confirm(verdict, metric, noise or DefaultNoise(), remeasure), varies=exact)


def _confirm(screened: Verdict, metric: Metric, noise: Noise, remeasure: Remeasure) -> Verdict:
    runs = _measure_interleaved(noise.samples, remeasure)
    if runs is None:
        reason = "the first result was better, but further measurements failed"
        return replace(screened, status="metric_error", value=None, delta=None, reason=reason)
    new, old = runs
    value, incumbent, p = fmean(new), fmean(old), p_value(new, old, metric)
    significant, enough = p <= noise.p, better(value, incumbent, metric)
    return Verdict(
        status="keep" if significant and enough else "discard_noise",
        value=value,
        delta=value - incumbent,
        interval=paired_interval(new, old),
        incumbent=incumbent,
        samples=tuple(new),
        mad=mad(new),
        p_value=p,
        reason=_confirmation_reason(p, noise, enough=enough, runs=len(new)),
    )


def _measure_interleaved(runs: int, remeasure: Remeasure) -> tuple[list[float], list[float]] | None:
    """Measure both sides in turn, alternating which side is first, so that warming up favours neither."""
    new, old = list[float](), list[float]()
    for turn in range(runs):
        order: tuple[Side, Side] = ("candidate", "incumbent") if turn % 2 else ("incumbent", "candidate")
        for side in order:
            value = remeasure(side)
            if value is None:
                return None
            (new if side == "candidate" else old).append(value)
    return new, old


def p_value(new: Sequence[float], old: Sequence[float], metric: Metric) -> float:
    """Return the probability of so good a result if both sides are equal, by an exact permutation test."""
    values, sign = (*new, *old), -1.0 if metric.direction == "lower" else 1.0
    observed = sign * fsum(new)
    sums = [sign * fsum(chosen) for chosen in combinations(values, len(new))]
    return sum(total >= observed for total in sums) / len(sums)


def paired_interval(new: Sequence[float], old: Sequence[float]) -> tuple[float, float] | None:
    """Return the 95 % t-interval of the mean difference of runs that were measured in pairs."""
    differences = [one - other for one, other in zip(new, old, strict=True)]
    if not 1 < len(differences) <= len(_T_QUANTILES) + 1:
        return None
    middle = fmean(differences)
    half = _T_QUANTILES[len(differences) - 2] * stdev(differences) / sqrt(len(differences))
    return middle - half, middle + half


def mad(values: Sequence[float]) -> float:
    """Return the median absolute deviation."""
    middle = median(values)
    return median(abs(value - middle) for value in values)


def _not_better(delta: float, metric: Metric) -> str:
    if delta == 0:
        return "equal is not better"
    if (delta < 0) == (metric.direction == "lower"):
        return f"better, but not by more than min_delta ({metric.min_delta:g})"
    return "worse"


def _confirmation_reason(p: float, noise: Noise, *, enough: bool, runs: int) -> str:
    if p > noise.p:
        return f"indistinguishable from noise: p {p:.3f} in {runs} against {runs} runs, required {noise.p:g}"
    if not enough:
        return f"confirmed with p {p:.3f}, but not by more than min_delta"
    return f"confirmed: p {p:.3f} in {runs} against {runs} runs"
