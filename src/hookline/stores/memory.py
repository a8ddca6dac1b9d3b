"""The store that lives as long as the program: for tests, and for programs that keep nothing."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import log1p
from threading import RLock
from typing import Any, TypeVar

from hookline.core.confidence import AGAIN, START, added
from hookline.core.frozen import Frozen, frozen, thawed
from hookline.core.ranking import asked, ranked, surest
from hookline.core.records import Experiment, Handoff, Memory, Signature, words_of
from hookline.core.store import Limits, Query, Record, Session, Store, heard
from hookline.core.values import replace

DAY = 86_400.0
Kept = TypeVar("Kept")


def open_store(place: str = "") -> Store:
    """A store of its own, empty; there is no *place* to it."""
    return MemoryStore()


class MemoryStore:
    problem = ""

    def __init__(self) -> None:
        self._lock = RLock()
        self._records: dict[str, tuple[int, Record]] = {}
        self._recorded = 0
        self._sessions: dict[str, Session] = {}
        self._begun_by: dict[str, str] = {}
        self._counters: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._notes: defaultdict[str, dict[str, Any]] = defaultdict(dict)
        self._held: defaultdict[str, list[str]] = defaultdict(list)
        self._memories: dict[str, Memory] = {}
        self._signatures: dict[tuple[str, str], Signature] = {}
        self._handoffs: dict[str, Handoff] = {}
        self._experiments: dict[tuple[str, int], Experiment] = {}

    def record(self, records: Sequence[Record]) -> None:
        values = [_as_stored(record) for record in records]
        with self._lock:
            for record in values:
                if record.id not in self._records:
                    self._recorded += 1
                    self._records[record.id] = (self._recorded, record)
                    self._counters[record.session].update(record.counts)

    def records(self, query: Query) -> Iterator[tuple[int, Record]]:
        with self._lock:
            trail = list(self._records.values())
        found = [(position, record) for position, record in trail if _wanted(position, record, query)]
        return iter(found if query.last is None else found[len(found) - min(query.last, len(found)) :])

    def begin(self, session: str, *, host: str, cwd: str, at: float, call: str = "") -> bool:
        with self._lock:
            new = session not in self._sessions
            self._sessions.setdefault(session, Session(id=session, host=host, cwd=cwd, began=at))
            self._begun_by.setdefault(session, call)
            return new or (bool(call) and self._begun_by[session] == call)

    def sessions(self, *, since: float) -> Sequence[Session]:
        with self._lock:
            records = [record for _, record in self._records.values() if record.at >= since]
            last = {record.session: record for record in records if record.session}
            known = [one for one in self._sessions.values() if one.began >= since or one.id in last]
        return heard(known, last.values(), [record for record in records if record.action != "pass"])

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

    def look(self, session: str) -> tuple[Mapping[str, Any], bool]:
        with self._lock:
            return Frozen(self._notes[session]), bool(self._held.get(session))

    def keep(self, session: str, texts: Sequence[str]) -> None:
        with self._lock:
            self._held[session].extend(texts)

    def take(self, session: str) -> tuple[str, ...]:
        with self._lock:
            return tuple(self._held.pop(session, ()))

    def remember(self, memory: Memory) -> None:
        with self._lock:
            known = self._memories.pop(memory.id, None)
            kept = replace(memory, used=known.used, uses=known.uses) if known else memory
            self._memories[memory.id] = kept

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
        wanted, near = asked(text), {"project": project, "branch": branch, "issue": issue}
        with self._lock:
            every = list(self._memories.values())
        found = [one for one in every if _is_near(one, near)]
        if not wanted:
            return surest(found, at)[:limit]
        return ranked(_scored(found, wanted), at)[:limit]

    def memories(self, ids: Sequence[str]) -> Sequence[Memory]:
        with self._lock:
            return [self._memories[one] for one in ids if one in self._memories]

    def use(self, ids: Sequence[str], *, at: float) -> None:
        with self._lock:
            for one in filter(None, map(self._memories.get, dict.fromkeys(ids))):
                self._memories[one.id] = replace(one, used=at, uses=one.uses + 1)

    def forget(self, *ids: str) -> int:
        with self._lock:
            for one in self._memories.values():
                left = tuple(relation for relation in one.relations if relation[1] not in ids)
                if left != one.relations:
                    self._memories[one.id] = replace(one, relations=left)
            return sum(self._memories.pop(one, None) is not None for one in ids)

    def see(self, key: str, *, text: str, at: float, project: str = "", command: str = "") -> Signature:
        with self._lock:
            known = self._signatures.get((project, key)) or Signature(key=key, project=project, first=at)
            first, last = min(known.first, at), max(known.last, at)
            weight = added(known.weight, AGAIN if known.seen else START, at)
            now = replace(known, text=text, seen=known.seen + 1, first=first, last=last, weight=weight)
            self._signatures[project, key] = replace(now, command=command or known.command)
            return self._signatures[project, key]

    def weigh(self, key: str, gain: float, *, at: float, project: str = "") -> bool:
        with self._lock:
            known = self._signatures.get((project, key))
            if known is not None:
                self._signatures[project, key] = replace(known, weight=added(known.weight, gain, at))
            return known is not None

    def fix(self, key: str, text: str, *, project: str = "") -> bool:
        with self._lock:
            known = self._signatures.get((project, key))
            if known is not None:
                self._signatures[project, key] = replace(known, fix=text)
            return known is not None

    def signatures(
        self, *, key: str = "", project: str | None = None, limit: int = 100, fixed: bool = False
    ) -> Sequence[Signature]:
        with self._lock:
            near = [one for one in self._signatures.values() if project in {None, one.project}]
        found = [one for one in near if key in {"", one.key} and (one.fix or not fixed)]
        return sorted(found, key=lambda one: (one.last, one.key), reverse=True)[:limit]

    def hand_over(self, handoff: Handoff) -> bool:
        kept = replace(handoff, details=_through_json(handoff.details))
        with self._lock:
            return self._handoffs.setdefault(handoff.id, kept) is kept

    def amend(self, handoff: Handoff) -> bool:
        with self._lock:
            known = self._handoffs.get(handoff.id)
            if known is not None:
                details = _through_json(handoff.details)
                self._handoffs[handoff.id] = replace(known, text=handoff.text, details=details)
            return known is not None

    def handoffs(
        self, *, project: str | None = None, session: str = "", limit: int = 10
    ) -> Sequence[Handoff]:
        with self._lock:
            near = [one for one in self._handoffs.values() if project in {None, one.project}]
        found = [(one.at, place, one) for place, one in enumerate(near) if session in {"", one.session}]
        return [one for *_, one in sorted(found, reverse=True)[:limit]]

    def journal(self, experiment: Experiment) -> bool:
        kept = replace(experiment, details=_through_json(experiment.details))
        with self._lock:
            return self._experiments.setdefault((experiment.run, experiment.number), kept) is kept

    def experiments(self, run: str, *, after: int | None = None) -> Sequence[Experiment]:
        with self._lock:
            found = [one for one in self._experiments.values() if one.run == run]
        wanted = [one for one in found if after is None or one.number > after]
        return sorted(wanted, key=lambda one: one.number)

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
        oldest = at - limits.days * DAY
        with self._lock:
            gone = _drop(self._records, limits.records, lambda one: one[0], lambda one: one[1].at < oldest)
            alive = {record.session for _, record in self._records.values()}
            for session in [
                one for one, kept in self._sessions.items() if kept.began < oldest and one not in alive
            ]:
                del self._sessions[session]
                self._counters.pop(session, None)
                self._notes.pop(session, None)
                self._held.pop(session, None)
                gone += 1
            gone += _drop(
                self._memories,
                limits.memories,
                lambda one: (one.pinned, one.confidence, one.at if one.used is None else one.used),
            )
            gone += _drop(self._signatures, limits.signatures, lambda one: one.last)
            return gone + _drop(self._handoffs, limits.handoffs, lambda one: one.at)

    def check(self) -> str:
        return ""

    def close(self) -> None:
        """Nothing to give back."""


def _drop(
    kept: dict[Any, Kept],
    most: int,
    worth: Callable[[Kept], Any],
    old: Callable[[Kept], bool] = lambda one: False,
) -> int:
    """Take out what is old, and of the rest what is worth least, until there are no more than *most*."""
    gone = {key for key, one in kept.items() if old(one)}
    rest = sorted(kept.keys() - gone, key=lambda key: worth(kept[key]))
    gone.update(rest[: max(len(rest) - most, 0)])
    for key in gone:
        del kept[key]
    return len(gone)


def _scored(memories: Sequence[Memory], wanted: Sequence[str]) -> Iterator[tuple[float, Memory]]:
    """Those that have any of the words; the fewer have a word, the more it counts."""
    found = [(_matching(one, wanted), one) for one in memories]
    often = Counter(word for matching, _ in found for word in matching)
    for matching, one in found:
        if matching:
            yield sum(log1p(len(found) / often[word]) for word in matching), one


def _matching(memory: Memory, wanted: Sequence[str]) -> list[str]:
    has = set(words_of(memory))
    return [one for one in wanted if one in has]


def _is_near(memory: Memory, near: Mapping[str, str | None]) -> bool:
    return all(value is None or getattr(memory, name) in {value, ""} for name, value in near.items())


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
