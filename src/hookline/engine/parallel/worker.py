"""A worker process: reads assignments from stdin and reports events on stdout, as JSON lines.

It decides experiments but records nothing: only one process writes the journal.
"""

import json
import logging
import os
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, to_builtins

from hookline.core.frozen import EMPTY
from hookline.core.values import replace
from hookline.engine import baseline, experiment, journal, progress, project_store
from hookline.engine.git.repository import HEADS, open_repository
from hookline.engine.interrupts import Interrupts
from hookline.engine.journal import Row
from hookline.engine.progress import ExperimentProgress
from hookline.engine.run_state import RunContext
from hookline.engine.runs import Run
from hookline.engine.stop_reason import StopReason
from hookline.engine.work import Work
from hookline.engine.workplace import prepare_work
from hookline.redact.stream import StreamRedactor
from hookline.system.process import child, unattended

_LOG = logging.getLogger("hookline.engine")

OUTPUT_INTERVAL = 0.25
"""Minimum seconds between two pieces of agent output that are sent."""
INTERRUPTED_EXIT_CODE = 130
"""Exit code after a signal, or when the parent is gone."""
MAX_OUTPUT_CHARACTERS = 4_000
"""Maximum characters of agent output sent at once."""
MAX_OUTPUT_BYTES = 1 << 20
"""Maximum bytes of agent output that are examined."""


class WorkerAssignment(Struct, frozen=True, kw_only=True):
    """An experiment, with everything needed to carry it out in another process."""

    run: Run
    step: ExperimentProgress
    rows: Sequence[Row]
    """The rows when the experiment started."""
    worker: str
    until: float = float("inf")
    allowance: Mapping[str, float] = EMPTY
    """Tokens and cost that the experiment may use, as far as they are limited."""
    ladder: unattended.Ladder = unattended.END_SIGNALS

    def to_json(self) -> dict[str, Any]:
        return {
            "run": to_builtins(self.run) | {"options": dict(self.run.options)},
            "step": progress.to_json(self.step),
            "rows": [journal.to_json(row) for row in self.rows],
            "worker": self.worker,
            "until": self.until,
            "allowance": dict(self.allowance),
            "ladder": [(int(number), wait) for number, wait in self.ladder],
        }


def parse_assignment(values: Mapping[str, Any]) -> WorkerAssignment:
    return WorkerAssignment(
        run=Run(**values["run"]),
        step=progress.from_json(values["step"]),
        rows=[journal.from_json(row) for row in values["rows"]],
        worker=values["worker"],
        until=values["until"],
        allowance=values["allowance"],
        ladder=[(number, wait) for number, wait in values["ladder"]],
    )


class Reporter:
    """Watcher that sends each event as a line of JSON."""

    def __init__(self, out: int) -> None:
        self._out, self._last = out, 0.0
        self._clean, self._length = StreamRedactor(), 0

    def send(self, *words: Any) -> None:
        line = memoryview(f"{json.dumps(words)}\n".encode())
        while line:
            line = line[os.write(self._out, line) :]

    def on_start(self, run: Run, rows: list[Row]) -> None: ...
    def on_decision(self, row: Row) -> None: ...
    def on_end(self, stop: StopReason) -> None: ...

    def on_experiment(self, number: int, budget_end: float) -> None:
        self._clean, self._length = StreamRedactor(), 0
        self.send("experiment", number, budget_end)

    def on_measurement(self, number: int, what: str) -> None:
        self.send("measurement", number, what)

    def on_notice(self, text: str) -> None:
        self.send("notice", text)

    def on_output(self, chunk: bytes) -> None:
        """Send redacted output, at most one piece per interval."""
        self._length += len(chunk)
        piece = (
            self._clean.feed(chunk.decode("utf-8", "replace")) if self._length < MAX_OUTPUT_BYTES else None
        )
        if piece and time.monotonic() - self._last >= OUTPUT_INTERVAL:
            self._last = time.monotonic()
            self.send("output", piece.text[-MAX_OUTPUT_CHARACTERS:])


def carry_out(assignment: WorkerAssignment, env: Mapping[str, str], reporter: Reporter) -> ExperimentProgress:
    """Continue the experiment until its outcome is decided."""
    repository = open_repository(assignment.run.root, env)
    with project_store.open_project_store(env, assignment.run.root, lambda problem: None) as store:
        context = RunContext(env=env, watcher=reporter, store=store, ladder=assignment.ladder)
        work = prepare_work(assignment.run, repository, context, worker=assignment.worker)
        work = replace(work.limited(assignment.until - time.time()), allowance=assignment.allowance)
        try:
            if not assignment.rows:
                return baseline.decide(work, assignment.step)
            _prepare_worktree(work, assignment.step)
            return experiment.decide(work, assignment.step, assignment.rows)
        finally:
            work.remove_hooks()


def _prepare_worktree(work: Work, step: ExperimentProgress) -> None:
    if step.phase == "begun" and not step.reworks:
        work.tree.repository.set_ref(f"{HEADS}{work.tree.branch}", step.start)
        work.tree.check_out(step.start)
        _LOG.debug("after-put")


def main() -> int:
    """Carry out one assignment per line of stdin."""
    reporter = Reporter(os.dup(1))
    os.dup2(2, 1)  # other output must not be mistaken for a report
    with Interrupts():
        if not child.end_with(int(sys.argv[1])):
            return INTERRUPTED_EXIT_CODE
        try:
            for line in sys.stdin:
                _run_assignment(parse_assignment(json.loads(line)), reporter)
        except (KeyboardInterrupt, BrokenPipeError):  # the parent asked to stop, or is gone
            return INTERRUPTED_EXIT_CODE
    return 0


def _run_assignment(assignment: WorkerAssignment, reporter: Reporter) -> None:
    try:
        step = carry_out(assignment, dict(os.environ), reporter)
    except BrokenPipeError:
        raise
    except (OSError, ValueError, LookupError) as error:
        reporter.send("failed", str(error))
    else:
        reporter.send("decided", progress.to_json(step))


if __name__ == "__main__":
    sys.exit(main())
