"""Observers of a run; the run does not depend on them."""

from typing import Protocol

from hookline.engine.journal import Row
from hookline.engine.runs import Run
from hookline.engine.stop_reason import StopReason


class Watcher(Protocol):
    """Callbacks of a run, called from the run's thread in this order."""

    def on_start(self, run: Run, rows: list[Row]) -> None:
        """Called when a run starts, or resumes after these rows."""

    def on_experiment(self, number: int, budget_end: float) -> None:
        """Called when an agent starts an experiment, with the Unix time at which its budget ends."""

    def on_output(self, chunk: bytes) -> None:
        """Called with output of the agent."""

    def on_measurement(self, number: int, what: str) -> None:
        """Called when the guard or the metric of an experiment is run."""

    def on_decision(self, row: Row) -> None:
        """Called when an experiment is recorded in the journal."""

    def on_notice(self, text: str) -> None:
        """Called with a notice for the user."""

    def on_end(self, stop: StopReason) -> None: ...


class SilentWatcher:
    """Watcher that ignores everything."""

    def on_start(self, run: Run, rows: list[Row]) -> None: ...
    def on_experiment(self, number: int, budget_end: float) -> None: ...
    def on_output(self, chunk: bytes) -> None: ...
    def on_measurement(self, number: int, what: str) -> None: ...
    def on_decision(self, row: Row) -> None: ...
    def on_notice(self, text: str) -> None: ...
    def on_end(self, stop: StopReason) -> None: ...
