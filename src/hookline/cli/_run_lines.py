"""Output of a run without a terminal: one line per experiment."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

from hookline.cli._output import sanitize
from hookline.engine.journal import Row, format_delta
from hookline.engine.runs import Run
from hookline.engine.stop_reason import StopReason
from hookline.engine.view import Live
from hookline.engine.watcher import Watcher


class LineWatcher:
    """A watcher that prints a line for each step of a run."""

    def on_start(self, run: Run, rows: list[Row]) -> None:
        done = len(rows) - 1
        resumed = f", after {done} experiment{'s' * (done != 1)}" if rows else ""
        _print_line(f"run {sanitize(run.id)} on branch {sanitize(run.branch)}{resumed}")

    def on_experiment(self, number: int, budget_end: float) -> None:
        until = time.strftime("%H:%M:%S", time.localtime(budget_end))
        _print_line(f"{number:>4}  running until {until}")

    def on_output(self, chunk: bytes) -> None: ...

    def on_measurement(self, number: int, what: str) -> None: ...

    def on_decision(self, row: Row) -> None:
        _print_line(format_row(row))

    def on_notice(self, text: str) -> None:
        _print_line(f"      {sanitize(text)}")

    def on_end(self, stop: StopReason) -> None:
        _print_line(f"{stop.reason}: {sanitize(stop.text)}")


def _print_line(text: str) -> None:
    """Print *text*; a closed pipe or terminal does not end the run."""
    try:
        print(text, flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def format_row(row: Row) -> str:
    metric = "-" if row.metric is None else f"{row.metric:g}"
    delta = format_delta(row)
    return (
        f"{row.iteration:>4}  {row.status:<15} {metric:>12} {delta:>12}  {sanitize(row.description)}".rstrip()
    )


@contextmanager
def open_watcher() -> Iterator[Watcher]:
    if not sys.stdout.isatty():
        yield LineWatcher()
        return
    live = Live(Console())
    try:
        yield live
    finally:
        live.close()
