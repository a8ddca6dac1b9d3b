"""Output of a run without a terminal: one line per experiment."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

from hookline.cli._output import visible
from hookline.engine.journal import Row
from hookline.engine.runs import Run
from hookline.engine.stop_reason import Stop
from hookline.engine.view import Live
from hookline.engine.watcher import Watcher


class Lines:
    """A line for each thing that a person wants to know afterwards."""

    def begun(self, run: Run, rows: list[Row]) -> None:
        done = len(rows) - 1
        again = f", after {done} experiment{'s' * (done != 1)}" if rows else ""
        _say(f"run {visible(run.id)} on branch {visible(run.branch)}{again}")

    def working(self, number: int, budget_end: float) -> None:
        until = time.strftime("%H:%M:%S", time.localtime(budget_end))
        _say(f"{number:>4}  at work until {until}")

    def heard(self, chunk: bytes) -> None: ...

    def measuring(self, number: int, what: str) -> None: ...

    def decided(self, row: Row) -> None:
        _say(line(row))

    def noted(self, text: str) -> None:
        _say(f"      {visible(text)}")

    def ended(self, stop: Stop) -> None:
        _say(f"{stop.reason}: {visible(stop.text)}")


def _say(text: str) -> None:
    """Where nobody reads any more, the run goes on all the same."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def line(row: Row) -> str:
    metric = "-" if row.metric is None else f"{row.metric:g}"
    delta = "" if row.delta is None else f"{row.delta:+g}"
    return (
        f"{row.iteration:>4}  {row.status:<15} {metric:>12} {delta:>12}  {visible(row.description)}".rstrip()
    )


@contextmanager
def watching() -> Iterator[Watcher]:
    if not sys.stdout.isatty():
        yield Lines()
        return
    live = Live(Console())
    try:
        yield live
    finally:
        live.close()
