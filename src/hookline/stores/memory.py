"""Store in memory, for tests and for programs that keep nothing."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from math import log1p
from threading import RLock
from typing import Any, TypeVar

from hookline.core.confidence import INITIAL, SEEN_AGAIN, add_gain
from hookline.core.frozen import Frozen, freeze, thaw
from hookline.core.ranking import find_search_words, rank, sort_by_confidence
from hookline.core.records import Experiment, Handoff, KnownError, Memory, find_index_words
from hookline.core.store import (
    DAY_SECONDS,
    Limits,
    Query,
    Record,
    Session,
    Store,
    SubagentActivity,
    build_subagents,
    group_durations,
    matches,
    merge_sessions,
)
from hookline.core.values import replace

T = TypeVar("T")


def open_store(place: str = "") -> Store:
    """Return a new, empty store; *place* is ignored."""
    return MemoryStore()


class MemoryStore:
    problem = ""

    def __init__(self) -> None:
        self._lock = RLock()
        self._records: dict[str, tuple[int, Record]] = {}
        self._last_position = 0
        self._sessions: dict[str, Session] = {}
        self._started_by: dict[str, str] = {}
        self._counters: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._notes: defaultdict[str, dict[str, Any]] = defaultdict(dict)
        self._held: defaultdict[str, list[str]] = defaultdict(list)
        self._memories: dict[str, Memory] = {}
        self._signatures: dict[tuple[str, str], KnownError] = {}
        self._handoffs: dict[str, Handoff] = {}
        self._experiments: dict[tuple[str, int], Experiment] = {}

    def record(self, records: Sequence[Record]) -> None:
        values = [_normalize_record(record) for record in records]
        with self._lock:
            for record in values:
                if record.id not in self._records:
                    self._last_position += 1
                    self._records[record.id] = (self._last_position, record)
                    self._counters[record.session].update(record.counts)

    def records(self, query: Query) -> Iterator[tuple[int, Record]]:
        with self._lock:
            trail = list(self._records.values())
        found = [(position, record) for position, record in trail if matches(position, record, query)]
        return iter(found if query.last is None else found[len(found) - min(query.last, len(found)) :])

    def begin_session(self, session: str, *, host: str, cwd: str, at: float, call: str = "") -> bool:
        with self._lock:
            new = session not in self._sessions
            self._sessions.setdefault(session, Session(id=session, host=host, cwd=cwd, began=at))
            self._started_by.setdefault(session, call)
            return new or (bool(call) and self._started_by[session] == call)

    def sessions(self, *, since: float) -> Sequence[Session]:
        with self._lock:
            records = [record for _, record in self._records.values() if record.at >= since]
            last = {record.session: record for record in records if record.session}
            started = [
                session for session in self._sessions.values() if session.began >= since or session.id in last
            ]
        return merge_sessions(
            started, last.values(), [record for record in records if record.action != "pass"]
        )

    def subagents(self, session: str, *, limit: int) -> Sequence[SubagentActivity]:
        ends: dict[str, tuple[Record, Record]] = {}
        with self._lock:
            for _, record in self._records.values():
                if record.session == session and record.subagent:
                    first, _ = ends.pop(record.subagent, (record, record))
                    ends[record.subagent] = (first, record)
        return build_subagents([*reversed(ends.values())][:limit])

    def session_notes(self, name: str, *, since: float) -> Sequence[tuple[Session, Any]]:
        with self._lock:
            notes = {key: values[name] for key, values in self._notes.items() if name in values}
            return [(item, notes[item.id]) for item in self._begun(since) if item.id in notes]

    def session_counters(self, prefix: str, *, since: float) -> Sequence[tuple[Session, Mapping[str, int]]]:
        with self._lock:
            begun = self._begun(since)
            counters = [
                Frozen({name: n for name, n in self._counters[item.id].items() if name.startswith(prefix)})
                for item in begun
            ]
        return [(item, found) for item, found in zip(begun, counters, strict=True) if found]

    def _begun(self, since: float) -> list[Session]:
        begun = [item for item in self._sessions.values() if item.began >= since]
        return sorted(begun, key=lambda item: (item.began, item.id))

    def durations(self, *, last: int) -> Mapping[str, Sequence[float]]:
        with self._lock:
            newest = [record for _, record in reversed(self._records.values())][:last]
        return group_durations((record.host, record.ms) for record in newest)

    def count(self, session: str, name: str, by: int = 1) -> int:
        with self._lock:
            self._counters[session][name] += by
            return self._counters[session][name]

    def reset_counters(self, session: str, prefix: str) -> None:
        with self._lock:
            for name in [name for name in self._counters[session] if name.startswith(prefix)]:
                del self._counters[session][name]

    def counters(self, session: str) -> Mapping[str, int]:
        with self._lock:
            return Frozen(self._counters[session])

    def set_notes(self, session: str, values: Mapping[str, Any]) -> None:
        with self._lock:
            self._notes[session] |= _round_trip_json(values)

    def notes(self, session: str) -> Mapping[str, Any]:
        with self._lock:
            return Frozen(self._notes[session])

    def load_notes(self, session: str) -> tuple[Mapping[str, Any], bool]:
        with self._lock:
            return Frozen(self._notes[session]), bool(self._held.get(session))

    def hold_context(self, session: str, texts: Sequence[str]) -> None:
        with self._lock:
            self._held[session].extend(texts)

    def take_held_context(self, session: str) -> tuple[str, ...]:
        with self._lock:
            return tuple(self._held.pop(session, ()))

    def remember(self, memory: Memory) -> None:
        with self._lock:
            previous = self._memories.pop(memory.id, None)
            updated = replace(memory, used=previous.used, uses=previous.uses) if previous else memory
            self._memories[memory.id] = updated

    def recall(
        self,
        text: str,
        *,
        project: str | None = None,
        branch: str | None = None,
        issue: str | None = None,
        at: float | None = None,
        limit: int = 10,
    ) -> Sequence[Memory]:
        words, scope = find_search_words(text), {"project": project, "branch": branch, "issue": issue}
        with self._lock:
            memories = list(self._memories.values())
        candidates = [memory for memory in memories if _in_scope(memory, scope)]
        if not words:
            return sort_by_confidence(candidates, at)[:limit]
        return rank(_score(candidates, words), at)[:limit]

    def memories(self, ids: Sequence[str]) -> Sequence[Memory]:
        with self._lock:
            return [self._memories[memory_id] for memory_id in ids if memory_id in self._memories]

    def mark_used(self, ids: Sequence[str], *, at: float) -> None:
        with self._lock:
            for memory in filter(None, map(self._memories.get, dict.fromkeys(ids))):
                self._memories[memory.id] = replace(memory, used=at, uses=memory.uses + 1)

    def forget(self, *ids: str) -> int:
        with self._lock:
            for item in self._memories.values():
                relations = tuple(relation for relation in item.relations if relation[1] not in ids)
                if relations != item.relations:
                    self._memories[item.id] = replace(item, relations=relations)
            return sum(self._memories.pop(item, None) is not None for item in ids)

    def count_error(
        self, key: str, *, text: str, at: float, project: str = "", command: str = ""
    ) -> KnownError:
        with self._lock:
            previous = self._signatures.get((project, key)) or KnownError(key=key, project=project, first=at)
            first, last = min(previous.first, at), max(previous.last, at)
            weight = add_gain(previous.weight, SEEN_AGAIN if previous.seen else INITIAL, at)
            updated = replace(
                previous, text=text, seen=previous.seen + 1, first=first, last=last, weight=weight
            )
            self._signatures[project, key] = replace(updated, command=command or previous.command)
            return self._signatures[project, key]

    def adjust_confidence(self, key: str, gain: float, *, at: float, project: str = "") -> bool:
        with self._lock:
            signature = self._signatures.get((project, key))
            if signature is not None:
                self._signatures[project, key] = replace(
                    signature, weight=add_gain(signature.weight, gain, at)
                )
            return signature is not None

    def record_fix(self, key: str, text: str, *, project: str = "") -> bool:
        with self._lock:
            signature = self._signatures.get((project, key))
            if signature is not None:
                self._signatures[project, key] = replace(signature, fix=text)
            return signature is not None

    def signatures(
        self, *, key: str = "", project: str | None = None, limit: int = 100, fixed: bool = False
    ) -> Sequence[KnownError]:
        with self._lock:
            in_project = [
                signature for signature in self._signatures.values() if project in {None, signature.project}
            ]
        matches = [
            signature
            for signature in in_project
            if key in {"", signature.key} and (signature.fix or not fixed)
        ]
        return sorted(matches, key=lambda signature: (signature.last, signature.key), reverse=True)[:limit]

    def add_handoff(self, handoff: Handoff) -> bool:
        stored = replace(handoff, details=_round_trip_json(handoff.details))
        with self._lock:
            return self._handoffs.setdefault(handoff.id, stored) is stored

    def replace_handoff(self, handoff: Handoff) -> bool:
        with self._lock:
            stored = self._handoffs.get(handoff.id)
            if stored is not None:
                details = _round_trip_json(handoff.details)
                self._handoffs[handoff.id] = replace(stored, text=handoff.text, details=details)
            return stored is not None

    def handoffs(
        self, *, project: str | None = None, session: str = "", limit: int = 10
    ) -> Sequence[Handoff]:
        with self._lock:
            in_project = [item for item in self._handoffs.values() if project in {None, item.project}]
        matches = [
            (item.at, index, item) for index, item in enumerate(in_project) if session in {"", item.session}
        ]
        return [item for *_, item in sorted(matches, reverse=True)[:limit]]

    def add_experiment(self, experiment: Experiment) -> bool:
        stored = replace(experiment, details=_round_trip_json(experiment.details))
        with self._lock:
            return self._experiments.setdefault((experiment.run, experiment.number), stored) is stored

    def experiments(self, run: str, *, after: int | None = None) -> Sequence[Experiment]:
        with self._lock:
            in_run = [experiment for experiment in self._experiments.values() if experiment.run == run]
        matches = [experiment for experiment in in_run if after is None or experiment.number > after]
        return sorted(matches, key=lambda experiment: experiment.number)

    def totals(self) -> Mapping[str, int]:
        with self._lock:
            return Frozen(
                sessions=len(self._sessions),
                records=len(self._records),
                memories=len(self._memories),
                signatures=len(self._signatures),
                handoffs=len(self._handoffs),
                experiments=len(self._experiments),
            )

    def prune(self, limits: Limits, *, at: float, within: float) -> int:
        if within <= 0:
            return 0
        oldest = at - limits.days * DAY_SECONDS
        with self._lock:
            old = self._find_old(oldest, at)
            deleted = _drop_excess(
                self._records, limits.records, lambda item: item[0], lambda item: item[0] in old
            )
            active = {record.session for _, record in self._records.values()}
            for session in [
                item
                for item, started in self._sessions.items()
                if started.began < oldest and item not in active
            ]:
                del self._sessions[session]
                self._started_by.pop(session, None)
                self._counters.pop(session, None)
                self._notes.pop(session, None)
                self._held.pop(session, None)
                deleted += 1
            deleted += _drop_excess(
                self._memories,
                limits.memories,
                lambda item: (item.pinned, item.confidence, item.at if item.used is None else item.used),
            )
            deleted += _drop_excess(self._signatures, limits.signatures, lambda item: item.last)
            return deleted + _drop_excess(self._handoffs, limits.handoffs, lambda item: item.at)

    def _find_old(self, oldest: float, now: float) -> set[int]:
        """Return the first positions, up to a record that is not old: a later one had a wrong clock."""
        known = ((position, record.at) for position, record in self._records.values() if record.at <= now)
        return {position for position, _ in takewhile(lambda row: row[1] < oldest, known)}

    def check(self) -> str:
        return ""

    def close(self) -> None:
        """Do nothing: there are no resources to release."""


def _drop_excess(
    items: dict[Any, T],
    max_items: int,
    worth: Callable[[T], Any],
    is_old: Callable[[T], bool] = lambda item: False,
) -> int:
    """Delete old items, then those of least worth, until *max_items* are left; return the number deleted."""
    deleted = {key for key, item in items.items() if is_old(item)}
    rest = sorted(items.keys() - deleted, key=lambda key: worth(items[key]))
    deleted.update(rest[: max(len(rest) - max_items, 0)])
    for key in deleted:
        del items[key]
    return len(deleted)


def _score(memories: Sequence[Memory], words: Sequence[str]) -> Iterator[tuple[float, Memory]]:
    """Yield memories that have any of the words, with a score; a rarer word counts more."""
    matches = [(_matching_words(memory, words), memory) for memory in memories]
    counts = Counter(word for matching, _ in matches for word in matching)
    for matching, memory in matches:
        if matching:
            yield sum(log1p(len(matches) / counts[word]) for word in matching), memory


def _matching_words(memory: Memory, words: Sequence[str]) -> list[str]:
    indexed = set(find_index_words(memory))
    return [word for word in words if word in indexed]


def _in_scope(memory: Memory, scope: Mapping[str, str | None]) -> bool:
    return all(value is None or getattr(memory, name) in {value, ""} for name, value in scope.items())


def _normalize_record(record: Record) -> Record:
    return replace(record, trail=_round_trip_json(record.trail), counts=_round_trip_json(record.counts))


def _round_trip_json(value: Any) -> Any:
    # Refuses and changes the same values as a store on disk, so that tests can rely on it.
    return freeze(json.loads(json.dumps(thaw(value))))
