"""Who looks on while a run goes: told what happens, and nothing depends on it."""

from typing import Protocol

from hookline.engine.journal import Row
from hookline.engine.runs import Run
from hookline.engine.stop_reason import Stop


class Watcher(Protocol):
    """Told in this order, from the thread of the run."""

    def begun(self, run: Run, rows: list[Row]) -> None:
        """A run begins, or goes on after these rows."""

    def working(self, number: int, budget_end: float) -> None:
        """An agent works on an experiment until then at the latest."""

    def heard(self, chunk: bytes) -> None:
        """The agent printed something."""

    def measuring(self, number: int, what: str) -> None:
        """The guard or the metric of an experiment is run."""

    def decided(self, row: Row) -> None:
        """An experiment is over, and in the journal."""

    def noted(self, text: str) -> None:
        """Something that a person should know."""

    def ended(self, stop: Stop) -> None: ...


class Nobody:
    """Nobody looks on."""

    def begun(self, run: Run, rows: list[Row]) -> None: ...
    def working(self, number: int, budget_end: float) -> None: ...
    def heard(self, chunk: bytes) -> None: ...
    def measuring(self, number: int, what: str) -> None: ...
    def decided(self, row: Row) -> None: ...
    def noted(self, text: str) -> None: ...
    def ended(self, stop: Stop) -> None: ...
