"""What an experiment spent: tokens, money and tool calls of the sessions that its agent had.

They are what hookline itself heard of those sessions, read to the end of their recordings. A host that tells
nothing is not counted as nothing.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct, to_builtins

from hookline.budget import ledger
from hookline.budget.ledger import Purse
from hookline.core.events import SessionEnd
from hookline.core.store import Query, Session, Store
from hookline.core.usage import UNKNOWN, Spent, Usage, from_json
from hookline.engine.prices import price
from hookline.system import spool
from hookline.system.paths import Places

TOOL = "PostToolUse"


class Used(Struct, frozen=True, kw_only=True):
    """None where nobody told."""

    tokens_in: int | None = None
    """With what came from the cache, and what went into it."""
    tokens_out: int | None = None
    cost: float | None = None
    """In US dollars, where the price of every model that was used is known."""
    tool_calls: int | None = None

    def less(self, before: "Used") -> "Used":
        """Without what was there *before*: a session that went on tells of all that it ever spent."""
        return Used(
            tokens_in=_less(self.tokens_in, before.tokens_in),
            tokens_out=_less(self.tokens_out, before.tokens_out),
            cost=_less(self.cost, before.cost),
            tool_calls=_less(self.tool_calls, before.tool_calls),
        )


def used(
    store: Store, worktree: str, places: Places, env: Mapping[str, str], *, since: float, now: float
) -> Mapping[str, Used]:
    """What each session spent in all that worked in *worktree* since then, by its name."""
    spool.drain(places.spool, store)
    here = [one for one in store.sessions(since=since) if inside(one.cwd, worktree)]
    return {one.id: _of(one, store, places, env, now) for one in here}


def noted(known: Mapping[str, Used]) -> dict[str, dict[str, Any]]:
    """As it can be written down, for `added` to begin with."""
    return {name: to_builtins(one) for name, one in known.items()}


def added(
    columns: Mapping[str, Any], noted: Mapping[str, Mapping[str, Any]], after: Mapping[str, Used]
) -> dict[str, Any]:
    """The *columns* of a row, with what sessions spent between two looks at them."""
    before = {name: Used(**told) for name, told in noted.items()}
    spent = (one.less(before.get(name, Used())) for name, one in after.items() if one != before.get(name))
    told = together((*spent, Used(**columns)))
    return {name: value for name, value in to_builtins(told).items() if value is not None}


def together(many: Iterable[Used]) -> Used:
    """All of them in one; what no session told of is not known."""
    known = list(many)
    return Used(
        tokens_in=_sum(one.tokens_in for one in known),
        tokens_out=_sum(one.tokens_out for one in known),
        cost=_sum(one.cost for one in known),
        tool_calls=_sum(one.tool_calls for one in known),
    )


def _of(one: Session, store: Store, places: Places, env: Mapping[str, str], now: float) -> Used:
    event = SessionEnd(
        session=one.id, host=one.host, cwd=one.cwd, transcript=_recorded_at(store.notes(one.id))
    )
    usage = Purse(event, store, places, env, now=now).usage
    calls = sum(1 for _ in store.records(Query(session=one.id, event=TOOL)))
    if usage == UNKNOWN:
        return Used(tool_calls=calls)
    return Used(
        tokens_in=sum(count or 0 for count in (usage.input, usage.cache_read, usage.cache_write)),
        tokens_out=usage.output,
        cost=_cost(usage, store.notes(one.id), places),
        tool_calls=calls,
    )


def _recorded_at(notes: Mapping[str, Any]) -> str:
    noted = notes.get(ledger.USAGE)
    mark = noted.get("mark") if isinstance(noted, Mapping) else None
    path = mark.get("path") if isinstance(mark, Mapping) else ""
    return path if isinstance(path, str) else ""


def _cost(usage: Usage, notes: Mapping[str, Any], places: Places) -> float | None:
    noted = notes.get(ledger.USAGE)
    tally = from_json(noted.get("tally") if isinstance(noted, Mapping) else None)
    whole = Spent(usage.input or 0, usage.output or 0, usage.cache_read or 0, usage.cache_write or 0)
    prices = [price(spent, model, places) for model, spent in (tally.spent or {usage.model: whole}).items()]
    return None if any(one is None for one in prices) else sum(one or 0.0 for one in prices)


def inside(cwd: str, worktree: str) -> bool:
    """Whether a session that began in *cwd* worked in *worktree*."""
    return cwd == worktree or cwd.startswith(worktree.rstrip("/") + "/")


def _sum(values: Iterable[float | None]) -> Any:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _less(now: float | None, before: float | None) -> Any:
    return None if now is None else max(now - (before or 0), 0)
