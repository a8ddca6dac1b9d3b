"""Experiments in a process of their own: told on stdin what to do, it tells on stdout what happens.

It decides what becomes of an experiment, and records nothing: that is for the one writer of the journal.
"""

import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, to_builtins

from hookline.core.values import replace
from hookline.engine import experiment, journal, progress, project_store
from hookline.engine.git import repository as repositories
from hookline.engine.git.repository import HEADS
from hookline.engine.interrupts import Interrupts
from hookline.engine.journal import Row
from hookline.engine.points import passed
from hookline.engine.progress import Step
from hookline.engine.run_state import Surroundings
from hookline.engine.runs import Run
from hookline.engine.stop_reason import Stop
from hookline.engine.work import Work
from hookline.engine.workplace import workplace
from hookline.redact.stream import Stream
from hookline.system.process import child, unattended

OFTEN = 0.25
"""Seconds between two things heard of an agent that are passed on."""
ENDED = 130
HEARD = 4_000
"""Characters of what an agent prints that are passed on at once."""
MOST = 1 << 20
"""Bytes of what it prints that are looked at."""


class Assignment(Struct, frozen=True, kw_only=True):
    """An experiment, and all that has to be known to carry it out elsewhere."""

    run: Run
    step: Step
    rows: Sequence[Row]
    """What was known when it began."""
    worker: str
    until: float = float("inf")
    ladder: unattended.Ladder = unattended.LADDER

    def to_json(self) -> dict[str, Any]:
        return {
            "run": to_builtins(self.run),
            "step": progress.to_json(self.step),
            "rows": [journal.to_json(row) for row in self.rows],
            "worker": self.worker,
            "until": self.until,
            "ladder": [(int(number), wait) for number, wait in self.ladder],
        }


def read(told: Mapping[str, Any]) -> Assignment:
    return Assignment(
        run=Run(**told["run"]),
        step=progress.from_json(told["step"]),
        rows=[journal.from_json(row) for row in told["rows"]],
        worker=told["worker"],
        until=told["until"],
        ladder=[(number, wait) for number, wait in told["ladder"]],
    )


class Teller:
    """A watcher that passes on what it is told, a line of JSON at a time."""

    def __init__(self, out: int) -> None:
        self._out, self._last = out, 0.0
        self._clean, self._length = Stream(), 0

    def say(self, *words: Any) -> None:
        line = memoryview(f"{json.dumps(words)}\n".encode())
        while line:
            line = line[os.write(self._out, line) :]

    def begun(self, run: Run, rows: list[Row]) -> None: ...
    def decided(self, row: Row) -> None: ...
    def ended(self, stop: Stop) -> None: ...

    def working(self, number: int, budget_end: float) -> None:
        self._clean, self._length = Stream(), 0
        self.say("working", number, budget_end)

    def measuring(self, number: int, what: str) -> None:
        self.say("measuring", number, what)

    def noted(self, text: str) -> None:
        self.say("noted", text)

    def heard(self, chunk: bytes) -> None:
        """Only what is decided to hold no secret, and of much output only now and then a piece."""
        self._length += len(chunk)
        piece = self._clean.feed(chunk.decode("utf-8", "replace")) if self._length < MOST else None
        if piece and time.monotonic() - self._last >= OFTEN:
            self._last = time.monotonic()
            self.say("heard", piece.text[-HEARD:])


def carry_out(what: Assignment, env: Mapping[str, str], teller: Teller) -> Step:
    """Go on with the experiment until it is known what becomes of it."""
    repository = repositories.open_at(what.run.root, env)
    with project_store.opened(env, what.run.root, lambda problem: None) as store:
        around = Surroundings(env=env, watcher=teller, store=store, ladder=what.ladder)
        work = replace(workplace(what.run, repository, around, worker=what.worker), until=what.until)
        try:
            _ready(work, what.step)
            return experiment.decide(work, what.step, what.rows)
        finally:
            work.unwire()


def _ready(work: Work, step: Step) -> None:
    """The worktree and its branch as the experiment is to find them, where nothing was done yet."""
    if step.phase == "begun" and not step.reworks:
        work.tree.repository.set_ref(f"{HEADS}{work.tree.branch}", step.start)
        work.tree.put(step.start)
        passed("after-put")


def main() -> int:
    """One assignment a line, until there are no more."""
    teller = Teller(os.dup(1))
    os.dup2(2, 1)  # whatever else prints must not be taken for us
    with Interrupts():
        if not child.end_with(int(sys.argv[1])):
            return ENDED
        try:
            for line in sys.stdin:
                _attempt(read(json.loads(line)), teller)
        except (KeyboardInterrupt, BrokenPipeError):  # who started us wants no more, or is gone
            return ENDED
    return 0


def _attempt(what: Assignment, teller: Teller) -> None:
    try:
        step = carry_out(what, dict(os.environ), teller)
    except BrokenPipeError:
        raise
    except (OSError, ValueError, LookupError) as error:
        teller.say("failed", str(error))
    else:
        teller.say("decided", progress.to_json(step))


if __name__ == "__main__":
    sys.exit(main())
