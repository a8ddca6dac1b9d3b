"""Health: the findings of the checks, the duration of hook calls, limits of the hosts, and the store."""

import os
import time
from collections import Counter
from collections.abc import Sequence
from math import ceil

from msgspec import Struct

from hookline import hosts
from hookline.core.derive import find_coverage
from hookline.core.events import EVENTS
from hookline.core.outcome import FAILED
from hookline.core.store import DAY_SECONDS, Store
from hookline.runtime import open_store
from hookline.web.dashboard import Dashboard, Page, Params, View

MEASURED_RECORDS = 10_000
"""The newest records, whose durations the page shows."""
RECENT_DAYS = 7
"""Days in which failed hooks are counted."""
WEIGHTS = ("attention", "note", "well")


class Durations(Struct, frozen=True, kw_only=True):
    """Percentiles of the hook calls of one host, in milliseconds."""

    host: str
    calls: int
    p50: float
    p95: float
    p99: float


def query(dashboard: Dashboard, params: Params) -> View:
    measured = dashboard.store.durations(last=MEASURED_RECORDS)
    used = sorted({*measured} & {*hosts.names()})
    values = {
        "checked_at": dashboard.checkup.at,
        "findings": sorted(dashboard.checkup.findings, key=lambda item: WEIGHTS.index(item.weight)),
        "durations": [measure(host, values) for host, values in sorted(measured.items()) if host],
        "unsupported": {name: _list_unsupported(name) for name in used},
        "waiting": dashboard.setup.config.waiting,
        "problems": [str(problem) for problem in dashboard.setup.config.problems],
        "totals": dashboard.store.totals(),
        "store": open_store.store_name(dashboard.setup),
        "size": _find_size(open_store.store_address(dashboard.setup)),
        "failures": _sum_failures(dashboard.store),
        "recent_days": RECENT_DAYS,
    }
    return View(template="health.html", values=values)


def _sum_failures(store: Store) -> list[tuple[str, int]]:
    """Return how often each hook failed in the sessions that began in the last days."""
    since, failures = time.time() - RECENT_DAYS * DAY_SECONDS, Counter[str]()
    for _, counters in store.session_counters(FAILED, since=since):
        failures.update({name.removeprefix(FAILED): count for name, count in counters.items()})
    return failures.most_common()


def check(dashboard: Dashboard, form: Params) -> str:
    checkup = dashboard.checkup
    checkup.findings = checkup.run()
    checkup.at = time.time()
    count = sum(finding.weight == "attention" for finding in checkup.findings)
    return f"Checked: {count} findings require your attention." if count else "Checked: no problems."


def measure(host: str, durations: Sequence[float]) -> Durations:
    """Return the percentiles of *durations* (nearest rank)."""
    ordered = sorted(durations)

    def rank(share: float) -> float:
        return ordered[max(ceil(share * len(ordered)) - 1, 0)]

    return Durations(host=host, calls=len(ordered), p50=rank(0.5), p95=rank(0.95), p99=rank(0.99))


def _list_unsupported(name: str) -> list[str]:
    host = hosts.load(name)
    return [event for event, kind in EVENTS.items() if find_coverage(host, kind) == "unsupported"]


def _find_size(address: str) -> int:
    """Return the bytes of a store in a file; 0 for a database server."""
    parts = (f"{address}{suffix}" for suffix in ("", "-wal"))
    return sum(os.path.getsize(part) for part in parts if os.path.isfile(part))


PAGE = Page(title="Health", order=6, query=query, actions={"check": check})
