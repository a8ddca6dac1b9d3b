"""Clean checkouts in which experiments are measured; no agent works in them."""

import os
import re
import time
from collections.abc import Mapping
from contextlib import nullcontext
from statistics import median

from msgspec import Struct

from hookline.core.values import replace
from hookline.engine import durable_files
from hookline.engine.git.worktree import Worktree
from hookline.engine.judge import Side
from hookline.engine.measure import Measurement, check, measure
from hookline.engine.target import Guard, Target
from hookline.system import file_lock
from hookline.system.process import read_only

_PATH = re.compile(r"[\w.+-]+(?:/[\w.+-]+)*")
"""A relative path in the output of a command."""


class OutOfTime(Exception):
    """Raised when the time of the run is over before a measurement is complete."""


class MeasuringCheckouts(Struct, frozen=True, kw_only=True):
    """One checkout for the candidate and one for the incumbent."""

    target: Target
    trees: Mapping[Side, Worktree]
    env: Mapping[str, str]
    root: str = ""
    """The user's checkout, which has the shared folders."""
    lock: str = ""
    """File that is locked during a measurement, so that it runs alone on this machine; empty for no lock."""
    until: float = float("inf")
    """Time of the monotonic clock at which the run must end, and every measurement with it."""

    def with_variables(self, variables: Mapping[str, str]) -> "MeasuringCheckouts":
        return replace(self, env={**self.env, **variables})

    def measure_metric(self, commit: str, side: Side = "candidate") -> tuple[Measurement, tuple[float, ...]]:
        """Return the metric of a commit (the median of the repeats) and all values."""
        metric, values = self.target.metric, list[float]()
        for _ in range(metric.repeats):
            path, shared = self._check_out(commit, side), self._read_shared()
            with file_lock.lock(self.lock) if self.lock else nullcontext():
                timeout = self._timeout(metric.timeout)
                last = measure(
                    metric.command,
                    cwd=path,
                    env=self.env,
                    timeout=timeout,
                    extract=metric.extract,
                    prefix=self._prefix(),
                    until=self.until,
                )
            self._check_time(last)
            last = self._check_shared(self._explain(last, path), shared)
            if last.value is None:
                return last, ()
            values.append(last.value)
        return replace(last, value=median(values)), tuple(values)

    def check_guard(self, guard: Guard, commit: str) -> tuple[bool, Measurement]:
        """Return whether the guard holds at a commit, and its measurement."""
        path, timeout = self._check_out(commit, "candidate"), self._timeout(guard.timeout)
        shared = self._read_shared()
        if guard.extract:
            measurement = measure(
                guard.command,
                cwd=path,
                env=self.env,
                timeout=timeout,
                extract=guard.extract,
                prefix=self._prefix(),
                until=self.until,
            )
        else:
            measurement = check(guard.command, cwd=path, env=self.env, timeout=timeout, prefix=self._prefix())
        self._check_time(measurement)
        measurement = self._check_shared(self._explain(measurement, path), shared)
        return measurement.status == "ok" and guard.holds(measurement.value), measurement

    def _prefix(self) -> tuple[str, ...]:
        """Return the words that run a command for which the shared folders are read-only, if possible."""
        paths = [path for path in self._shared_paths() if os.path.exists(path)]
        return read_only.command(paths) if paths and read_only.is_available(paths[0]) else ()

    def _shared_paths(self) -> list[str]:
        return [os.path.join(self.root, name.rstrip("/")) for name in self.target.metric.share]

    def _timeout(self, timeout: float) -> float:
        """Return the time limit of a command; raise `OutOfTime` if the time of the run is over."""
        remaining = self.until - time.monotonic()
        if remaining <= 0:
            raise OutOfTime
        return min(timeout, remaining)

    def _check_time(self, measurement: Measurement) -> None:
        if measurement.value is None and time.monotonic() >= self.until:
            raise OutOfTime

    def _explain(self, measurement: Measurement, path: str) -> Measurement:
        """Name an ignored file that the failed command lacks."""
        if measurement.status == "ok":
            return measurement
        names = dict.fromkeys(_PATH.findall(measurement.tail.replace(f"{path}/", "")))
        missing = [
            name
            for name in names
            if os.path.exists(os.path.join(self.root, name)) and not os.path.exists(os.path.join(path, name))
        ]
        if not missing or not self.root:
            return measurement
        hint = f"{missing[0]} is in your checkout, but not committed; share its folder with `metric.share`"
        return replace(measurement, problem=f"{measurement.problem}; {hint}")

    def _read_shared(self) -> dict[str, tuple[int, int]]:
        """Return size and time of change of each shared file."""
        roots = self._shared_paths()
        paths = [root for root in roots if os.path.isfile(root)]
        paths += [
            os.path.join(at, file) for root in roots for at, _, files in os.walk(root) for file in files
        ]
        return {path: _stamp(path) for path in paths}

    def _check_shared(self, measurement: Measurement, before: dict[str, tuple[int, int]]) -> Measurement:
        """Return a failed measurement if a shared file changed, which other measurements read."""
        after = self._read_shared()
        changed = sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
        if not changed:
            return measurement
        problem = f"{os.path.relpath(changed[0], self.root)} changed, but shared files are read-only"
        return replace(measurement, value=None, status="metric_error", problem=problem)

    def _check_out(self, commit: str, side: Side) -> str:
        tree = self.trees[side]
        for name in self.target.metric.share:  # before git removes ignored files: it must not follow the link
            _unlink(os.path.join(tree.path, name.rstrip("/")))
        tree.check_out(commit, remove_ignored=True)
        for name in self.target.metric.share:
            _link(os.path.join(self.root, name.rstrip("/")), os.path.join(tree.path, name.rstrip("/")))
        return tree.path


def _stamp(path: str) -> tuple[int, int]:
    try:
        status = os.lstat(path)
    except OSError:
        return 0, 0
    return status.st_size, status.st_mtime_ns


def _unlink(path: str) -> None:
    if os.path.islink(path):
        os.unlink(path)


def _link(source: str, path: str) -> None:
    """Link a shared folder into a checkout; committed files of the same name take precedence."""
    if os.path.exists(source) and not os.path.lexists(path):
        durable_files.ensure_folder(os.path.dirname(path))
        os.symlink(source, path)
