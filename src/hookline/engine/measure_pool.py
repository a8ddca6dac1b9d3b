"""Clean checkouts in which experiments are measured; no agent works in them."""

import time
from collections.abc import Mapping
from statistics import median

from msgspec import Struct

from hookline.core.values import replace
from hookline.engine.git.worktree import Worktree
from hookline.engine.judge import Side
from hookline.engine.measure import Measurement, check, measure
from hookline.engine.target import Guard, Target


class OutOfTime(Exception):
    """Raised when the time of the run is over before a measurement is complete."""


class MeasuringCheckouts(Struct, frozen=True, kw_only=True):
    """One checkout for the candidate and one for the incumbent."""

    target: Target
    trees: Mapping[Side, Worktree]
    env: Mapping[str, str]
    until: float = float("inf")
    """Unix time at which the run must end, and every measurement with it."""

    def measure_metric(self, commit: str, side: Side = "candidate") -> tuple[Measurement, tuple[float, ...]]:
        """Return the metric of a commit (the median of the repeats) and all values."""
        metric, values = self.target.metric, list[float]()
        for _ in range(metric.repeats):
            path = self._check_out(commit, side)
            timeout = self._timeout(metric.timeout)
            last = measure(metric.command, cwd=path, env=self.env, timeout=timeout, extract=metric.extract)
            self._check_time(last)
            if last.value is None:
                return last, ()
            values.append(last.value)
        return replace(last, value=median(values)), tuple(values)

    def check_guard(self, guard: Guard, commit: str) -> tuple[bool, Measurement]:
        """Return whether the guard holds at a commit, and its measurement."""
        path, timeout = self._check_out(commit, "candidate"), self._timeout(guard.timeout)
        if guard.extract:
            measurement = measure(
                guard.command, cwd=path, env=self.env, timeout=timeout, extract=guard.extract
            )
        else:
            measurement = check(guard.command, cwd=path, env=self.env, timeout=timeout)
        self._check_time(measurement)
        return measurement.status == "ok" and guard.holds(measurement.value), measurement

    def _timeout(self, timeout: float) -> float:
        """Return the time limit of a command; raise `OutOfTime` if the time of the run is over."""
        remaining = self.until - time.time()
        if remaining <= 0:
            raise OutOfTime
        return min(timeout, remaining)

    def _check_time(self, measurement: Measurement) -> None:
        if measurement.value is None and time.time() >= self.until:
            raise OutOfTime

    def _check_out(self, commit: str, side: Side) -> str:
        tree = self.trees[side]
        tree.check_out(commit, remove_ignored=True)
        return tree.path
