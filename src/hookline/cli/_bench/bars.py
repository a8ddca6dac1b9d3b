"""The figures that `hookline bench` reports, each with the limit that it must meet."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from msgspec import Struct

MS = 1000.0
"""Milliseconds in a second."""
TRUE, NODE, WARM, COLD, ALONE = "true", "node", "warm", "cold", "alone"


class Figure(Struct, frozen=True, kw_only=True):
    """A row of the table."""

    id: str
    what: str
    value: float
    unit: str
    bar: str = ""
    """The limit as text; empty for a figure without a limit."""
    met: bool | None = None
    """True if the limit is met; None without one."""

    @property
    def shown(self) -> str:
        digits = 0 if abs(self.value) >= 1000 else 1 if abs(self.value) >= 100 else 2  # noqa: PLR2004 -- for people
        return f"{self.value:,.{digits}f} {self.unit}"


class Results(Struct, frozen=True, kw_only=True):
    """All figures of one run, and the reasons for missing ones."""

    figures: tuple[Figure, ...]
    left_out: tuple[str, ...] = ()
    busy: str = ""
    """The reason why the times mean nothing; empty if they do."""

    @property
    def met(self) -> bool:
        return all(figure.met is not False for figure in self.figures)

    def plain(self) -> dict[str, Any]:
        """Return the results for JSON output; they do not identify the machine."""
        return {
            "met": self.met,
            "figures": [
                {
                    "id": figure.id,
                    "what": figure.what,
                    "value": round(figure.value, 4),
                    "unit": figure.unit,
                    "bar": figure.bar,
                    "met": figure.met,
                }
                for figure in self.figures
            ],
            "left_out": list(self.left_out),
            "busy": self.busy,
        }


NAMES = {
    TRUE: "/bin/true",
    NODE: "node -e 0, clean environment",
    WARM: "hook call through the daemon",
    COLD: "first hook call, with daemon start",
    ALONE: "hook call without the daemon",
}


def compute_call_figures(durations: Mapping[str, Sequence[float]]) -> Iterator[Figure]:
    """Yield the median time of each kind of call, then their ratios."""
    medians = {name: median(times) for name, times in durations.items()}
    for name, seconds in medians.items():
        yield Figure(id=name, what=NAMES[name], value=seconds * MS, unit="ms")
    for kind, baseline, limit in (
        (WARM, TRUE, 5.0),
        (WARM, NODE, 0.1),
        (COLD, NODE, 15.0),
        (ALONE, NODE, 8.0),
    ):
        if kind in medians and baseline in medians:
            yield at_most(
                f"{kind}-to-{baseline}",
                f"{NAMES[kind]} / {NAMES[baseline]}",
                medians[kind] / medians[baseline],
                limit,
            )


def percentile(durations: Sequence[float], share: float) -> float:
    return sorted(durations)[min(len(durations) - 1, int(len(durations) * share))]


def at_most(name: str, what: str, value: float, limit: float, unit: str = "×") -> Figure:
    return Figure(id=name, what=what, value=value, unit=unit, bar=f"≤ {limit:g} {unit}", met=value <= limit)


def at_least(name: str, what: str, value: float, limit: float, unit: str = "×") -> Figure:
    return Figure(id=name, what=what, value=value, unit=unit, bar=f"≥ {limit:,g} {unit}", met=value >= limit)
