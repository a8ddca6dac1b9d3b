"""The journal of an engine, a table of experiments with tabs between its cells: what a session needs of it.

Columns are told by the header's names; those that we do not know are left alone. Lines that begin with `#`
are remarks, of which `metric_direction` says whether lower or higher is better.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

SHOWN = 3
"""Rows at the end that a session is told."""
DIRECTION = "metric_direction:"
KEPT = ("baseline", "keep")
"""How the status of a row begins whose change stands."""
_WORDS: Mapping[str, str] = {"lower": "lower", "min": "lower", "higher": "higher", "max": "higher"}
_HEADS = ("iteration", "metric")


class Journal(Struct, frozen=True, kw_only=True):
    """What is known of a journal."""

    path: str
    header: tuple[str, ...] = ()
    last: tuple[tuple[str, ...], ...] = ()
    """The last rows, at most `SHOWN`."""
    count: int = 0
    """How many experiments there were: the number of the last one, else how many rows there are."""
    metric: str = ""
    """Of the last row that has a number there."""
    best: str = ""
    direction: str = ""
    """lower or higher, whichever is better; empty where nobody says."""
    about: str = ""
    """What the metric is called, and its unit, where the journal says so."""

    @property
    def summary(self) -> str:
        """In one line."""
        metric = f"metric {self.metric}" if self.metric else ""
        best = f"best {self.best}" if self.best else ""
        better = f" ({self.direction} is better)" if self.direction and (metric or best) else ""
        times = "1 iteration" if self.count == 1 else f"{self.count} iterations"
        return ", ".join(filter(None, (times, metric, best))) + better


def read(path: str, text: str) -> Journal | None:
    """The journal in *text*; None where there is no row yet."""
    remarks, header, rows = _parts(text.splitlines())
    if not rows:
        return None
    direction, about = _direction(remarks)
    numbers = [(row, value) for row in rows if (value := _cell(header, row, "metric")) and is_number(value)]
    return Journal(
        path=path,
        header=header,
        last=tuple(rows[-SHOWN:]),
        count=_count(header, rows),
        metric=numbers[-1][1] if numbers else "",
        best=_best(header, rows[-1], numbers, direction),
        direction=direction,
        about=about,
    )


def _parts(lines: Iterable[str]) -> tuple[list[str], tuple[str, ...], list[tuple[str, ...]]]:
    """Remarks, the header and the rows."""
    remarks, header, rows = list[str](), tuple[str, ...](), list[tuple[str, ...]]()
    for line in lines:
        cells = tuple(cell.strip() for cell in line.lstrip("# ").split("\t"))
        if not header and not rows and any(cell.lower() in _HEADS for cell in cells):
            header = cells
        elif line.startswith("#"):
            remarks.append(line.lstrip("# "))
        elif line.strip():
            rows.append(tuple(cell.strip() for cell in line.split("\t")))
    return remarks, header, rows


def _direction(remarks: Iterable[str]) -> tuple[str, str]:
    told = next((text for text in remarks if text.lower().startswith(DIRECTION)), "")
    word, _, about = told[len(DIRECTION) :].strip().partition(" ")
    found = next((ours for theirs, ours in _WORDS.items() if word.lower().startswith(theirs)), "")
    return found, about.strip()


def _cell(header: Sequence[str], row: Sequence[str], name: str) -> str:
    names = [cell.lower() for cell in header]
    at = names.index(name) if name in names else len(row)
    return row[at] if at < len(row) else ""


def _count(header: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    number = _cell(header, rows[-1], "iteration")
    return (
        int(number)
        if number.isascii() and number.isdigit() and len(number) < len("1000000000")
        else len(rows)
    )


def _best(
    header: Sequence[str], last: Sequence[str], numbers: Sequence[tuple[Sequence[str], str]], direction: str
) -> str:
    """As the journal says itself, else of the changes that stand."""
    told = _cell(header, last, "best")
    if is_number(told):
        return told
    stands = [value for row, value in numbers if _stands(_cell(header, row, "status"))]
    if not stands or not direction:
        return ""
    return (min if direction == "lower" else max)(stands, key=float)


def _stands(status: str) -> bool:
    return not status or status.lower().startswith(KEPT)


def is_number(text: str) -> bool:
    """Whether it is written as a number, and is one that can be compared."""
    try:
        return text.isascii() and "_" not in text and abs(float(text)) < float("inf")
    except ValueError:
        return False
