"""Spend: tokens and cost by day, project, branch, host and model, from the usage that hosts record."""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import Struct

from hookline.web.charts import draw_bars
from hookline.web.dashboard import Dashboard, Page, Params, View
from hookline.web.spendings import Spending

PERIODS = (7, 30, 90)
"""Days that the page can show, with today."""
MAX_GROUPS = 25
RECENT_RECORDS = 10_000
"""The newest records, whose hosts are named if they report no usage."""


class Group(Struct, frozen=True, kw_only=True):
    """The sum of some spendings."""

    name: str
    sessions: int
    tokens: int
    output: int
    cost: float
    unpriced: bool
    """True if the cost of a part is unknown."""


def query(dashboard: Dashboard, params: Params) -> View:
    text = params.get("days", "")
    days = int(text) if text in map(str, PERIODS) else PERIODS[1]
    spendings, shown_days = dashboard.spendings.read(), _list_days(days)
    values = {"days": days, "periods": PERIODS, "counting": spendings is None}
    sums = dashboard.spendings.keep(tuple(shown_days), lambda: _sum_up(spendings or (), shown_days))
    used = dashboard.store.durations(last=RECENT_RECORDS).keys() if spendings is not None else ()
    silent = sorted({*filter(None, used)} - {*sums["hosts"]})
    return View(template="spend.html", values={**values, **sums, "silent": silent})


def _list_days(number: int) -> list[str]:
    """Return the dates of the last days, the oldest first."""
    today = datetime.now(UTC).astimezone().date()
    return [(today - timedelta(days=age)).isoformat() for age in reversed(range(number))]


def _sum_up(counted: Sequence[Spending], days: Sequence[str]) -> dict[str, Any]:
    spendings = [item for item in counted if item.day >= days[0]]
    by_day = group(spendings, lambda item: item.day)
    costs = {item.name: item.cost for item in by_day}
    tables = {
        "Project": _largest(group(spendings, lambda item: item.project)),
        "Branch": _largest(group(spendings, _name_branch)),
        "Host": _largest(group(spendings, lambda item: item.host)),
        "Model": _largest(group(spendings, lambda item: item.model or "unknown")),
        "Day": sorted(by_day, key=lambda item: item.name, reverse=True),
    }
    return {
        "total": next(iter(group(spendings, lambda item: "all")), None),
        "tables": tables,
        "hosts": [item.name for item in tables["Host"]],
        "chart": draw_bars([(day, costs.get(day, 0.0)) for day in days], "US dollars"),
    }


def _name_branch(item: Spending) -> str:
    return f"{item.project} · {item.branch or 'unknown branch'}"


def group(spendings: Iterable[Spending], key: Callable[[Spending], str]) -> list[Group]:
    """Return the sums by *key*."""
    groups: dict[str, list[Spending]] = {}
    for item in spendings:
        groups.setdefault(key(item), []).append(item)
    return [
        Group(
            name=name,
            sessions=len({item.session for item in items}),
            tokens=sum([item.tokens for item in items]),
            output=sum([item.output for item in items]),
            cost=sum([item.cost or 0.0 for item in items]),
            unpriced=None in [item.cost for item in items],
        )
        for name, items in groups.items()
    ]


def _largest(groups: list[Group]) -> list[Group]:
    return sorted(groups, key=lambda item: (-item.cost, -item.tokens, item.name))[:MAX_GROUPS]


PAGE = Page(title="Spend", order=3, query=query)
