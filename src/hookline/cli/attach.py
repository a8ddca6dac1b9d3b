"""Show a running run of the engine live."""

import os
import time
from argparse import Namespace
from collections.abc import Iterator

from hookline.cli._run_lines import open_watcher
from hookline.engine import experiment, lock, progress, runs
from hookline.engine.git import repository
from hookline.engine.progress import ExperimentProgress
from hookline.engine.runs import Run
from hookline.engine.stop_reason import describe_stop
from hookline.engine.watcher import Watcher

POLL_SECONDS = 0.3


def run(args: Namespace) -> int:
    root = repository.open_repository(os.getcwd(), dict(os.environ)).root
    chosen = runs.find(root, args.name)
    if not lock.is_running(chosen):
        raise LookupError(f"run {chosen.id!r} is not running; see `hookline show {chosen.id}`")
    with open_watcher() as watcher:
        try:
            _follow(chosen, watcher)
        except KeyboardInterrupt:
            watcher.on_notice(f"the run continues; end it with `hookline stop {chosen.id}`")
            return 0
    return 0


def _follow(chosen: Run, watcher: Watcher) -> None:
    """Report the state on disk to *watcher* until the run ends."""
    rows = chosen.journal.rows()
    watcher.on_start(chosen, rows)
    known, shown, logs = {row.iteration for row in rows}, set[tuple[int, str]](), dict[int, int]()
    running = True
    while running:
        running = lock.is_running(chosen)
        for row in chosen.journal.rows():
            if row.iteration not in known:
                known.add(row.iteration)
                watcher.on_decision(row)
        for step in progress.running_steps(chosen):
            if (step.experiment, step.phase) not in shown:
                shown.add((step.experiment, step.phase))
                _announce(chosen, step, watcher)
            for chunk in _new_output(chosen, step.experiment, logs):
                watcher.on_output(chunk)
        time.sleep(POLL_SECONDS if running else 0)
    watcher.on_end(describe_stop(runs.load(chosen.root, chosen.id).stopped))


def _announce(chosen: Run, step: ExperimentProgress, watcher: Watcher) -> None:
    if step.phase == "spawned":
        watcher.on_experiment(step.experiment, step.began + chosen.target.agent.budget - step.spent)
    elif step.phase == "committed":
        watcher.on_measurement(step.experiment, "measurements")


def _new_output(chosen: Run, number: int, positions: dict[int, int]) -> Iterator[bytes]:
    try:
        with open(experiment.log_path(chosen, number), "rb") as file:
            start = positions.setdefault(number, max(os.fstat(file.fileno()).st_size - 4096, 0))
            file.seek(start)
            if chunk := file.read():
                positions[number] = start + len(chunk)
                yield chunk
    except OSError:
        return
