"""The store that lives as long as the program: for tests, and for programs that keep nothing."""

import json
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hookline.frozen import Frozen, frozen, thawed
from hookline.store import OLDEST_CLAIM, Claim, Query, Record, Store


def open_store(place: str = "") -> Store:
    """A store of its own, empty; there is no *place* to it."""
    return MemoryStore()


class MemoryStore:
    problem = ""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._records: dict[str, Record] = {}
        self._sessions: set[str] = set()
        self._counters: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._notes: defaultdict[str, dict[str, Any]] = defaultdict(dict)
        self._held: defaultdict[str, list[str]] = defaultdict(list)
        self._claims: dict[tuple[str, str], Claim] = {}

    def record(self, records: Sequence[Record]) -> None:
        values = [_as_stored(record) for record in records]
        with self._lock:
            for record in values:
                if record.id not in self._records:
                    self._records[record.id] = record
                    self._counters[record.session].update(record.counts)

    def records(self, query: Query) -> Iterator[tuple[int, Record]]:
        with self._lock:
            trail = list(enumerate(self._records.values(), start=1))
        found = [(position, record) for position, record in trail if _wanted(position, record, query)]
        return iter(found if query.last is None else found[len(found) - min(query.last, len(found)) :])

    def begin(self, session: str, *, host: str, cwd: str, at: float) -> bool:
        with self._lock:
            new = session not in self._sessions
            self._sessions.add(session)
            return new

    def count(self, session: str, name: str, by: int = 1) -> int:
        with self._lock:
            self._counters[session][name] += by
            return self._counters[session][name]

    def reset(self, session: str, prefix: str) -> None:
        with self._lock:
            for name in [name for name in self._counters[session] if name.startswith(prefix)]:
                del self._counters[session][name]

    def counters(self, session: str) -> Mapping[str, int]:
        with self._lock:
            return Frozen(self._counters[session])

    def note(self, session: str, values: Mapping[str, Any]) -> None:
        with self._lock:
            self._notes[session] |= _through_json(values)

    def notes(self, session: str) -> Mapping[str, Any]:
        with self._lock:
            return Frozen(self._notes[session])

    def keep(self, session: str, texts: Sequence[str]) -> None:
        with self._lock:
            self._held[session].extend(texts)

    def take(self, session: str) -> tuple[str, ...]:
        with self._lock:
            return tuple(self._held.pop(session, ()))

    def claim(self, session: str, name: str, *, by: str, at: float, instead: str = "") -> Claim | None:
        with self._lock:
            self._claims = {key: one for key, one in self._claims.items() if one.at >= at - OLDEST_CLAIM}
            known = self._claims.get((session, name))
            if known is not None and known.by != instead:
                return known
            self._claims[session, name] = Claim(by=by, at=at)
            return None

    def answered(self, session: str, name: str, *, by: str, at: float, said: str = "") -> None:
        with self._lock:
            known = self._claims.get((session, name))
            if known is not None and known.by == by:
                self._claims[session, name] = replace(known, answered=at, said=said)

    def release(self, session: str, name: str, *, by: str) -> None:
        with self._lock:
            known = self._claims.get((session, name))
            if known is not None and known.by == by:
                del self._claims[session, name]

    def close(self) -> None:
        """Nothing to give back."""


def _wanted(position: int, record: Record, query: Query) -> bool:
    return (
        position > query.after
        and query.session in {"", record.session}
        and query.event in {"", record.event}
        and query.action in {"", record.action}
        and (not query.rule or query.rule in record.rules)
        and (query.since is None or record.at >= query.since)
    )


def _as_stored(record: Record) -> Record:
    return replace(record, trail=_through_json(record.trail), counts=_through_json(record.counts))


def _through_json(value: Any) -> Any:
    # What a store on disk would refuse or change is refused and changed here too: tests can trust it.
    return frozen(json.loads(json.dumps(thawed(value))))
