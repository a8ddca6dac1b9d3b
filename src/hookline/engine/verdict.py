"""Turn what was measured of an experiment into its row, or into another attempt."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from hookline.core.values import replace
from hookline.engine import journal
from hookline.engine.journal import Row, Status
from hookline.engine.judge import Side, judge
from hookline.engine.measure import Measurement
from hookline.engine.progress import Step
from hookline.engine.runs import Run
from hookline.engine.work import Work

LEAST = 1.0
"""Seconds of the budget that another attempt must have."""
_PATHS = 5


def incumbent(rows: Sequence[Row]) -> Row:
    """What stands: the last that was kept."""
    return next(row for row in reversed(rows) if row.kept)


def left_nothing(run: Run, step: Step, rows: Sequence[Row], *, now: float, over: bool) -> Step:
    """There is nothing to measure."""
    status: Status = "no_change"
    if step.outside:
        status = "scope_violation"
    elif step.ended == "timeout":
        status = "budget" if over else "timeout"
    elif step.stopped:
        status = "hook_blocked"
    elif step.ended != "exit":
        status = "crash"
    why = {"crash": f"the agent: {step.ended}", "hook_blocked": f"stopped by {step.stopped}"}
    return _decided(step, rows, status, now, reason=why.get(status, ""))


def not_measured(step: Step, rows: Sequence[Row], why: str) -> Step:
    """It could not be brought to its end."""
    return _decided(step, rows, "crash", time.time(), reason=why)


def withdrawn(step: Step, rows: Sequence[Row]) -> Step:
    """The agent was to mend what the guard found, and took all of it back instead."""
    return _decided(
        step, rows, "guard_failed", time.time(), reason="the guard: what failed was taken back", guard="fail"
    )


def judged(
    work: Work,
    step: Step,
    rows: Sequence[Row],
    *,
    holds: bool,
    guard: Measurement | None,
    metric: Measurement,
    samples: Sequence[float],
) -> Step:
    """With a better metric and a failed guard the agent may try again, as long as its budget lasts."""
    told = {
        "guard": "" if guard is None else "pass" if holds else "fail",
        "guard_metric": guard.value if guard else None,
        "metric": metric.value,
        "samples": tuple(samples),
    }
    stands = incumbent(rows)
    if metric.value is None or stands.metric is None:
        status: Status = "metric_error" if metric.status == "metric_error" else "crash"
        return _decided(step, rows, status, time.time(), reason=f"the metric: {metric.problem}", **told)
    told["delta"] = metric.value - stands.metric
    if not holds and guard is not None:
        return _guard_failed(work, step, rows, guard, told)
    verdict = judge(
        metric.value,
        stands.metric,
        work.target.metric,
        work.target.noise,
        again=_again(work, step, stands),
        samples=samples,
    )
    status = "keep_reworked" if verdict.status == "keep" and step.reworks else verdict.status
    told |= {
        "metric": verdict.value,
        "delta": verdict.delta,
        "samples": verdict.samples,
        "mad": verdict.mad,
        "p_value": verdict.p_value,
    }
    return _decided(step, rows, status, time.time(), reason=verdict.reason, **told)


def _guard_failed(
    work: Work, step: Step, rows: Sequence[Row], guard: Measurement, told: dict[str, Any]
) -> Step:
    target = work.target
    better = target.metric.better(told["metric"], incumbent(rows).metric or 0.0)
    may = target.guard is not None and step.reworks < target.guard.rework and not step.first
    if better and may and target.agent.budget - step.spent > LEAST and time.time() < work.until:
        said = f"{guard.problem}\n{guard.tail}" if guard.problem else guard.tail
        return replace(step, phase="begun", mark="", reworks=step.reworks + 1, feedback=said)
    return _decided(
        step, rows, "guard_failed", time.time(), reason=f"the guard: {guard.problem or 'too low'}", **told
    )


def _again(work: Work, step: Step, stands: Row) -> Any:
    """Measure either side once more, where the metric varies."""
    if work.run.noise != "noisy":
        return None
    commits = {"candidate": step.commit, "incumbent": stands.commit}

    def again(side: Side) -> float | None:
        work.watcher.measuring(step.experiment, "metric")
        return work.bench.metric(commits[side], side)[0].value

    return again


def _decided(
    step: Step, rows: Sequence[Row], status: Status, now: float, *, reason: str = "", **told: Any
) -> Step:
    stands = incumbent(rows)
    kept = status in journal.KEPT
    row = Row(
        iteration=step.experiment,
        timestamp=now,
        status=status,
        commit=step.commit,
        best=told.get("metric") if kept else stands.metric,
        seconds=round(step.spent, 3) if step.spent else None,
        base=step.start,
        description=describe(step, reason="" if kept else reason, kept=kept),
        details={**step.notes, "verdict": reason, "ended": step.ended, "outside": list(step.outside)},
        **{**step.usage, **told},
    )
    return replace(step, phase="decided", row=journal.to_json(journal.clean(row)))


def describe(step: Step, *, reason: str, kept: bool) -> str:
    """What the agent says, and what must be known besides; on a discard why, and what to try next."""
    cut = step.ended == "interrupted"
    parts = [step.description] if step.description or cut else ["no description"]
    if step.ended == "timeout":
        parts.append("out of time")
    elif cut:
        parts.append("the engine was interrupted")
    if step.outside:
        more = len(step.outside) - _PATHS
        parts.append(
            f"put back {' '.join(step.outside[:_PATHS])}" + (f" and {more} more" if more > 0 else "")
        )
    parts += [reason] if reason else []
    if not kept:
        parts += [f"{name}: {text}" for name, text in step.notes.items()]
    return "; ".join(dict.fromkeys(filter(None, parts)))
