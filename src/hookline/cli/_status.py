"""Active sessions for `hookline status`: a table, or one block per session on a narrow terminal."""

import os
from collections.abc import Sequence
from typing import Any

from msgspec import to_builtins
from rich.cells import cell_len, set_cell_size

from hookline.cli._output import sanitize
from hookline.engine import lock, progress, view
from hookline.engine.journal import FOLDER
from hookline.engine.runs import Run, list_runs
from hookline.runtime.gates import MAX_STRIKES
from hookline.runtime.live_sessions import Row


def describe_runs(root: str) -> list[str]:
    """Return a line for each unfinished run; load nothing if there never was one."""
    if not os.path.isdir(os.path.join(root, FOLDER)):
        return []
    unfinished = [run for run in list_runs(root) if not run.stopped]
    return [_describe_run(run) for run in unfinished]


def _describe_run(run: "Run") -> str:
    rows = run.journal.rows()
    state = (
        "is running"
        if lock.is_running(run)
        else f"was interrupted: `hookline run --resume {run.id}` continues it"
    )
    numbers = sorted(step.experiment for step in progress.running_steps(run)) or [max(len(rows) - 1, 0)]
    experiments = f"experiment{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"
    return sanitize(f"run {run.id} {state}; {experiments}, {view.describe_best(rows, run.target.metric)}")


TABLE_WIDTH = 90
"""Minimum columns of a terminal for the table."""
BAR_WIDTH = 10
JUST_NOW = 60
"""Seconds for which a decision is "just now"; counting them would change the screen constantly."""
FOLDER_WIDTH = 30
"""Columns of a folder in a table."""
HEADER = ("session", "host", "repository", "time left", "tokens", "turn", "strikes", "last decision")
EMPTY = "–"


def format_sessions(
    rows: Sequence[Row], now: float, *, width: int | None, home: str = "", plain: bool = False
) -> list[str]:
    """Return lines of at most *width* columns (None for a pipe); *plain* restricts them to ASCII."""
    table_rows = [_format_cells(row, now, home, plain=plain, whole=width is None) for row in rows]
    if width is not None and width < TABLE_WIDTH:
        lines = [line for cells in table_rows for line in _format_block(cells)]
    else:
        lines = _format_table([HEADER, *table_rows]) if table_rows else []
    if plain:
        lines = [line.replace(EMPTY, "-").replace("…", "~") for line in lines]
    return lines if width is None else [_fit(line, width) for line in lines]


def _format_cells(row: Row, now: float, home: str, *, plain: bool, whole: bool) -> tuple[str, ...]:
    folder = f"~{row.cwd[len(home) :]}" if home and f"{row.cwd}/".startswith(f"{home}/") else row.cwd
    folder = folder if whole or len(folder) <= FOLDER_WIDTH else f"…{folder[-FOLDER_WIDTH + 1 :]}"
    return (
        sanitize(row.session[:8]) or EMPTY,
        sanitize(row.host) or EMPTY,
        sanitize(folder) or EMPTY,
        format_time_left(row, now),
        format_tokens(row, plain=plain),
        str(row.turn or EMPTY),
        f"{min(row.strikes, MAX_STRIKES)}/{MAX_STRIKES}" if row.strikes else EMPTY,
        sanitize(_format_decision(row, now)),
    )


def _format_table(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(set_cell_size, row, widths)).rstrip() for row in rows]


def _format_block(cells: Sequence[str]) -> list[str]:
    session, host, folder, time_left, used, turn, strikes, decision = cells
    details = [
        f"{time_left} left"
        if time_left not in (EMPTY, "expired")
        else f"time {time_left}"
        if time_left == "expired"
        else ""
    ]
    details += [f"turn {turn}" if turn != EMPTY else "", f"strikes {strikes}" if strikes != EMPTY else ""]
    rest = [" · ".join(filter(None, details)), used if used != EMPTY else "", decision]
    return [f"{session}  {host}", f"  {folder}", *(f"  {line}" for line in rest if line)]


def _fit(line: str, width: int) -> str:
    return line if cell_len(line) <= width else f"{set_cell_size(line, max(width - 1, 0)).rstrip()}…"


def format_time_left(row: Row, now: float) -> str:
    """Return the time left; seconds are shown only in the last two minutes."""
    if row.ends_at is None:
        return EMPTY
    seconds = int(row.ends_at - now)
    if seconds <= 0:
        return "expired"
    return _format_span(seconds) if seconds >= 2 * 60 else f"{seconds // 60}m{seconds % 60}s"


def _format_span(seconds: int) -> str:
    hours, minutes = divmod(seconds // 60, 60)
    if hours:
        return f"{hours}h{minutes:02}m"
    return f"{minutes}m" if minutes else f"{seconds}s"


def format_tokens(row: Row, *, plain: bool = False) -> str:
    """Return how much of the context is used, with a bar."""
    if row.used is None:
        return EMPTY
    if row.percent is None:
        return format_count(row.used)
    full = min(max(round(row.percent / 100 * BAR_WIDTH), 0), BAR_WIDTH)
    on, off = ("#", ".") if plain else ("█", "░")
    return (
        f"{on * full}{off * (BAR_WIDTH - full)} {row.percent:.0f}% "
        f"{format_count(row.used)}/{format_count(row.limit or 0)}"
    )


def format_count(count: int) -> str:
    """Return a count shortened to thousands or millions."""
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if count >= size:
            scaled = count / size
            return f"{scaled:.1f}{unit}" if scaled < 10 and unit == "M" else f"{scaled:.0f}{unit}"  # noqa: PLR2004
    return str(count)


def _format_decision(row: Row, now: float) -> str:
    if row.decided is None:
        return EMPTY
    record = row.decided
    subject = record.rules[0] if record.rules else " ".join(filter(None, (record.event, record.tool)))
    seconds = max(int(now - record.at), 0)
    return (
        f"{record.action} {subject}, {_format_span(seconds)} ago"
        if seconds >= JUST_NOW
        else f"{record.action} {subject}, just now"
    )


def session_facts(row: Row) -> dict[str, Any]:
    """Return every field of *row*, for JSON output."""
    record = row.decided
    decided = record and {
        "at": record.at,
        "event": record.event,
        "tool": record.tool,
        "action": record.action,
        "rules": list(record.rules),
        "reason": record.reason,
    }
    subagents = [
        {"id": item.id, "type": item.type, "began": item.began, "ended": item.ended} for item in row.subagents
    ]
    fields = {name: value for name, value in to_builtins(row).items() if name != "last"}
    return {**fields, "percent": row.percent, "decided": decided, "subagents": subagents}


def read_home() -> str:
    return os.environ.get("HOME", "").rstrip("/")
