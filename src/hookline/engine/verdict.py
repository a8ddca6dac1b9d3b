"""The outcome of an experiment: its row, or another attempt."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from msgspec import Struct

from hookline.core.frozen import EMPTY
from hookline.core.values import replace
from hookline.engine import journal
from hookline.engine.journal import Row, Status
from hookline.engine.judge import Side, Verdict, judge
from hookline.engine.measure import Measurement
from hookline.engine.progress import ExperimentProgress
from hookline.engine.runs import Run
from hookline.engine.work import Work

MIN_REWORK_SECONDS = 1.0
"""Seconds of the budget that another attempt requires."""
VARIES = "two runs of the same commit differ: the metric is noisy, and every further gain is confirmed"
UNSUITABLE = "{command}: {problem}, on this machine of the cluster also with the best commit"
PAIRED_FIRST = 3
"""Measured parallel experiments before a metric that seems exact is taken as independent of the load."""
_MAX_PATHS = 5


def incumbent(rows: Sequence[Row]) -> Row:
    """Return the last row that was kept."""
    return next(row for row in reversed(rows) if row.kept)


def decide_without_change(
    run: Run, step: ExperimentProgress, rows: Sequence[Row], *, now: float, run_over: bool
) -> ExperimentProgress:
    """Decide an experiment that left nothing to measure."""
    status: Status = "no_change"
    if step.outside:
        status = "scope_violation"
    elif step.ended == "timeout":
        status = "budget" if run_over else "timeout"
    elif step.stopped:
        status = "hook_blocked"
    elif step.ended != "exit":
        status = "crash"
    reasons = {"crash": f"agent: {step.ended}", "hook_blocked": f"blocked by {step.stopped}"}
    return _decide(step, rows, status, now, reason=reasons.get(status, ""))


def decide_crash(step: ExperimentProgress, rows: Sequence[Row], reason: str) -> ExperimentProgress:
    """Decide an experiment that could not be finished."""
    return _decide(step, rows, "crash", time.time(), reason=reason)


def decide_out_of_time(step: ExperimentProgress, rows: Sequence[Row]) -> ExperimentProgress:
    """Decide an experiment that could not be measured before the end of the run."""
    return _decide(step, rows, "budget", time.time(), reason="the time of the run was over; not measured")


def decide_withdrawn(step: ExperimentProgress, rows: Sequence[Row]) -> ExperimentProgress:
    """Decide an experiment whose agent reverted its change instead of fixing the guard's failure."""
    return _decide(
        step,
        rows,
        "guard_failed",
        time.time(),
        reason="guard: the agent reverted the failed change",
        guard="fail",
    )


def decide_measured(
    work: Work,
    step: ExperimentProgress,
    rows: Sequence[Row],
    *,
    holds: bool,
    guard: Measurement | None,
    metric: Measurement,
    samples: Sequence[float],
) -> ExperimentProgress:
    """Decide a measured experiment.

    If the metric improved but the guard failed, the agent may try again while its budget lasts.
    """
    columns: dict[str, Any] = {
        "guard": "" if guard is None else "pass" if holds else "fail",
        "guard_metric": guard.value if guard else None,
        "metric": metric.value,
        "samples": tuple(samples),
    }
    if metric.value is None or incumbent(rows).metric is None:
        return _decide_unmeasured(work, step, rows, metric, columns)
    reference = _find_reference(work, step, rows)
    if reference is None:
        reason = "metric: the best commit cannot be measured here"
        return _decide(step, rows, "metric_error", time.time(), reason=reason, **{**columns, "metric": None})
    columns |= reference.to_scale(metric.value - reference.value, reference.value)
    if not holds and guard is not None:
        return _decide_guard_failed(work, step, rows, guard, columns)
    verdict = _judge(work, step, reference, metric.value, samples)
    status: Status = "keep_reworked" if verdict.status == "keep" and step.reworks else verdict.status
    columns |= {
        **reference.to_scale(verdict.delta, verdict.incumbent),
        "samples": verdict.samples,
        "mad": verdict.mad,
        "p_value": verdict.p_value,
    }
    facts = _facts(verdict, columns["delta"])
    return _decide(step, rows, status, time.time(), reason=verdict.reason, facts=facts, **columns)


class _Reference(Struct, frozen=True, kw_only=True):
    """The incumbent with which a candidate is compared."""

    row: Row
    value: float
    """Its metric as recorded; if *paired*, measured now on the candidate's machine."""
    paired: bool
    exact: bool
    """True if no two runs of the same commit have differed yet."""
    varies: bool = False
    """True if the value that was measured now is the first to differ."""

    def scale(self, value: float) -> float:
        """Return the factor to the scale of the run, given the incumbent's metric in the same runs.

        Machines of a cluster differ in speed, as does a busy machine, so there the difference is relative.
        """
        figure = self.row.metric or 0.0
        return figure / value if self.paired and figure > 0 and value > 0 else 1.0

    def to_scale(self, delta: float | None, value: float) -> dict[str, float | None]:
        """Return metric and delta on the scale of the run: the incumbent's figure plus the difference."""
        if delta is None or self.row.metric is None:
            return {"metric": None, "delta": None}
        delta *= self.scale(value)
        return {"metric": self.row.metric + delta, "delta": delta}


def _find_reference(work: Work, step: ExperimentProgress, rows: Sequence[Row]) -> _Reference | None:
    """Return the incumbent to compare with, or None if it cannot be measured here.

    Parallel experiments compete for the machine, on which the baseline was alone. Therefore a noisy metric
    is measured in pairs, and so are the first experiments of a metric that seems exact.
    """
    row, noisy = incumbent(rows), is_noisy(work.run, rows)
    first = work.target.noise.kind == "auto" and sum(each.metric is not None for each in rows) <= PAIRED_FIRST
    paired = bool(work.run.cluster) or (work.run.parallel > 1 and (noisy or first))
    recorded = row.details.get("measured", row.metric)
    value = _measure_incumbent(work, step, row) if paired else recorded
    if value is None:
        return None
    varies = not noisy and not work.run.cluster and value != recorded
    return _Reference(row=row, value=value, paired=paired, exact=not (noisy or varies), varies=varies)


def _judge(
    work: Work, step: ExperimentProgress, reference: _Reference, value: float, samples: Sequence[float]
) -> Verdict:
    metric = work.target.metric
    verdict = judge(
        value,
        reference.value,
        replace(metric, min_delta=metric.min_delta / reference.scale(reference.value)),
        work.target.noise,
        remeasure=_remeasure(work, step, reference.row, exact=reference.exact),
        exact=reference.exact,
        samples=samples,
    )
    verdict = replace(verdict, varies=verdict.varies or reference.varies)
    if verdict.varies:
        work.watcher.on_notice(VARIES)
    return verdict


def _decide_unmeasured(
    work: Work, step: ExperimentProgress, rows: Sequence[Row], metric: Measurement, columns: dict[str, Any]
) -> ExperimentProgress:
    status: Status = "metric_error" if metric.status == "metric_error" else "crash"
    reason = f"metric: {metric.problem}"
    if work.run.cluster and _measure_incumbent(work, step, incumbent(rows)) is None:
        status, reason = "metric_error", UNSUITABLE.format(command="metric", problem=metric.problem)
    return _decide(step, rows, status, time.time(), reason=reason, **columns)


def is_noisy(run: Run, rows: Sequence[Row]) -> bool:
    """Return whether the metric varies: at the baseline, or in a later experiment."""
    return run.noise == "noisy" or any(row.details.get("varies") for row in rows)


def _measure_incumbent(work: Work, step: ExperimentProgress, row: Row) -> float | None:
    work.watcher.on_measurement(step.experiment, "metric")
    return work.bench.measure_metric(row.commit, "incumbent")[0].value


def _facts(verdict: Verdict, delta: float | None) -> dict[str, Any]:
    facts: dict[str, Any] = {"varies": True} if verdict.varies else {}
    if verdict.interval and verdict.delta and delta is not None:
        facts["interval"] = [bound * delta / verdict.delta for bound in verdict.interval]
    if verdict.p_value is not None:
        facts["measured"] = verdict.value
    return facts


def _decide_guard_failed(
    work: Work, step: ExperimentProgress, rows: Sequence[Row], guard: Measurement, columns: dict[str, Any]
) -> ExperimentProgress:
    target, problem = work.target, guard.problem or "threshold not met"
    if (
        work.run.cluster
        and target.guard
        and not work.bench.check_guard(target.guard, incumbent(rows).commit)[0]
    ):
        reason = UNSUITABLE.format(command="guard", problem=problem)
        return _decide(step, rows, "metric_error", time.time(), reason=reason, **columns)
    better = target.metric.better(columns["delta"], 0.0)
    may_rework = target.guard is not None and step.reworks < target.guard.rework and not step.first
    if (
        better
        and may_rework
        and target.agent.budget - step.spent > MIN_REWORK_SECONDS
        and time.monotonic() < work.until
    ):
        feedback = f"{guard.problem}\n{guard.tail}" if guard.problem else guard.tail
        return replace(step, phase="begun", mark="", reworks=step.reworks + 1, feedback=feedback)
    return _decide(
        step,
        rows,
        "guard_failed",
        time.time(),
        reason=f"guard: {problem}",
        **columns,
    )


def _remeasure(work: Work, step: ExperimentProgress, incumbent_row: Row, *, exact: bool) -> Any:
    """Return a function that measures either side once more, or None if the metric is declared exact."""
    if exact and work.target.noise.kind == "deterministic":
        return None
    commits = {"candidate": step.commit, "incumbent": incumbent_row.commit}

    turns, most = count(2), 1 + 2 * work.target.noise.samples + 2 * exact

    def measure_again(side: Side) -> float | None:
        work.watcher.on_measurement(step.experiment, f"metric: measurement {next(turns)} of at most {most}")
        return work.bench.measure_metric(commits[side], side)[0].value

    return measure_again


def _decide(
    step: ExperimentProgress,
    rows: Sequence[Row],
    status: Status,
    now: float,
    *,
    reason: str = "",
    facts: Mapping[str, Any] = EMPTY,
    **columns: Any,
) -> ExperimentProgress:
    incumbent_row = incumbent(rows)
    kept = status in journal.KEPT
    row = Row(
        iteration=step.experiment,
        timestamp=now,
        status=status,
        commit=step.commit,
        best=columns.get("metric") if kept else incumbent_row.metric,
        seconds=round(step.spent, 3) if step.spent else None,
        base=step.start,
        description=describe(step, reason="" if kept else reason, kept=kept),
        details={
            **step.notes,
            "verdict": reason,
            "ended": step.ended,
            "outside": list(step.outside),
            **facts,
        },
        **{**step.usage, **columns},
    )
    return replace(step, phase="decided", row=journal.to_json(journal.redact_row(row)))


def describe(step: ExperimentProgress, *, reason: str, kept: bool) -> str:
    """Return the agent's description with important facts; if discarded, also the reason and next idea."""
    interrupted = step.ended == "interrupted"
    parts = [step.description] if step.description or interrupted else ["no description"]
    if step.ended == "timeout":
        parts.append("out of time")
    elif interrupted:
        parts.append("the engine was interrupted")
    if step.outside:
        rest = len(step.outside) - _MAX_PATHS
        parts.append(
            f"restored {' '.join(step.outside[:_MAX_PATHS])}" + (f" and {rest} more" if rest > 0 else "")
        )
    parts += [reason] if reason else []
    if not kept:
        parts += [f"{name}: {text}" for name, text in step.notes.items()]
    return "; ".join(dict.fromkeys(filter(None, parts)))
