"""A run as it goes, on a terminal: time left of the budget, the best so far, the last decisions.

What is seen is kept here by the run's own thread, and drawn some times a second by another.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Literal

from msgspec import Struct, field
from rich.console import Console, Group, RenderableType
from rich.live import Live as Shown
from rich.table import Table
from rich.text import Text

from hookline.core.durations import written
from hookline.engine.journal import Row
from hookline.engine.runs import Run
from hookline.engine.stop_reason import Stop
from hookline.engine.target import Metric, Target
from hookline.redact.stream import Stream

LAST = 8
"""Decisions that are shown."""
ABOVE = 3
"""Lines of a terminal that are left to what the run is, to the best so far, and to the cursor."""
BAR = 30
OFTEN = 4
"""Times a second that it is drawn."""
MOST = 4 << 20
"""Bytes of what an agent prints that are looked at: its last line is shown."""
_SIDES: tuple[Literal["left", "right"], ...] = ("right", "left", "right", "right")
_COLOURS = {"keep": "green", "keep_reworked": "green", "baseline": "blue", "discard": "bright_black"}


class Seen(Struct, kw_only=True):
    """What was seen of a run so far."""

    run: Run | None = None
    target: Target | None = None
    rows: tuple[Row, ...] = ()
    number: int = 0
    doing: str = ""
    began: float = 0.0
    ends: float | None = None
    said: str = ""
    noted: str = ""
    at_once: dict[int, "Seen"] = field(default_factory=dict)
    """By number, what is at work; several where the run has several workers."""


class Live:
    """Watches a run, and shows it on a *console* that is a terminal."""

    def __init__(self, console: "Console", clock: Callable[[], float] = time.time) -> None:
        self._console, self._clock, self.seen = console, clock, Seen()
        self._clean, self._length = Stream(), 0
        self._shown = Shown(
            console=console, refresh_per_second=OFTEN, get_renderable=self._drawn, redirect_stderr=False
        )

    def _drawn(self) -> "RenderableType":
        return drawn(self.seen, self._clock(), self._console.height)

    def begun(self, run: Run, rows: list[Row]) -> None:
        self.seen.run, self.seen.target, self.seen.rows = run, run.target, tuple(rows)
        self._shown.start()

    def working(self, number: int, budget_end: float) -> None:
        self.seen.number, self.seen.doing, self.seen.said = number, "at work", ""
        self.seen.began, self.seen.ends = self._clock(), budget_end
        self._at_once()
        self._clean, self._length = Stream(), 0

    def heard(self, chunk: bytes) -> None:
        self._length += len(chunk)
        if self._length > MOST:
            self.seen.said = f"{self._length >> 20} MiB of output so far"
            return
        piece = self._clean.feed(chunk.decode("utf-8", "replace"))
        lines = piece.text.splitlines() if piece else []
        self.seen.said = next((told for line in reversed(lines) if (told := plain(line))), self.seen.said)

    def measuring(self, number: int, what: str) -> None:
        self.seen.number, self.seen.doing, self.seen.ends = number, f"runs the {what}", None
        self._at_once()

    def _at_once(self) -> None:
        seen = self.seen
        one = Seen(number=seen.number, doing=seen.doing, began=seen.began, ends=seen.ends)
        seen.at_once = {**seen.at_once, seen.number: one}

    def decided(self, row: Row) -> None:
        self.seen.rows = (*self.seen.rows, row)
        self.seen.doing = ""
        self.seen.at_once = {
            number: one for number, one in self.seen.at_once.items() if number != row.iteration
        }

    def noted(self, text: str) -> None:
        self.seen.noted = plain(text)
        if not self._shown.is_started:
            self._console.print(plain(text), markup=False, highlight=False)

    def ended(self, stop: Stop) -> None:
        self.seen.doing, self.seen.ends, self.seen.said, self.seen.at_once = "", None, "", {}
        self.close()
        self._console.print(f"{stop.reason}: {plain(stop.text)}", markup=False, highlight=False)

    def close(self) -> None:
        """Leave the terminal as it was, with what was shown last."""
        with suppress(OSError):
            self._shown.stop()


def plain(text: str) -> str:
    """Without what a terminal could take for a command."""
    return "".join(char if char.isprintable() else " " for char in text).strip()


def drawn(seen: Seen, now: float, height: int = 25) -> "RenderableType":
    """What is shown of it, *now*; of decisions as many as leave room for what goes on."""
    if seen.run is None or seen.target is None:
        return Text("")
    going = [Text(doing(one, now), style="cyan") for one in seen.at_once.values() or (seen,)]
    going += [Text(line, style="bright_black") for line in (seen.said, seen.noted) if line]
    room = min(LAST, max(height - len(going) - ABOVE, 1))
    lines = [
        Text(f"{plain(seen.run.id)} on {plain(seen.run.branch)}: {plain(seen.target.goal)}", style="bold"),
        Text(best(seen.rows, seen.target.metric)),
        _decisions(seen.rows[-room:]),
        *going,
    ]
    for line in lines:
        if isinstance(line, Text):
            line.no_wrap, line.overflow = True, "ellipsis"
    return Group(*lines)


def best(rows: Sequence[Row], metric: Metric) -> str:
    """The best so far, against what the run began with."""
    first = next((row.metric for row in rows if row.metric is not None), None)
    reached = next((row.best for row in reversed(rows) if row.best is not None), None)
    if first is None or reached is None:
        return f"{plain(metric.name)}: nothing measured yet"
    unit = f" {plain(metric.unit)}" if metric.unit else ""
    part = f" ({(reached - first) / abs(first):+.1%} against {first:g})" if first and reached != first else ""
    return f"best {plain(metric.name)}: {reached:g}{unit}{part}, {metric.direction} is better"


def doing(seen: Seen, now: float) -> str:
    """What goes on, and how much of its time is left."""
    if not seen.doing:
        return f"experiment {seen.number} is over" if seen.number else "begins"
    if seen.ends is None:
        return f"experiment {seen.number} {seen.doing}"
    whole, left = max(seen.ends - seen.began, 1e-9), max(seen.ends - now, 0.0)
    full = min(max(round(BAR * (1 - left / whole)), 0), BAR)
    bar = "━" * full + "╌" * (BAR - full)
    return f"experiment {seen.number} {seen.doing}, {written(int(left))} left {bar}"


def _decisions(rows: Sequence[Row]) -> "RenderableType":
    lines = [_cells(row) for row in rows]
    table = Table(box=None, padding=(0, 1), show_header=False, expand=False)
    for at, justify in enumerate(_SIDES):
        wide = max((len(line[at]) for line in lines), default=0)
        table.add_column(justify=justify, no_wrap=True, width=wide)
    table.add_column()  # it alone gives way where there is too little room: its cells are cut
    for row, line in zip(rows, lines, strict=True):
        cells = [Text(cell, style=_COLOURS.get(row.status, "yellow")) for cell in line]
        cells[-1].no_wrap, cells[-1].overflow = True, "ellipsis"
        table.add_row(*cells)
    return table


def _cells(row: Row) -> tuple[str, ...]:
    metric = "–" if row.metric is None else f"{row.metric:g}"
    delta = "" if row.delta is None else f"{row.delta:+g}"
    return str(row.iteration), row.status, metric, delta, plain(row.description)
