"""Parser of an engine's journal: a tab-separated table of experiments.

Columns are found by the names in the header; unknown columns are ignored. Lines that start with `#` are
comments; the comment `metric_direction` says whether lower or higher is better.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

SHOWN_ROWS = 3
"""Number of last rows that a session is shown."""
DIRECTION_PREFIX = "metric_direction:"
KEPT_STATUSES = ("baseline", "keep")
"""Prefixes of the status of a row whose change was kept."""
_DIRECTIONS: Mapping[str, str] = {"lower": "lower", "min": "lower", "higher": "higher", "max": "higher"}
_HEADER_NAMES = ("iteration", "metric")


class Journal(Struct, frozen=True, kw_only=True):
    """The summary of a journal."""

    path: str
    header: tuple[str, ...] = ()
    last: tuple[tuple[str, ...], ...] = ()
    """The last rows, at most `SHOWN`."""
    count: int = 0
    """Number of experiments: that of the last one, else the number of rows."""
    metric: str = ""
    """The metric of the last row that has a number."""
    best: str = ""
    direction: str = ""
    """`lower` or `higher`, which of them is better; empty if it is unknown."""
    about: str = ""
    """Name and unit of the metric, if the journal has them."""

    @property
    def summary(self) -> str:
        """The journal in one line."""
        metric = f"metric {self.metric}" if self.metric else ""
        best = f"best {self.best}" if self.best else ""
        direction = f" ({self.direction} is better)" if self.direction and (metric or best) else ""
        iterations = "1 iteration" if self.count == 1 else f"{self.count} iterations"
        return ", ".join(filter(None, (iterations, metric, best))) + direction

    @property
    def short_summary(self) -> str:
        """The number of iterations and the last metric."""
        iterations = "1 iteration" if self.count == 1 else f"{self.count} iterations"
        return f"{iterations}, metric: {self.metric}" if self.metric else iterations


def parse_journal(path: str, text: str) -> Journal | None:
    """Return the journal in *text*, or None if it has no row yet."""
    comments, header, rows = _split_lines(text.splitlines())
    if not rows:
        return None
    direction, about = _parse_direction(comments)
    numbers = [
        (row, value) for row in rows if (value := _read_cell(header, row, "metric")) and is_number(value)
    ]
    return Journal(
        path=path,
        header=header,
        last=tuple(rows[-SHOWN_ROWS:]),
        count=_count_experiments(header, rows),
        metric=numbers[-1][1] if numbers else "",
        best=_find_best(header, rows[-1], numbers, direction),
        direction=direction,
        about=about,
    )


def _split_lines(lines: Iterable[str]) -> tuple[list[str], tuple[str, ...], list[tuple[str, ...]]]:
    comments, header, rows = list[str](), tuple[str, ...](), list[tuple[str, ...]]()
    for line in lines:
        cells = tuple(cell.strip() for cell in line.lstrip("# ").split("\t"))
        if not header and not rows and any(cell.lower() in _HEADER_NAMES for cell in cells):
            header = cells
        elif line.startswith("#"):
            comments.append(line.lstrip("# "))
        elif line.strip():
            rows.append(tuple(cell.strip() for cell in line.split("\t")))
    return comments, header, rows


def _parse_direction(comments: Iterable[str]) -> tuple[str, str]:
    comment = next((text for text in comments if text.lower().startswith(DIRECTION_PREFIX)), "")
    word, _, about = comment[len(DIRECTION_PREFIX) :].strip().partition(" ")
    direction = next(
        (better for prefix, better in _DIRECTIONS.items() if word.lower().startswith(prefix)), ""
    )
    return direction, about.strip()


def _read_cell(header: Sequence[str], row: Sequence[str], name: str) -> str:
    names = [cell.lower() for cell in header]
    column = names.index(name) if name in names else len(row)
    return row[column] if column < len(row) else ""


def _count_experiments(header: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    iteration = _read_cell(header, rows[-1], "iteration")
    return (
        int(iteration)
        if iteration.isascii() and iteration.isdigit() and len(iteration) < len("1000000000")
        else len(rows)
    )


def _find_best(
    header: Sequence[str], last: Sequence[str], numbers: Sequence[tuple[Sequence[str], str]], direction: str
) -> str:
    """Return the best metric: from the journal's own column, else of the rows whose change was kept."""
    recorded = _read_cell(header, last, "best")
    if is_number(recorded):
        return recorded
    kept = [value for row, value in numbers if _is_kept(_read_cell(header, row, "status"))]
    if not kept or not direction:
        return ""
    return (min if direction == "lower" else max)(kept, key=float)


def _is_kept(status: str) -> bool:
    return not status or status.lower().startswith(KEPT_STATUSES)


def is_number(text: str) -> bool:
    """Return whether *text* is a finite number."""
    try:
        return text.isascii() and "_" not in text and abs(float(text)) < float("inf")
    except ValueError:
        return False
