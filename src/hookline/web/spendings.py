"""The usage of all recent sessions, kept in memory: reading that of many sessions takes seconds."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import chain
from typing import Any

from msgspec import Struct

from hookline.budget.branches import BRANCHES_NOTE, Spent, split_by_branch
from hookline.budget.ledger import SPENT_PREFIX, USAGE_NOTE
from hookline.budget.models import Models, find, load_models
from hookline.core.store import DAY_SECONDS, Session, Store
from hookline.core.usage import TokenCounts, tally_from_json
from hookline.system import paths

KEPT_DAYS = 91
"""Days of the first count: one more than a page shows, because it shows whole days."""
OVERLAP_SECONDS = 300.0
"""Seconds before the last count whose sessions are read again: a record may be stored after its usage."""
WAIT_SECONDS = 0.1
"""Seconds that a page waits for the first count."""

SessionUsage = tuple[Session, Spent, Sequence[Any] | None]
"""A session, its tokens by model, and the changes of its branch."""


class Spending(Struct, frozen=True, kw_only=True):
    """The usage of one model on one branch in one session."""

    session: str
    day: str
    """The day on which the session began, such as `2026-01-31`."""
    project: str
    branch: str
    """Empty if it is unknown."""
    host: str
    model: str
    tokens: int
    output: int
    cost: float | None
    """US dollars; None if the price of the model is unknown."""


class Spendings:
    """Counts the usage of all sessions once, and then only that of sessions with new records."""

    def __init__(self, store: Store, places: paths.Places) -> None:
        self._store, self._places = store, places
        self._lock = threading.Lock()
        self._models: Models = {}
        self._by_session: dict[str, tuple[Spending, ...]] = {}
        self._all: Sequence[Spending] | None = None
        self._sums: dict[object, Mapping[str, Any]] = {}
        self._read_at = 0.0

    def read(self) -> Sequence[Spending] | None:
        """Return the spendings until now; None while another thread counts for the first time."""
        if self._lock.acquire(timeout=WAIT_SECONDS):
            try:
                self._update()
            finally:
                self._lock.release()
        return self._all

    def _update(self) -> None:
        models, now = load_models(self._places)[0], time.time()
        if self._all is None or models != self._models:
            usage = list_usage(self._store, now - KEPT_DAYS * DAY_SECONDS)
            counted = dict(_price_sessions(usage, models))
        else:
            usage = list_new_usage(self._store, self._read_at - OVERLAP_SECONDS)
            counted = {**self._by_session, **dict(_price_sessions(usage, models))}
        if self._all is None or counted != self._by_session:
            self._by_session, self._all = counted, [*chain.from_iterable(counted.values())]
            self._sums = {}
        self._models, self._read_at = models, now

    def keep(self, key: object, sum_up: Callable[[], Mapping[str, Any]]) -> Mapping[str, Any]:
        """Return the result of *sum_up*, computed once until the spendings change."""
        sums = self._sums
        if key not in sums:
            sums[key] = sum_up()
        return sums[key]


def list_usage(store: Store, since: float) -> Iterator[SessionUsage]:
    """Yield the sessions that began *since* that time with their usage, from transcripts or model calls."""
    noted = set[str]()
    changes = {session.id: note for session, note in store.session_notes(BRANCHES_NOTE, since=since)}
    for session, note in store.session_notes(USAGE_NOTE, since=since):
        noted.add(session.id)
        yield session, _parse_note(note), changes.get(session.id)
    for session, counters in store.session_counters(SPENT_PREFIX, since=since):
        if session.id not in noted:
            yield session, _parse_counters(counters), changes.get(session.id)


def list_new_usage(store: Store, since: float) -> Iterator[SessionUsage]:
    """Yield the same as `list_usage` of the sessions with records *since* that time."""
    for session in store.sessions(since=since):
        notes = store.notes(session.id)
        has_note = USAGE_NOTE in notes
        spent = _parse_note(notes[USAGE_NOTE]) if has_note else _parse_counters(store.counters(session.id))
        yield session, spent, notes.get(BRANCHES_NOTE)


def _parse_note(note: object) -> Spent:
    return tally_from_json(note.get("tally") if isinstance(note, Mapping) else None).spent


def _parse_counters(counters: Mapping[str, int]) -> Spent:
    spent: dict[str, TokenCounts] = {}
    for name, count in counters.items():
        if name.startswith(SPENT_PREFIX):
            kind, _, model = name.removeprefix(SPENT_PREFIX).partition(":")
            spent[model] = spent.get(model, TokenCounts())._replace(**{kind: count})
    return spent


def _price_sessions(
    usage: Iterator[SessionUsage], models: Models
) -> Iterator[tuple[str, tuple[Spending, ...]]]:
    find_model, find_root = cache(partial(find, models)), cache(paths.project_root)
    for session, spent, changes in usage:
        root, day = find_root(session.cwd), name_day(session.began)
        yield (
            session.id,
            tuple(
                Spending(
                    session=session.id,
                    day=day,
                    project=root,
                    branch=branch,
                    host=session.host,
                    model=name,
                    tokens=tokens.total,
                    output=tokens.output,
                    cost=find_model(name).cost(tokens),
                )
                for branch, used in split_by_branch(changes, spent)
                for name, tokens in used.items()
            ),
        )


def name_day(at: float) -> str:
    """Return the local date at that time, such as `2026-01-31`."""
    return time.strftime("%Y-%m-%d", time.localtime(at))
