"""Resources that an experiment used: tokens, cost and tool calls of its agent's sessions.

The numbers come from the hook events and the transcripts of those sessions. A value that the host does not
report is None, not 0.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct, to_builtins

from hookline.budget import ledger
from hookline.budget.ledger import Ledger
from hookline.core.events import SessionEnd
from hookline.core.store import Query, Session, Store
from hookline.core.usage import UNKNOWN, TokenCounts, Usage, tally_from_json
from hookline.engine.prices import price
from hookline.system import spool
from hookline.system.paths import Places

TOOL_EVENT = "PostToolUse"


class SessionUsage(Struct, frozen=True, kw_only=True):
    """Tokens, cost and tool calls; None if unknown."""

    tokens_in: int | None = None
    """Includes tokens read from the cache and written to it."""
    tokens_out: int | None = None
    cost: float | None = None
    """US dollars; None unless the price of every model used is known."""
    tool_calls: int | None = None

    def subtract(self, before: "SessionUsage") -> "SessionUsage":
        """Return the usage since *before*: a resumed session reports its total."""
        return SessionUsage(
            tokens_in=_difference(self.tokens_in, before.tokens_in),
            tokens_out=_difference(self.tokens_out, before.tokens_out),
            cost=_difference(self.cost, before.cost),
            tool_calls=_difference(self.tool_calls, before.tool_calls),
        )


def read_usage(
    store: Store, worktree: str, places: Places, env: Mapping[str, str], *, since: float, now: float
) -> Mapping[str, SessionUsage]:
    """Return the total usage of each session in *worktree* active since *since*, by session id."""
    spool.drain(places.spool, store)
    sessions = [session for session in store.sessions(since=since) if is_in_worktree(session.cwd, worktree)]
    return {session.id: _read_session_usage(session, store, places, env, now) for session in sessions}


def to_json(usage: Mapping[str, SessionUsage]) -> dict[str, dict[str, Any]]:
    """Return the usage as JSON values, the form that `add_usage` takes as *usage_before*."""
    return {name: to_builtins(totals) for name, totals in usage.items()}


def add_usage(
    columns: Mapping[str, Any],
    usage_before: Mapping[str, Mapping[str, Any]],
    after: Mapping[str, SessionUsage],
) -> dict[str, Any]:
    """Return the *columns* of a row plus the usage of the sessions between two readings."""
    before = {name: SessionUsage(**totals) for name, totals in usage_before.items()}
    spent = (
        usage.subtract(before.get(name, SessionUsage()))
        for name, usage in after.items()
        if usage != before.get(name)
    )
    totals = sum_usage((*spent, SessionUsage(**columns)))
    return {name: value for name, value in to_builtins(totals).items() if value is not None}


def sum_usage(usages: Iterable[SessionUsage]) -> SessionUsage:
    """Return the sum; a value that no session reports stays None."""
    values = list(usages)
    return SessionUsage(
        tokens_in=_sum_known(usage.tokens_in for usage in values),
        tokens_out=_sum_known(usage.tokens_out for usage in values),
        cost=_sum_known(usage.cost for usage in values),
        tool_calls=_sum_known(usage.tool_calls for usage in values),
    )


def _read_session_usage(
    session: Session, store: Store, places: Places, env: Mapping[str, str], now: float
) -> SessionUsage:
    event = SessionEnd(
        session=session.id,
        host=session.host,
        cwd=session.cwd,
        transcript=_transcript_path(store.notes(session.id)),
    )
    reported = Ledger(event, store, places, env, now=now).usage
    calls = sum(1 for _ in store.records(Query(session=session.id, event=TOOL_EVENT)))
    if reported == UNKNOWN:
        return SessionUsage(tool_calls=calls)
    return SessionUsage(
        tokens_in=sum(count or 0 for count in (reported.input, reported.cache_read, reported.cache_write)),
        tokens_out=reported.output,
        cost=_cost(reported, store.notes(session.id), places),
        tool_calls=calls,
    )


def _transcript_path(notes: Mapping[str, Any]) -> str:
    note = notes.get(ledger.USAGE_NOTE)
    mark = note.get("mark") if isinstance(note, Mapping) else None
    path = mark.get("path") if isinstance(mark, Mapping) else ""
    return path if isinstance(path, str) else ""


def _cost(usage: Usage, notes: Mapping[str, Any], places: Places) -> float | None:
    note = notes.get(ledger.USAGE_NOTE)
    tally = tally_from_json(note.get("tally") if isinstance(note, Mapping) else None)
    total = TokenCounts(usage.input or 0, usage.output or 0, usage.cache_read or 0, usage.cache_write or 0)
    prices = [price(spent, model, places) for model, spent in (tally.spent or {usage.model: total}).items()]
    return None if any(value is None for value in prices) else sum(value or 0.0 for value in prices)


def is_in_worktree(cwd: str, worktree: str) -> bool:
    """Return whether a session that started in *cwd* worked in *worktree*."""
    return cwd == worktree or cwd.startswith(worktree.rstrip("/") + "/")


def _sum_known(values: Iterable[float | None]) -> Any:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _difference(now: float | None, before: float | None) -> Any:
    return None if now is None else max(now - (before or 0), 0)
