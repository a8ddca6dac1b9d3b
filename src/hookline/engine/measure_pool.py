"""Where experiments are measured: clean checkouts that no agent works in."""

from collections.abc import Mapping
from statistics import median

from msgspec import Struct

from hookline.core.values import replace
from hookline.engine.git.worktree import Worktree
from hookline.engine.judge import Side
from hookline.engine.measure import Measurement, check, measure
from hookline.engine.target import Guard, Target


class Bench(Struct, frozen=True, kw_only=True):
    """A checkout for what was changed, and one for what it is compared with."""

    target: Target
    trees: Mapping[Side, Worktree]
    env: Mapping[str, str]

    def metric(self, commit: str, side: Side = "candidate") -> tuple[Measurement, tuple[float, ...]]:
        """The metric of a commit, the median where it is measured several times; and all values."""
        metric, values = self.target.metric, list[float]()
        for _ in range(metric.repeats):
            path = self._fresh(commit, side)
            last = measure(
                metric.command, cwd=path, env=self.env, timeout=metric.timeout, extract=metric.extract
            )
            if last.value is None:
                return last, ()
            values.append(last.value)
        return replace(last, value=median(values)), tuple(values)

    def guard(self, guard: Guard, commit: str) -> tuple[bool, Measurement]:
        """Whether the guard holds at a commit."""
        path = self._fresh(commit, "candidate")
        if guard.extract:
            done = measure(
                guard.command, cwd=path, env=self.env, timeout=guard.timeout, extract=guard.extract
            )
        else:
            done = check(guard.command, cwd=path, env=self.env, timeout=guard.timeout)
        return done.status == "ok" and guard.holds(done.value), done

    def _fresh(self, commit: str, side: Side) -> str:
        tree = self.trees[side]
        tree.put(commit, ignored=True)
        return tree.path
