"""A live view of a run on a terminal: remaining budget, best result, last decisions.

The run's thread updates the view; another thread draws it several times a second.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import hypot, inf
from typing import Literal

from msgspec import Struct, field
from rich.console import Console, Group, RenderableType
from rich.live import Live as RichLive
from rich.table import Table
from rich.text import Text

from hookline.core.durations import format_duration
from hookline.engine.journal import USER_SIDE, Row, format_delta
from hookline.engine.runs import Run
from hookline.engine.stop_reason import StopReason, sum_usage
from hookline.engine.target import Limits, Metric, Target
from hookline.redact.stream import StreamRedactor

MAX_DECISIONS = 8
"""Maximum number of decisions shown."""
HEADER_LINES = 4
"""Terminal lines for the title, the best result, the progress and the cursor."""
BAR_WIDTH = 30
REFRESH_RATE = 4
"""Redraws per second."""
MAX_OUTPUT_BYTES = 4 << 20
"""Maximum bytes of agent output that are examined for its last line."""
_ALIGNMENTS: tuple[Literal["left", "right"], ...] = ("right", "left", "right", "right")
_COLOURS = {"keep": "green", "keep_reworked": "green", "baseline": "blue", "discard": "bright_black"}


class RunView(Struct, kw_only=True):
    """The displayed state of a run."""

    run: Run | None = None
    target: Target | None = None
    rows: tuple[Row, ...] = ()
    number: int = 0
    doing: str = ""
    began: float = 0.0
    ends_at: float | None = None
    last_output: str = ""
    noted: str = ""
    started: float = 0.0
    """Unix time at which this process started or resumed the run."""
    running: dict[int, "RunView"] = field(default_factory=dict)
    """Running experiments by number; several if the run has several workers."""


class Live:
    """Watcher that shows a run on a terminal."""

    def __init__(self, console: "Console", clock: Callable[[], float] = time.time) -> None:
        self._console, self._clock, self.view = console, clock, RunView()
        self._clean, self._length = StreamRedactor(), 0
        self._live = RichLive(
            console=console,
            refresh_per_second=REFRESH_RATE,
            get_renderable=self._render,
            redirect_stderr=False,
        )

    def _render(self) -> "RenderableType":
        return render(self.view, self._clock(), self._console.height)

    def on_start(self, run: Run, rows: list[Row]) -> None:
        self.view.run, self.view.target, self.view.rows = run, run.target, tuple(rows)
        self.view.started = self._clock()
        self._live.start()

    def on_experiment(self, number: int, budget_end: float) -> None:
        self.view.number, self.view.doing, self.view.last_output = number, "running", ""
        self.view.began, self.view.ends_at = self._clock(), budget_end
        self._add_running()
        self._clean, self._length = StreamRedactor(), 0

    def on_output(self, chunk: bytes) -> None:
        self._length += len(chunk)
        if self._length > MAX_OUTPUT_BYTES:
            self.view.last_output = f"{self._length >> 20} MiB of output so far"
            return
        piece = self._clean.feed(chunk.decode("utf-8", "replace"))
        lines = piece.text.splitlines() if piece else []
        self.view.last_output = next(
            (text for line in reversed(lines) if (text := strip_control(line))), self.view.last_output
        )

    def on_measurement(self, number: int, what: str) -> None:
        self.view.number, self.view.doing, self.view.ends_at = number, f"running the {what}", None
        self._add_running()

    def _add_running(self) -> None:
        view = self.view
        activity = RunView(number=view.number, doing=view.doing, began=view.began, ends_at=view.ends_at)
        view.running = {**view.running, view.number: activity}

    def on_decision(self, row: Row) -> None:
        self.view.rows = (*self.view.rows, row)
        self.view.doing = ""
        self.view.running = {
            number: activity for number, activity in self.view.running.items() if number != row.iteration
        }

    def on_notice(self, text: str) -> None:
        self.view.noted = strip_control(text)
        if not self._live.is_started:
            self._console.print(strip_control(text), markup=False, highlight=False)

    def on_end(self, stop: StopReason) -> None:
        self.view.doing, self.view.ends_at, self.view.last_output, self.view.running = "", None, "", {}
        self.close()
        self._console.print(f"{stop.reason}: {strip_control(stop.text)}", markup=False, highlight=False)

    def close(self) -> None:
        """Leave the terminal with the last state visible."""
        with suppress(OSError):
            self._live.stop()


def strip_control(text: str) -> str:
    """Return the text with control characters replaced by spaces."""
    return "".join(char if char.isprintable() else " " for char in text).strip()


def render(view: RunView, now: float, height: int = 25) -> "RenderableType":
    """Return the display at time *now*; running experiments take precedence over past decisions."""
    if view.run is None or view.target is None:
        return Text("")
    activity_lines = [
        Text(describe_activity(activity, now), style="cyan") for activity in view.running.values() or (view,)
    ]
    activity_lines += [Text(line, style="bright_black") for line in (view.last_output, view.noted) if line]
    room = min(MAX_DECISIONS, max(height - len(activity_lines) - HEADER_LINES, 1))
    lines = [
        Text(
            f"{strip_control(view.run.id)} on {strip_control(view.run.branch)}: "
            f"{strip_control(view.target.goal)}",
            style="bold",
        ),
        Text(describe_best(view.rows, view.target.metric)),
        Text(describe_progress(view.rows, view.target, view.run.spent + now - view.started)),
        _render_decisions(view.rows[-room:]),
        *activity_lines,
    ]
    for line in lines:
        if isinstance(line, Text):
            line.no_wrap, line.overflow = True, "ellipsis"
    return Group(*lines)


def describe_progress(rows: Sequence[Row], target: Target, spent: float) -> str:
    """Return the number of experiments, the time, and the tokens and cost used, with their limits."""
    limits, used = target.limits, sum_usage(rows)
    done, total = max(len(rows) - 1, 0), "" if limits.experiments is None else f" of {limits.experiments}"
    parts = [f"{done}{total} experiments", f"running for {format_duration(max(int(spent), 1))}"]
    parts += _describe_time_left(limits, done, spent)
    for name, unit, limit in (("tokens", "tokens", limits.tokens), ("cost", "dollars", limits.cost)):
        if used[name] or limit is not None:
            parts.append(f"{used[name]:.6g}{'' if limit is None else f' of {limit:g}'} {unit}")
    return ", ".join(parts)


def _describe_time_left(limits: Limits, done: int, spent: float) -> list[str]:
    """Return the time until the time limit, or until the last experiment if that is expected earlier."""
    until_limit = inf if limits.seconds is None else limits.seconds - spent
    rest = inf if limits.experiments is None or not done else (limits.experiments - done) * spent / done
    left = min(until_limit, rest)
    about = "about " if rest < until_limit else ""
    return [] if left == inf else [f"{about}{format_duration(max(int(left), 0))} left"]


def summarize(run: Run, rows: Sequence[Row]) -> list[str]:
    """Return the result of an ended run: duration, best against the baseline, branch and next commands."""
    kept = [row for row in rows[1:] if row.kept]
    lines = [
        f"{max(len(rows) - 1, 0)} experiments in {format_duration(max(int(run.spent), 1))}, {len(kept)} kept",
        describe_best(rows, run.target.metric),
        f"branch {run.branch}",
    ]
    lines += [
        f"outside of the run, during experiment {row.iteration}: {change}"
        for row in rows
        for change in row.details.get(USER_SIDE, ())
    ]
    commands = ("show", "plot", "merge") if kept else ("show",)
    return [*lines, f"next: {', '.join(f'`hookline {name} {run.id}`' for name in commands)}"]


def _describe_difference(rows: Sequence[Row], difference: float) -> str:
    """Return the difference to the baseline with half its 95 % interval; empty if it is exact."""
    bounds = [row.details.get("interval") for row in rows if row.kept]
    halves = [(high - low) / 2 for low, high in filter(None, bounds)]
    return f"{difference:+.4g} ±{hypot(*halves):.3g}, " if halves else ""


def describe_best(rows: Sequence[Row], metric: Metric) -> str:
    """Return the best result compared with the baseline."""
    baseline = next((row.metric for row in rows if row.metric is not None), None)
    best = next((row.best for row in reversed(rows) if row.best is not None), None)
    if baseline is None or best is None:
        return f"{strip_control(metric.name)}: nothing measured yet"
    unit = f" {strip_control(metric.unit)}" if metric.unit else ""
    change = (
        f" ({_describe_difference(rows, best - baseline)}{(best - baseline) / abs(baseline):+.1%} "
        f"against {baseline:g})"
        if baseline and best != baseline
        else ""
    )
    return f"best {strip_control(metric.name)}: {best:g}{unit}{change}, {metric.direction} is better"


def describe_activity(view: RunView, now: float) -> str:
    """Return the current activity and its remaining time."""
    if not view.doing:
        return f"experiment {view.number} finished" if view.number else "starting"
    if view.ends_at is None:
        return f"experiment {view.number} {view.doing}"
    total, left = max(view.ends_at - view.began, 1e-9), max(view.ends_at - now, 0.0)
    filled = min(max(round(BAR_WIDTH * (1 - left / total)), 0), BAR_WIDTH)
    bar = "━" * filled + "╌" * (BAR_WIDTH - filled)
    return f"experiment {view.number} {view.doing}, {format_duration(int(left))} left {bar}"


def _render_decisions(rows: Sequence[Row]) -> "RenderableType":
    lines = [_row_cells(row) for row in rows]
    table = Table(box=None, padding=(0, 1), show_header=False, expand=False)
    for column, justify in enumerate(_ALIGNMENTS):
        width = max((len(line[column]) for line in lines), default=0)
        table.add_column(justify=justify, no_wrap=True, width=width)
    table.add_column()  # the only column that is cut if the terminal is too narrow
    for row, line in zip(rows, lines, strict=True):
        cells = [Text(cell, style=_COLOURS.get(row.status, "yellow")) for cell in line]
        cells[-1].no_wrap, cells[-1].overflow = True, "ellipsis"
        table.add_row(*cells)
    return table


def _row_cells(row: Row) -> tuple[str, ...]:
    metric = "–" if row.metric is None else f"{row.metric:g}"
    return str(row.iteration), row.status, metric, format_delta(row), strip_control(row.description)
