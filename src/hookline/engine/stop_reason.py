"""Reasons to end a run, and their exit codes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from hookline.core.durations import format_duration
from hookline.engine.escalation import advice, has_plateaued
from hookline.engine.journal import Row, to_json
from hookline.engine.target import Limits, Target

Reason = Literal[
    "target-reached",
    "cancelled",
    "halted",
    "plateau",
    "failures",
    "workspace-gone",
    "experiment-limit",
    "time",
    "tokens",
    "cost",
    "interrupted",
]
EXIT_CODES: dict[Reason, int] = {
    "target-reached": 0,
    "cancelled": 0,
    "halted": 1,
    "plateau": 1,
    "failures": 1,
    "workspace-gone": 1,
    "experiment-limit": 0,
    "time": 0,
    "tokens": 0,
    "cost": 0,
    "interrupted": 130,
}


class StopReason(Struct, frozen=True, kw_only=True):
    """The end of a run."""

    reason: Reason
    text: str
    """A sentence for the user."""

    @property
    def code(self) -> int:
        return EXIT_CODES[self.reason]


def describe_stop(reason: str) -> StopReason:
    """Return the end of a run from its saved reason; an empty one means that its process was killed."""
    known = next((name for name in EXIT_CODES if name == reason), None)
    if known is None:
        text = "its process was killed or stopped; `hookline run --resume` continues it"
        return StopReason(reason="interrupted", text=text)
    return StopReason(reason=known, text="see `hookline show`")


NEEDS_PERSON: tuple[Reason, ...] = ("halted", "plateau", "failures")
"""Reasons that require a person; resuming the run afterwards restarts the count."""
FAILED_STATUSES = ("crash", "metric_error", "timeout", "hook_blocked")
"""Statuses of experiments that failed completely."""


def find_stop(target: Target, rows: Sequence[Row], spent: float, since: int = 0) -> StopReason | None:
    """Return the first reason to end the run now, or None.

    *spent* is in seconds; only rows from index *since* count for lack of progress.
    """
    reasons = (*_goals_and_limits(target, rows, spent), *_no_progress(target, rows, since))
    return next((stop for stop in reasons if stop), None)


def remaining_usage(limits: Limits, rows: Sequence[Row]) -> dict[str, float]:
    """Return the tokens and the cost that further experiments may use, as far as they are limited."""
    totals = {"tokens": limits.tokens, "cost": limits.cost}
    used = sum_usage(rows)
    return {name: limit - used[name] for name, limit in totals.items() if limit is not None}


def sum_usage(rows: Sequence[Row]) -> dict[str, float]:
    """Return the tokens and the cost of all experiments, as far as they are known."""
    used = [_usage(to_json(row)) for row in rows]
    return {name: sum(values[name] for values in used) for name in ("tokens", "cost")}


def is_exhausted(allowance: Mapping[str, float], columns: Mapping[str, Any]) -> bool:
    """Return whether the usage in the columns of a row reaches the allowance."""
    used = _usage(columns)
    return any(used[name] >= limit for name, limit in allowance.items())


def _usage(columns: Mapping[str, Any]) -> dict[str, float]:
    tokens = (columns.get("tokens_in") or 0) + (columns.get("tokens_out") or 0)
    return {"tokens": tokens, "cost": columns.get("cost") or 0.0}


def _goals_and_limits(target: Target, rows: Sequence[Row], spent: float) -> Iterator[StopReason | None]:
    best = next((row.best for row in reversed(rows) if row.best is not None), None)
    limits, metric, count = target.limits, target.metric, len(rows) - 1
    if metric.reached(best):
        yield StopReason(
            reason="target-reached", text=f"{metric.name} is {best:g}; the target was {metric.target:g}"
        )
    yield _limit_reached("experiment-limit", count, limits.experiments, "experiments")
    if limits.seconds is not None and spent >= limits.seconds:
        yield StopReason(
            reason="time", text=f"the time limit of {format_duration(limits.seconds)} is reached"
        )
    remaining = remaining_usage(limits, rows)
    yield _limit_reached("tokens", (limits.tokens or 0) - remaining.get("tokens", 0), limits.tokens, "tokens")
    yield _limit_reached("cost", (limits.cost or 0) - remaining.get("cost", 0), limits.cost, "dollars")


def _no_progress(target: Target, rows: Sequence[Row], since: int) -> Iterator[StopReason]:
    failures, window = target.limits.failures, target.escalation.plateau
    last = rows[max(since, 1) :][-failures:]
    if len(last) == failures and all(row.status in FAILED_STATUSES for row in last):
        yield StopReason(
            reason="failures",
            text=f"{failures} experiments in a row failed completely; see `hookline show`",
        )
    current_advice = advice(rows[since:], target.escalation)
    if current_advice.level == "halt":
        yield StopReason(
            reason="halted", text=f"{current_advice.text} Then continue with `hookline run --resume`."
        )
    if window and len(rows) - since >= window and has_plateaued(rows, target.metric, window=window):
        yield StopReason(reason="plateau", text=f"the last {window} experiments brought no improvement")


def _limit_reached(reason: Reason, used: float, limit: float | None, unit: str) -> StopReason | None:
    if limit is None or used < limit:
        return None
    return StopReason(reason=reason, text=f"{used:g} of {limit:g} {unit} used")
