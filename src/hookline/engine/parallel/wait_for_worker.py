"""The baseline measured by a worker, and the reports of workers passed on to the observer of the run."""

import time
from collections.abc import Sequence
from typing import Any

from hookline.engine import progress
from hookline.engine.baseline import NoBaseline
from hookline.engine.parallel.local import FINAL_REPORTS, WorkerPool
from hookline.engine.parallel.worker import WorkerAssignment
from hookline.engine.progress import ExperimentProgress
from hookline.engine.run_state import RunContext
from hookline.engine.watcher import Watcher
from hookline.engine.work import Work
from hookline.redact import redact

MAX_ATTEMPTS = 3
"""Maximum number of times an experiment is started if its worker is lost."""
POLL_SECONDS = 0.5
FIRST = "1"
"""The worker that measures the baseline."""


def measure_baseline(work: Work, context: RunContext, pool: WorkerPool) -> ExperimentProgress:
    """Measure the baseline on a machine of the cluster: the machine of the user may be another kind."""
    step = ExperimentProgress(experiment=0, start=work.run.base)
    until = time.time() + work.until - time.monotonic()
    assignment = WorkerAssignment(run=work.run, step=step, rows=(), worker=FIRST, until=until)
    for _ in range(MAX_ATTEMPTS):
        pool.start(assignment)
        kind, values = _wait_for_end(pool, context)
        if kind == "decided":
            return progress.from_json(values[0])
        if kind == "failed":
            raise NoBaseline(redact(values[0]))
    raise NoBaseline(f"the worker that measured the baseline was lost {MAX_ATTEMPTS} times")


def _wait_for_end(pool: WorkerPool, context: RunContext) -> tuple[str, Sequence[Any]]:
    while True:
        for _, (kind, *values) in pool.wait(POLL_SECONDS):
            if kind in (*FINAL_REPORTS, "lost"):
                return kind, values
            forward_report(context.watcher, kind, values)


def forward_report(watcher: Watcher, kind: str, values: Sequence[Any]) -> None:
    """Call the watcher in this process as the worker called its own."""
    if kind == "output":
        watcher.on_output(values[0].encode())
    elif kind == "experiment":
        watcher.on_experiment(*values)
    elif kind == "measurement":
        watcher.on_measurement(*values)
    elif kind == "notice":
        watcher.on_notice(*values)
