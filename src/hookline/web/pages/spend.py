"""Spend: tokens and cost by day, project, host and model, from the usage that hosts record."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec import Struct

from hookline.budget.ledger import SPENT_PREFIX, USAGE_NOTE
from hookline.budget.models import Model, Models, find, load_models
from hookline.core.store import DAY_SECONDS, Session, Store
from hookline.core.usage import TokenCounts, tally_from_json
from hookline.system import paths
from hookline.web.charts import draw_bars
from hookline.web.dashboard import Dashboard, Page, Params, View

PERIODS = (7, 30, 90)
"""Days that the page can show."""
MAX_GROUPS = 25
RECENT_RECORDS = 10_000
"""The newest records, whose hosts are named if they report no usage."""


class Spending(Struct, frozen=True, kw_only=True):
    """The usage of one model in one session."""

    session: Session
    model: str
    tokens: TokenCounts
    cost: float | None
    """US dollars; None if the price of the model is unknown."""


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
    since = time.time() - days * DAY_SECONDS
    spendings = [*list_spendings(dashboard.store, load_models(dashboard.setup.places)[0], since)]
    by_day = group(spendings, lambda item: _name_day(item.session.began))
    roots = {cwd: paths.project_root(cwd) for cwd in {item.session.cwd for item in spendings}}
    tables = {
        "Project": _largest(group(spendings, lambda item: roots[item.session.cwd])),
        "Host": _largest(group(spendings, lambda item: item.session.host)),
        "Model": _largest(group(spendings, lambda item: item.model or "unknown")),
        "Day": sorted(by_day, key=lambda item: item.name, reverse=True),
    }
    known = {item.session.host for item in spendings}
    used = dashboard.store.durations(last=RECENT_RECORDS).keys()
    values = {
        "days": days,
        "periods": PERIODS,
        "total": next(iter(group(spendings, lambda item: "all")), None),
        "tables": tables,
        "chart": draw_bars(_fill_days(by_day, since), "US dollars"),
        "silent": sorted(host for host in used - known if host),
    }
    return View(template="spend.html", values=values)


def _fill_days(by_day: Iterable[Group], since: float) -> list[tuple[str, float]]:
    """Return the cost of each day since then, also of days without sessions."""
    costs, now = {item.name: item.cost for item in by_day}, time.time()
    days = dict.fromkeys(_name_day(min(at, now)) for at in _count_days(since, now))
    return [(day, costs.get(day, 0.0)) for day in days]


def _count_days(since: float, now: float) -> list[float]:
    return [since + index * DAY_SECONDS for index in range(int((now - since) / DAY_SECONDS) + 2)]


def _name_day(at: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(at))


def list_spendings(store: Store, models: Models, since: float) -> Iterator[Spending]:
    """Yield the usage of the sessions that began *since* that time, from transcripts and model calls."""
    prices: dict[str, Model] = {}

    def price(session: Session, spent: Mapping[str, TokenCounts]) -> Iterator[Spending]:
        for name, tokens in spent.items():
            model = prices.setdefault(name, find(models, name))
            yield Spending(session=session, model=name, tokens=tokens, cost=model.cost(tokens))

    seen = set[str]()
    for session, note in store.session_notes(USAGE_NOTE, since=since):
        tally = tally_from_json(note.get("tally") if isinstance(note, Mapping) else None)
        seen.add(session.id)
        yield from price(session, tally.spent)
    for session, counters in store.session_counters(SPENT_PREFIX, since=since):
        if session.id not in seen:
            yield from price(session, _read_counters(counters))


def _read_counters(counters: Mapping[str, int]) -> Mapping[str, TokenCounts]:
    spent: dict[str, TokenCounts] = {}
    for name, count in counters.items():
        kind, _, model = name.removeprefix(SPENT_PREFIX).partition(":")
        spent[model] = spent.get(model, TokenCounts())._replace(**{kind: count})
    return spent


def group(spendings: Iterable[Spending], key: Callable[[Spending], str]) -> list[Group]:
    """Return the sums by *key*."""
    groups: dict[str, list[Spending]] = {}
    for item in spendings:
        groups.setdefault(key(item), []).append(item)
    return [
        Group(
            name=name,
            sessions=len({item.session.id for item in items}),
            tokens=sum(item.tokens.total for item in items),
            output=sum(item.tokens.output for item in items),
            cost=sum(item.cost or 0.0 for item in items),
            unpriced=any(item.cost is None for item in items),
        )
        for name, items in groups.items()
    ]


def _largest(groups: list[Group]) -> list[Group]:
    return sorted(groups, key=lambda item: (-item.cost, -item.tokens, item.name))[:MAX_GROUPS]


PAGE = Page(title="Spend", order=3, query=query)
