"""Live sessions as `hookline status` shows them: a table, or some lines each on a narrow terminal."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, to_builtins
from rich.cells import cell_len, set_cell_size

from hookline.budget.ledger import Purse, ends_at
from hookline.cli._output import visible
from hookline.core.events import Event
from hookline.core.store import Record, Session, Store
from hookline.engine import lock, progress, view
from hookline.engine.journal import FOLDER
from hookline.engine.runs import Run, everyone
from hookline.handoff import claim
from hookline.runtime.gates import CONTINUATIONS, MOST_STRIKES, STRIKES
from hookline.runtime.setup import Setup

LONGEST_SILENCE = 86_400.0
"""Seconds for which a process that is there may say nothing."""
TURNS = "events:TurnStart"
"""The counter of turns that the audit trail keeps."""


class Row(Struct, frozen=True, kw_only=True):
    """One session."""

    session: str
    host: str
    cwd: str
    began: float
    seen: float
    ends_at: float | None = None
    used: int | None = None
    limit: int | None = None
    turn: int | None = None
    strikes: int = 0
    """The most that a gate has blocked in a row."""
    continuations: int = 0
    decided: Record | None = None
    """The last that did not just pass, else the last."""

    @property
    def percent(self) -> float | None:
        return None if self.used is None or not self.limit else self.used / self.limit * 100


def alive(store: Store, setup: Setup, *, since: float) -> Iterator[Row]:
    """Those that have not ended: their process is there, or where that is not known, they spoke *since*."""
    for session in store.sessions(since=since - LONGEST_SILENCE):
        if not session.ended:
            notes = store.notes(session.id)
            there = claim.runs(store, session.id)
            if there or (there is None and session.seen >= since):
                yield _row(session, notes, store, setup)


def _row(session: Session, notes: Mapping[str, Any], store: Store, setup: Setup) -> Row:
    counters = store.counters(session.id)
    event = Event(session=session.id, host=session.host, cwd=session.cwd)
    usage = Purse(event, store, setup.places, {}, now=session.seen).usage
    return Row(
        session=session.id,
        host=session.host,
        cwd=session.cwd,
        began=session.began,
        seen=session.seen,
        ends_at=ends_at(notes),
        used=usage.used,
        limit=usage.effective_limit,
        turn=counters.get(TURNS) or usage.turn,
        strikes=_most(counters, STRIKES),
        continuations=_most(counters, CONTINUATIONS),
        decided=session.decided or session.last,
    )


def _most(counters: Mapping[str, int], prefix: str) -> int:
    return max((count for name, count in counters.items() if name.startswith(prefix)), default=0)


def runs(root: str) -> list[str]:
    """Nothing is loaded where there never was a run."""
    if not os.path.isdir(os.path.join(root, FOLDER)):
        return []
    going = [run for run in everyone(root) if not run.stopped]
    return [_line(run) for run in going]


def _line(run: "Run") -> str:
    rows = run.journal.rows()
    state = "goes on" if lock.busy(run) else f"was ended: `hookline run --resume {run.id}` goes on with it"
    going = sorted(step.experiment for step in progress.under_way(run)) or [max(len(rows) - 1, 0)]
    which = f"experiment{'s' * (len(going) > 1)} {', '.join(map(str, going))}"
    return visible(f"run {run.id} {state}; {which}, {view.best(rows, run.target.metric)}")


TABLE_FROM = 90
"""Columns of a terminal from which on a table fits."""
BAR = 10
JUST = 60
"""Seconds that are no while yet, so that little changes by itself."""
PLACE = 30
"""Columns that a table has for a folder."""
HEAD = ("session", "host", "repository", "time left", "tokens", "turn", "strikes", "last decision")
NONE = "–"


def drawn(
    rows: Sequence[Row], now: float, *, width: int | None, home: str = "", plain: bool = False
) -> list[str]:
    """The lines for a terminal of that *width*, None for a pipe; *plain* where it shows ASCII only."""
    shown = [_cells(row, now, home, plain=plain, whole=width is None) for row in rows]
    if width is not None and width < TABLE_FROM:
        lines = [line for cells in shown for line in _block(cells)]
    else:
        lines = _table([HEAD, *shown]) if shown else []
    if plain:
        lines = [line.replace(NONE, "-").replace("…", "~") for line in lines]
    return lines if width is None else [_fitted(line, width) for line in lines]


def _cells(row: Row, now: float, home: str, *, plain: bool, whole: bool) -> tuple[str, ...]:
    place = f"~{row.cwd[len(home) :]}" if home and f"{row.cwd}/".startswith(f"{home}/") else row.cwd
    place = place if whole or len(place) <= PLACE else f"…{place[-PLACE + 1 :]}"
    return (
        visible(row.session[:8]) or NONE,
        visible(row.host) or NONE,
        visible(place) or NONE,
        left(row, now),
        tokens(row, plain=plain),
        str(row.turn or NONE),
        f"{min(row.strikes, MOST_STRIKES)}/{MOST_STRIKES}" if row.strikes else NONE,
        visible(_decision(row, now)),
    )


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(set_cell_size, row, widths)).rstrip() for row in rows]


def _block(cells: Sequence[str]) -> list[str]:
    session, host, place, time, used, turn, strikes, decision = cells
    said = [f"{time} left" if time not in (NONE, "over") else f"time {time}" if time == "over" else ""]
    said += [f"turn {turn}" if turn != NONE else "", f"strikes {strikes}" if strikes != NONE else ""]
    rest = [" · ".join(filter(None, said)), used if used != NONE else "", decision]
    return [f"{session}  {host}", f"  {place}", *(f"  {line}" for line in rest if line)]


def _fitted(line: str, width: int) -> str:
    return line if cell_len(line) <= width else f"{set_cell_size(line, max(width - 1, 0)).rstrip()}…"


def left(row: Row, now: float) -> str:
    """The time that is left: by the second in the last two minutes, so that little changes before."""
    if row.ends_at is None:
        return NONE
    seconds = int(row.ends_at - now)
    if seconds <= 0:
        return "over"
    return _span(seconds) if seconds >= 2 * 60 else f"{seconds // 60}m{seconds % 60}s"


def _span(seconds: int) -> str:
    hours, minutes = divmod(seconds // 60, 60)
    if hours:
        return f"{hours}h{minutes:02}m"
    return f"{minutes}m" if minutes else f"{seconds}s"


def tokens(row: Row, *, plain: bool = False) -> str:
    """How much of the context is used, with a bar."""
    if row.used is None:
        return NONE
    if row.percent is None:
        return number(row.used)
    full = min(max(round(row.percent / 100 * BAR), 0), BAR)
    on, off = ("#", ".") if plain else ("█", "░")
    return f"{on * full}{off * (BAR - full)} {row.percent:.0f}% {number(row.used)}/{number(row.limit or 0)}"


def number(count: int) -> str:
    """A count as it is read at a glance."""
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if count >= size:
            shown = count / size
            return f"{shown:.1f}{unit}" if shown < 10 and unit == "M" else f"{shown:.0f}{unit}"  # noqa: PLR2004
    return str(count)


def _decision(row: Row, now: float) -> str:
    if row.decided is None:
        return NONE
    one = row.decided
    what = one.rules[0] if one.rules else " ".join(filter(None, (one.event, one.tool)))
    seconds = max(int(now - one.at), 0)
    return (
        f"{one.action} {what}, {_span(seconds)} ago" if seconds >= JUST else f"{one.action} {what}, just now"
    )


def told(row: Row) -> dict[str, Any]:
    """All of it, for a program."""
    one = row.decided
    decided = one and {
        "at": one.at,
        "event": one.event,
        "tool": one.tool,
        "action": one.action,
        "rules": list(one.rules),
        "reason": one.reason,
    }
    return {**to_builtins(row), "percent": row.percent, "decided": decided}


def home() -> str:
    return os.environ.get("HOME", "").rstrip("/")
