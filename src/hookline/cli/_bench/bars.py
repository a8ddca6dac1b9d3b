"""The figures by which hookline measures itself, each with its bar, and what is worked out from the times."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from msgspec import Struct

MS = 1000.0
TRUE, NODE, WARM, COLD, ALONE = "true", "node", "warm", "cold", "alone"


class Figure(Struct, frozen=True, kw_only=True):
    """One line of the table."""

    id: str
    what: str
    value: float
    unit: str
    bar: str = ""
    """Empty: it is there to be compared with."""
    met: bool | None = None
    """None where there is no bar."""

    @property
    def shown(self) -> str:
        digits = 0 if abs(self.value) >= 1000 else 1 if abs(self.value) >= 100 else 2  # noqa: PLR2004 -- for people
        return f"{self.value:,.{digits}f} {self.unit}"


class Measured(Struct, frozen=True, kw_only=True):
    """All that one run found, and what it left out, with why."""

    figures: tuple[Figure, ...]
    left_out: tuple[str, ...] = ()

    @property
    def met(self) -> bool:
        return all(one.met is not False for one in self.figures)

    def plain(self) -> dict[str, Any]:
        """As JSON has it; nothing in it tells of whose machine it was."""
        return {
            "met": self.met,
            "figures": [
                {
                    "id": one.id,
                    "what": one.what,
                    "value": round(one.value, 4),
                    "unit": one.unit,
                    "bar": one.bar,
                    "met": one.met,
                }
                for one in self.figures
            ],
            "left_out": list(self.left_out),
        }


NAMES = {
    TRUE: "/bin/true",
    NODE: "node -e 0, clean environment",
    WARM: "hook call through the daemon",
    COLD: "first hook call, which starts the daemon",
    ALONE: "hook call in a process of its own",
}


def of_calls(took: Mapping[str, Sequence[float]]) -> Iterator[Figure]:
    """The times that were taken, then what they are to each other."""
    middle = {name: median(times) for name, times in took.items()}
    for name, seconds in middle.items():
        yield Figure(id=name, what=NAMES[name], value=seconds * MS, unit="ms")
    for one, other, most in ((WARM, TRUE, 5.0), (WARM, NODE, 0.1), (COLD, NODE, 15.0), (ALONE, NODE, 8.0)):
        if one in middle and other in middle:
            yield at_most(
                f"{one}-to-{other}", f"{NAMES[one]}, to {NAMES[other]}", middle[one] / middle[other], most
            )


def percentile(took: Sequence[float], share: float) -> float:
    return sorted(took)[min(len(took) - 1, int(len(took) * share))]


def at_most(name: str, what: str, value: float, most: float, unit: str = "×") -> Figure:
    return Figure(id=name, what=what, value=value, unit=unit, bar=f"≤ {most:g} {unit}", met=value <= most)


def at_least(name: str, what: str, value: float, least: float, unit: str = "×") -> Figure:
    return Figure(id=name, what=what, value=value, unit=unit, bar=f"≥ {least:,g} {unit}", met=value >= least)
