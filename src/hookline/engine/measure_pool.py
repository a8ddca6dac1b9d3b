"""Clean checkouts in which experiments are measured; no agent works in them."""

from collections.abc import Mapping
from statistics import median

from msgspec import Struct

from hookline.core.values import replace
from hookline.engine.git.worktree import Worktree
from hookline.engine.judge import Side
from hookline.engine.measure import Measurement, check, measure
from hookline.engine.target import Guard, Target


class MeasuringCheckouts(Struct, frozen=True, kw_only=True):
    """One checkout for the candidate and one for the incumbent."""

    target: Target
    trees: Mapping[Side, Worktree]
    env: Mapping[str, str]

    def measure_metric(self, commit: str, side: Side = "candidate") -> tuple[Measurement, tuple[float, ...]]:
        """Return the metric of a commit (the median of the repeats) and all values."""
        metric, values = self.target.metric, list[float]()
        for _ in range(metric.repeats):
            path = self._check_out(commit, side)
            last = measure(
                metric.command, cwd=path, env=self.env, timeout=metric.timeout, extract=metric.extract
            )
            if last.value is None:
                return last, ()
            values.append(last.value)
        return replace(last, value=median(values)), tuple(values)

    def check_guard(self, guard: Guard, commit: str) -> tuple[bool, Measurement]:
        """Return whether the guard holds at a commit, and its measurement."""
        path = self._check_out(commit, "candidate")
        if guard.extract:
            measurement = measure(
                guard.command, cwd=path, env=self.env, timeout=guard.timeout, extract=guard.extract
            )
        else:
            measurement = check(guard.command, cwd=path, env=self.env, timeout=guard.timeout)
        return measurement.status == "ok" and guard.holds(measurement.value), measurement

    def _check_out(self, commit: str, side: Side) -> str:
        tree = self.trees[side]
        tree.check_out(commit, remove_ignored=True)
        return tree.path
