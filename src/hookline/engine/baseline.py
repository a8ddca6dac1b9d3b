"""The baseline: the first commit of a run, guarded and measured like a result of an agent."""

import logging
import time
from statistics import median

from hookline.core.values import replace
from hookline.engine import devices, journal
from hookline.engine.journal import Row
from hookline.engine.judge import mad, runs_differ
from hookline.engine.measure import Measurement
from hookline.engine.measure_pool import OutOfTime
from hookline.engine.progress import ExperimentProgress
from hookline.engine.work import Work
from hookline.engine.workplace import describe_failure

_LOG = logging.getLogger("hookline.engine")

BASELINE_RUNS = 3
"""Runs of the first commit that must agree before a metric is taken as deterministic."""


class NoBaseline(OSError):
    """A baseline that cannot be measured, or an agent that cannot be guarded; the message says why."""


def decide(work: Work, step: ExperimentProgress) -> ExperimentProgress:
    """Measure the first commit; return the step with row 0. Raise `NoBaseline`."""
    _LOG.debug("before-baseline")
    required, report = work.target.resources.gpu, work.watcher.on_notice
    try:
        with devices.reserve(required, work.env, until=work.until, report=report) as variables:
            row = _measure(work.with_variables(variables))
    except OutOfTime:
        raise NoBaseline("the time limit of the run was over before its baseline was measured") from None
    return replace(step, phase="decided", row=journal.to_json(row))


def _measure(work: Work) -> Row:
    base, guard = work.run.base, _check_guard(work)
    values, noisy = _measure_metric(work)
    return Row(
        iteration=0,
        timestamp=time.time(),
        status="baseline",
        commit=base,
        metric=median(values),
        best=median(values),
        guard="pass" if guard else "",
        guard_metric=guard.value if guard else None,
        samples=tuple(values),
        mad=mad(values) if noisy else None,
        base=base,
        description="baseline",
    )


def _check_guard(work: Work) -> Measurement | None:
    if work.target.guard is None:
        return None
    work.watcher.on_measurement(0, "guard")
    holds, guard = work.bench.check_guard(work.target.guard, work.run.base)
    if not holds:
        raise NoBaseline(describe_failure("guard", guard.problem or "threshold not met", guard.tail))
    return guard


def _measure_metric(work: Work) -> tuple[list[float], bool]:
    """Return the measurements of the base commit, and whether they vary.

    A varying metric is measured as often as a better result is confirmed: a single lucky baseline could
    never be beaten.
    """
    noise, values = work.target.noise, list[float]()
    noisy, count = noise.kind == "noisy", 1 if noise.kind == "deterministic" else BASELINE_RUNS
    while len(values) < (max(count, noise.samples) if noisy else count):
        work.watcher.on_measurement(0, "metric")
        measurement, _samples = work.bench.measure_metric(work.run.base)
        if measurement.value is None:
            raise NoBaseline(describe_failure("metric", measurement.problem, measurement.tail))
        values.append(measurement.value)
        noisy = noisy or (len(values) > 1 and runs_differ(values))
    return values, noisy
