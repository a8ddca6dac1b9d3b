"""The journal of a run: one row per experiment, as a table for users and as JSON lines for programs.

A row is on disk before anything is deleted. Readers go by column names, ignore unknown columns, and skip an
incomplete last line.
"""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from math import isfinite
from typing import Any, Literal, get_args

from msgspec import Struct
from msgspec.structs import asdict

from hookline.core.frozen import EMPTY
from hookline.core.records import Experiment
from hookline.core.values import replace
from hookline.engine import durable_files
from hookline.engine.target import Metric
from hookline.redact import redact, redact_json

FOLDER = "autoresearch"
TABLE, JSONL = "results.tsv", "results.jsonl"
Status = Literal[
    "baseline",
    "keep",
    "keep_reworked",
    "discard",
    "discard_noise",
    "crash",
    "timeout",
    "guard_failed",
    "scope_violation",
    "metric_error",
    "no_change",
    "hook_blocked",
    "budget",
    "superseded",
]
STATUSES: tuple[Status, ...] = get_args(Status)
MAX_DESCRIPTION = 500
"""Maximum characters of a description."""
USER_SIDE = "user_side"
"""Detail of a row: changes outside of the run during the experiment."""
KEPT: tuple[Status, ...] = ("baseline", "keep", "keep_reworked")
"""Statuses whose change stays on the branch."""


class Row(Struct, frozen=True, kw_only=True):
    """One experiment. None means unknown: an empty cell, never 0."""

    iteration: int
    timestamp: float
    status: Status
    commit: str = ""
    metric: float | None = None
    delta: float | None = None
    """Difference to the best metric before; negative is less, even if higher is better.

    With a noisy metric, the mean difference of runs in pairs; `metric` is then the best before plus it.
    """
    guard: str = ""
    """pass or fail; empty if it did not run."""
    guard_metric: float | None = None
    best: float | None = None
    """Best kept metric so far, including this row."""
    samples: tuple[float, ...] = ()
    mad: float | None = None
    p_value: float | None = None
    seconds: float | None = None
    """Seconds that the agent ran."""
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    tool_calls: int | None = None
    worker: str = ""
    base: str = ""
    """The commit at which the experiment started."""
    description: str = ""
    details: Mapping[str, Any] = EMPTY
    """Values without a column; only in the JSON lines and in the store."""

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise ValueError(f"invalid status {self.status!r}: expected one of {', '.join(STATUSES)}")

    @property
    def kept(self) -> bool:
        return self.status in KEPT


def format_delta(row: Row) -> str:
    """Return the difference to the best metric before, with the half of its 95 % interval if there is one."""
    if row.delta is None:
        return ""
    bounds = row.details.get("interval")
    half = f" ±{abs(bounds[1] - bounds[0]) / 2:.3g}" if bounds else ""
    return f"{row.delta:+g}{half}" if not half else f"{row.delta:+.4g}{half}"


COLUMNS = (
    *(
        "iteration",
        "timestamp",
        "commit",
        "metric",
        "delta",
        "guard",
        "guard-metric",
        "status",
        "best",
        "samples",
    ),
    *("mad", "p-value", "seconds", "tokens-in", "tokens-out", "cost", "tool-calls", "worker", "base"),
    "description",
)
"""The columns in the order of the table."""
_RESOLUTION = 0.001
"""Smallest difference of times in the table, in seconds."""
_MAX_TIMESTAMP = 253_402_300_800.0
"""First Unix time whose year has five digits, which cannot be formatted."""
_INTEGER_FIELDS = ("iteration", "tokens_in", "tokens_out", "tool_calls")
_TEXT_FIELDS = ("commit", "guard", "status", "worker", "base", "description")


def format_header(metric: Metric) -> str:
    """Return the first two lines of the table."""
    unit = f" ({_format_cell(metric.unit)})" if metric.unit else ""
    return (
        f"# metric_direction: {metric.direction} {_format_cell(metric.name)}{unit}\n"
        + "\t".join(COLUMNS)
        + "\n"
    )


def format_row(row: Row) -> str:
    """Return the row as a line of the table."""
    return "\t".join(_format_cell(getattr(row, name.replace("-", "_")), name) for name in COLUMNS) + "\n"


def _format_cell(value: Any, name: str = "") -> str:
    if value is None:
        return ""
    if name == "timestamp":
        return _format_time(value)
    if isinstance(value, tuple):
        return " ".join(f"{sample:.10g}" for sample in value)
    if isinstance(value, float):
        return f"{value:.10g}"
    return " ".join("".join(char if char.isprintable() else " " for char in str(value)).split())


def _format_time(timestamp: float) -> str:
    return datetime.fromtimestamp(timestamp, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _parse_time(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def parse_table(text: str) -> list[Row]:
    """Return the rows of a table; invalid lines and an incomplete last line are skipped."""
    header: list[str] = []
    rows: list[Row] = []
    for line in text[: text.rfind("\n") + 1].splitlines():
        cells = line.split("\t")
        if line.startswith("#"):
            continue
        if not header:
            header = [cell.strip().lower().replace("-", "_") for cell in cells]
        else:
            with suppress(ValueError, TypeError):
                rows.append(_parse_row(dict(zip(header, cells, strict=False))))
    return rows


def _parse_row(cells: Mapping[str, str]) -> Row:
    fields = {*Row.__struct_fields__}
    return Row(
        **{
            name: _parse_value(name, text.strip())
            for name, text in cells.items()
            if name in fields and text.strip()
        }
    )


def _parse_value(name: str, text: str) -> Any:
    if name in _TEXT_FIELDS:
        return text
    if name == "timestamp":
        return _parse_time(text)
    if name == "samples":
        return tuple(map(float, text.split()))
    if name in _INTEGER_FIELDS:
        return int(text)
    value = float(text)
    if not isfinite(value):
        raise ValueError(f"{text!r} is not a finite number")
    return value


def to_json(row: Row) -> dict[str, Any]:
    """Return the known values of the row as JSON."""
    values = asdict(row)
    return {
        name: list(value) if isinstance(value, tuple) else dict(value) if name == "details" else value
        for name, value in values.items()
        if value not in (None, "", ()) and (name != "details" or value)
    }


def from_json(values: Mapping[str, Any]) -> Row:
    names = {*Row.__struct_fields__}
    fields = {name: value for name, value in values.items() if name in names}
    return Row(**{**fields, "samples": tuple(fields.get("samples", ()))})


def _parse_untrusted(value: Any) -> Row:
    """Return a row from arbitrary JSON; raise `ValueError` if it is not one."""
    values = {**value} if isinstance(value, dict) else {}
    integers = {name: values.pop(name) for name in _INTEGER_FIELDS if name in values}
    texts = {name: values.pop(name) for name in _TEXT_FIELDS if name in values}
    details, samples = values.pop("details", {}), values.pop("samples", [])
    numbers = [values[name] for name in Row.__struct_fields__ if name in values]
    valid = (
        all(isinstance(item, str) for item in texts.values())
        and all(type(item) is int and item >= 0 for item in integers.values())
        and isinstance(details, dict)
        and isinstance(samples, list)
        and all(type(item) in (int, float) and isfinite(item) for item in (*numbers, *samples))
        and 0 <= values.get("timestamp", -1) < _MAX_TIMESTAMP
    )
    if not valid:
        raise ValueError("not a journal row")
    return from_json(value)


def to_experiment(row: Row, run: str) -> Experiment:
    """Return the row as a record of the store."""
    return Experiment(
        run=run,
        number=row.iteration,
        at=row.timestamp,
        status=row.status,
        commit=row.commit,
        metric=row.metric,
        description=row.description,
        details=to_json(row),
    )


def from_experiment(experiment: Experiment) -> Row:
    return from_json(experiment.details)


class Journal:
    """The journal files of a run, for their single writer."""

    def __init__(self, folder: str, metric: Metric) -> None:
        self.folder, self._metric = folder, metric
        self.table, self.jsonl = os.path.join(folder, TABLE), os.path.join(folder, JSONL)

    def rows(self) -> list[Row]:
        """Return the rows of both files, sorted; JSON lines take precedence, since they hold more."""
        from_table = {row.iteration: row for row in parse_table(durable_files.read_text(self.table))}
        return _sort_by_time(
            {
                **from_table,
                **{row.iteration: row for row in _parse_jsonl(durable_files.read_text(self.jsonl))},
            }
        )

    def append(self, row: Row, before: Sequence[Row]) -> None:
        """Append a row once after the rows *before*, and sync it to disk.

        If an agent changed or deleted the files, they are rewritten.
        """
        for path, old, new in self._texts(before, [row]):
            content = durable_files.read_text(path)
            if content == old:
                durable_files.append(path, new)
            elif content != old + new:
                durable_files.write(path, old + new)

    def rewrite(self, rows: Sequence[Row]) -> None:
        """Make the files contain exactly these rows."""
        for path, text, _ in self._texts(rows, ()):
            if durable_files.read_text(path) != text:
                durable_files.write(path, text)

    def _texts(self, old: Iterable[Row], new: Iterable[Row]) -> Iterable[tuple[str, str, str]]:
        durable_files.ensure_folder(self.folder)
        yield (
            self.table,
            format_header(self._metric) + "".join(map(format_row, old)),
            "".join(map(format_row, new)),
        )
        yield self.jsonl, "".join(map(_format_json, old)), "".join(map(_format_json, new))


def redact_row(row: Row) -> Row:
    """Return the row without secrets, and with a description of one line."""
    return replace(
        row,
        description=_format_cell(redact(row.description))[:MAX_DESCRIPTION],
        details=redact_json(dict(row.details)),
    )


def _format_json(row: Row) -> str:
    return json.dumps(to_json(row), ensure_ascii=False, allow_nan=False) + "\n"


def _parse_jsonl(text: str) -> Iterable[Row]:
    for line in text.split("\n")[:-1]:  # values may contain other line separators
        with suppress(ValueError, TypeError, RecursionError):
            yield _parse_untrusted(json.loads(line))


def _sort_by_time(rows: Mapping[int, Row]) -> list[Row]:
    return sort_rows(rows.values())


def sort_rows(rows: Iterable[Row]) -> list[Row]:
    """Return the rows in the order in which they were written; the writer ensures increasing times."""
    return sorted(rows, key=lambda row: (row.timestamp, row.iteration))


def ensure_later(row: Row, before: Sequence[Row]) -> Row:
    """Return the row with a timestamp later than that of all rows *before*, even if the clock went back."""
    last = max((earlier.timestamp for earlier in before), default=0.0)
    return row if row.timestamp > last + _RESOLUTION else replace(row, timestamp=last + 2 * _RESOLUTION)
