"""Why a run ends, and the exit code that says so."""

from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec import Struct

from hookline.core.durations import written
from hookline.engine.escalation import advice, plateau
from hookline.engine.journal import Row
from hookline.engine.target import Target

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
EXITS: dict[Reason, int] = {
    "target-reached": 0,
    "cancelled": 0,
    "halted": 1,
    "plateau": 1,
    "failures": 1,
    "workspace-gone": 1,
    "experiment-limit": 2,
    "time": 2,
    "tokens": 2,
    "cost": 2,
    "interrupted": 130,
}


class Stop(Struct, frozen=True, kw_only=True):
    """The end of a run."""

    reason: Reason
    text: str
    """In a sentence, for the user."""

    @property
    def code(self) -> int:
        return EXITS[self.reason]


WAITS: tuple[Reason, ...] = ("halted", "plateau", "failures")
"""Reasons that ask for a person: who then has the run go on begins the count anew."""
BROKEN = ("crash", "metric_error", "timeout", "hook_blocked")
"""Statuses of experiments in which something did not work at all."""


def due(target: Target, rows: Sequence[Row], spent: float, since: int = 0) -> Stop | None:
    """Whether a run should end now; each reason by itself. How it got on counts from row *since* on."""
    reasons = (*_reasons(target, rows, spent), *_in_vain(target, rows, since))
    return next((stop for stop in reasons if stop), None)


def _reasons(target: Target, rows: Sequence[Row], spent: float) -> Iterator[Stop | None]:
    best = next((row.best for row in reversed(rows) if row.best is not None), None)
    limits, metric, done = target.limits, target.metric, len(rows) - 1
    if metric.reached(best):
        yield Stop(
            reason="target-reached", text=f"{metric.name} is {best:g}, and {metric.target:g} was the goal"
        )
    yield _over("experiment-limit", done, limits.experiments, "experiments")
    if limits.seconds is not None and spent >= limits.seconds:
        yield Stop(reason="time", text=f"the {written(limits.seconds)} that it may take are over")
    tokens = [(row.tokens_in or 0) + (row.tokens_out or 0) for row in rows]
    yield _over("tokens", sum(tokens), limits.tokens, "tokens")
    yield _over("cost", sum(row.cost or 0.0 for row in rows), limits.cost, "dollars")


def _in_vain(target: Target, rows: Sequence[Row], since: int) -> Iterator[Stop]:
    failures, window = target.limits.failures, target.escalation.plateau
    last = rows[max(since, 1) :][-failures:]
    if len(last) == failures and all(row.status in BROKEN for row in last):
        yield Stop(
            reason="failures",
            text=f"{failures} experiments in a row did not work at all; `hookline show` says why",
        )
    told = advice(rows[since:], target.escalation)
    if told.level == "halt":
        yield Stop(reason="halted", text=f"{told.text} Then `hookline run --resume` goes on.")
    if window and len(rows) - since >= window and plateau(rows, target.metric, window=window):
        yield Stop(reason="plateau", text=f"the last {window} experiments gained nothing")


def _over(reason: Reason, used: float, limit: float | None, what: str) -> Stop | None:
    if limit is None or used < limit:
        return None
    return Stop(reason=reason, text=f"{used:g} of {limit:g} {what} are used")
