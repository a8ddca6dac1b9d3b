"""The journal of a run: a row an experiment, in a table for people and as JSON for programs.

A row is on the disk before anything is thrown away. Readers go by the names of columns, leave alone what they
do not know, and pass over a last line that was not written to its end.
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

from hookline.core.frozen import NOTHING
from hookline.core.records import Experiment
from hookline.core.values import replace
from hookline.engine import durable_files
from hookline.engine.target import Metric
from hookline.redact import redact, redact_json

FOLDER = "autoresearch"
TABLE, TWIN = "results.tsv", "results.jsonl"
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
LONGEST = 500
"""Characters of a description."""
KEPT: tuple[Status, ...] = ("baseline", "keep", "keep_reworked")
"""Whose change stands on the branch."""


class Row(Struct, frozen=True, kw_only=True):
    """One experiment. What is None is not known: an empty cell, never 0."""

    iteration: int
    timestamp: float
    status: Status
    commit: str = ""
    metric: float | None = None
    delta: float | None = None
    """Against the best before it; below 0 is less, whichever way is better."""
    guard: str = ""
    """pass or fail; empty where it did not run."""
    guard_metric: float | None = None
    best: float | None = None
    """Of all that stands, this one included."""
    samples: tuple[float, ...] = ()
    mad: float | None = None
    p_value: float | None = None
    seconds: float | None = None
    """Of the agent."""
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    tool_calls: int | None = None
    worker: str = ""
    base: str = ""
    """The commit that the experiment began at."""
    description: str = ""
    details: Mapping[str, Any] = NOTHING
    """What has no column: only in the JSON and in the store."""

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise ValueError(f"{self.status!r} is no status; there are: {', '.join(STATUSES)}")

    @property
    def kept(self) -> bool:
        return self.status in KEPT


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
"""The columns as they stand in the table."""
_TICK = 0.001
"""Seconds that a table can tell apart."""
_LATEST = 253_402_300_800.0
"""When dates get a fifth digit, which nobody can write."""
_WHOLE = ("iteration", "tokens_in", "tokens_out", "tool_calls")
_TEXTS = ("commit", "guard", "status", "worker", "base", "description")


def head(metric: Metric) -> str:
    """The two lines that a table begins with."""
    unit = f" ({_cell(metric.unit)})" if metric.unit else ""
    return f"# metric_direction: {metric.direction} {_cell(metric.name)}{unit}\n" + "\t".join(COLUMNS) + "\n"


def line(row: Row) -> str:
    """A row of the table, with its end."""
    return "\t".join(_cell(getattr(row, name.replace("-", "_")), name) for name in COLUMNS) + "\n"


def _cell(value: Any, name: str = "") -> str:
    if value is None:
        return ""
    if name == "timestamp":
        return _stamp(value)
    if isinstance(value, tuple):
        return " ".join(f"{one:.10g}" for one in value)
    if isinstance(value, float):
        return f"{value:.10g}"
    return " ".join("".join(char if char.isprintable() else " " for char in str(value)).split())


def _stamp(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _moment(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def read(text: str) -> list[Row]:
    """The rows of a table; a last line without its end, and lines that are no rows, are passed over."""
    header: list[str] = []
    rows: list[Row] = []
    for one in text[: text.rfind("\n") + 1].splitlines():
        cells = one.split("\t")
        if one.startswith("#"):
            continue
        if not header:
            header = [cell.strip().lower().replace("-", "_") for cell in cells]
        else:
            with suppress(ValueError, TypeError):
                rows.append(_row(dict(zip(header, cells, strict=False))))
    return rows


def _row(cells: Mapping[str, str]) -> Row:
    known = {*Row.__struct_fields__}
    return Row(
        **{name: _value(name, text.strip()) for name, text in cells.items() if name in known and text.strip()}
    )


def _value(name: str, text: str) -> Any:
    if name in _TEXTS:
        return text
    if name == "timestamp":
        return _moment(text)
    if name == "samples":
        return tuple(map(float, text.split()))
    if name in _WHOLE:
        return int(text)
    value = float(text)
    if not isfinite(value):
        raise ValueError(f"{text!r} is no finite number")
    return value


def to_json(row: Row) -> dict[str, Any]:
    """Without what is not known."""
    told = asdict(row)
    return {
        name: list(value) if isinstance(value, tuple) else dict(value) if name == "details" else value
        for name, value in told.items()
        if value not in (None, "", ()) and (name != "details" or value)
    }


def from_json(told: Mapping[str, Any]) -> Row:
    known = {*Row.__struct_fields__}
    values = {name: value for name, value in told.items() if name in known}
    return Row(**{**values, "samples": tuple(values.get("samples", ()))})


def _checked(told: Any) -> Row:
    """As above, of what anybody may have written; raises `ValueError` where it cannot be a row of ours."""
    values = {**told} if isinstance(told, dict) else {}
    whole = {name: values.pop(name) for name in _WHOLE if name in values}
    texts = {name: values.pop(name) for name in _TEXTS if name in values}
    details, samples = values.pop("details", {}), values.pop("samples", [])
    numbers = [values[name] for name in Row.__struct_fields__ if name in values]
    right = (
        all(isinstance(one, str) for one in texts.values())
        and all(type(one) is int and one >= 0 for one in whole.values())
        and isinstance(details, dict)
        and isinstance(samples, list)
        and all(type(one) in (int, float) and isfinite(one) for one in (*numbers, *samples))
        and 0 <= values.get("timestamp", -1) < _LATEST
    )
    if not right:
        raise ValueError("this is no row")
    return from_json(told)


def to_experiment(row: Row, run: str) -> Experiment:
    """As the store keeps it."""
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


def from_experiment(one: Experiment) -> Row:
    return from_json(one.details)


class Journal:
    """The files of a run's journal, for the one who writes it."""

    def __init__(self, folder: str, metric: Metric) -> None:
        self.folder, self._metric = folder, metric
        self.table, self.twin = os.path.join(folder, TABLE), os.path.join(folder, TWIN)

    def rows(self) -> list[Row]:
        """What both files know together, by number; the JSON knows more of each row."""
        known = {row.iteration: row for row in read(durable_files.text(self.table))}
        return _sorted({**known, **{row.iteration: row for row in _twin(durable_files.text(self.twin))}})

    def append(self, row: Row, before: Sequence[Row]) -> None:
        """Add a row behind those that were there *before*, once: it is on the disk when this is over.

        An agent may have changed or taken away the files: then they are written anew.
        """
        for path, old, new in self._texts(before, [row]):
            found = durable_files.text(path)
            if found == old:
                durable_files.append(path, new)
            elif found != old + new:
                durable_files.write(path, old + new)

    def mend(self, rows: Sequence[Row]) -> None:
        """Have the files say these rows, whatever they say now."""
        for path, text, _ in self._texts(rows, ()):
            if durable_files.text(path) != text:
                durable_files.write(path, text)

    def _texts(self, old: Iterable[Row], new: Iterable[Row]) -> Iterable[tuple[str, str, str]]:
        durable_files.folder(self.folder)
        yield self.table, head(self._metric) + "".join(map(line, old)), "".join(map(line, new))
        yield self.twin, "".join(map(_json, old)), "".join(map(_json, new))


def clean(row: Row) -> Row:
    """Without secrets, and with a description of one line."""
    return replace(
        row, description=_cell(redact(row.description))[:LONGEST], details=redact_json(dict(row.details))
    )


def _json(row: Row) -> str:
    return json.dumps(to_json(row), ensure_ascii=False, allow_nan=False) + "\n"


def _twin(text: str) -> Iterable[Row]:
    for one in text.split("\n")[:-1]:  # other ends of lines may be in what is told
        with suppress(ValueError, TypeError, RecursionError):
            yield _checked(json.loads(one))


def _sorted(rows: Mapping[int, Row]) -> list[Row]:
    return in_order(rows.values())


def in_order(rows: Iterable[Row]) -> list[Row]:
    """As they were written: the writer sees to it that each is later than the one before."""
    return sorted(rows, key=lambda row: (row.timestamp, row.iteration))


def behind(row: Row, before: Sequence[Row]) -> Row:
    """The row with a time that is later than that of all *before*, whatever the clock says."""
    last = max((one.timestamp for one in before), default=0.0)
    return row if row.timestamp > last + _TICK else replace(row, timestamp=last + 2 * _TICK)
