"""The contract of a store: sessions, counters, the audit trail, memories, errors, handoffs and experiments.

A store does not redact: the caller has removed secrets before. It returns every text as it was stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from msgspec import Struct

from hookline.core.frozen import EMPTY
from hookline.core.records import Experiment, Handoff, KnownError, Memory
from hookline.core.values import replace

_T = TypeVar("_T")


class Record(Struct, frozen=True, kw_only=True):
    """One record of the audit trail: an event with its outcome, redacted."""

    id: str
    """Unique: recording the same id twice stores one record."""
    at: float
    session: str
    host: str
    event: str
    cwd: str = ""
    tool: str = ""
    summary: str = ""
    """One line that describes the event."""
    action: str = "pass"
    rules: tuple[str, ...] = ()
    reason: str = ""
    warnings: tuple[str, ...] = ()
    trail: tuple[Mapping[str, Any], ...] = ()
    ms: float = 0.0
    counts: Mapping[str, int] = EMPTY
    """The additions to the session's counters, applied once, together with the record."""
    subagent: str = ""
    """Id of the subagent that the event belongs to; empty for the agent itself."""
    subagent_type: str = ""


class Recorder(Struct, frozen=True, kw_only=True):
    """The functions that write records: directly, or first to a spool."""

    record: Callable[[Record], None]
    """Records one event."""
    write_pending: Callable[[], None] = lambda: None
    """Writes pending records when there is time."""
    flush: Callable[[], object] | None = None
    """Writes pending records to the store at once, before a read; None if `write_pending` does that."""
    spooled: bool = False
    """True if records wait in a spool while the store fails."""


class Query(Struct, frozen=True, kw_only=True):
    """A query of the audit trail, oldest records first; empty fields do not restrict it."""

    session: str = ""
    host: str = ""
    event: str = ""
    action: str = ""
    decided: bool = False
    """Only records with an action other than pass, or with warnings."""
    rule: str = ""
    hook: str = ""
    """Only records with a rule of this hook."""
    folder: str = ""
    """Only records of this folder and those below it."""
    text: str = ""
    """Only records with this text in summary or reason; ASCII letters match in either case."""
    since: float | None = None
    after: int = 0
    """Only records after this position."""
    before: int | None = None
    """Only records before this position."""
    last: int | None = None
    """Only this number of the newest records."""


def matches(position: int, record: Record, query: Query) -> bool:
    """Return whether a record at *position* belongs to *query*; `last` is ignored."""
    return (
        position > query.after
        and (query.before is None or position < query.before)
        and all(getattr(query, name) in {"", getattr(record, name)} for name in _EQUAL_FIELDS)
        and (query.since is None or record.at >= query.since)
        and (not query.decided or record.action != "pass" or bool(record.warnings))
        and (not query.rule or query.rule in record.rules)
        and (not query.hook or any(rule.startswith(f"{query.hook}:") for rule in record.rules))
        and (not query.folder or f"{record.cwd}/".startswith(f"{query.folder.rstrip('/')}/"))
        and (not query.text or any(_contains(text, query.text) for text in (record.summary, record.reason)))
    )


_EQUAL_FIELDS = ("session", "host", "event", "action")
_UPPER_TO_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def _contains(text: str, part: str) -> bool:
    return part.translate(_UPPER_TO_LOWER) in text.translate(_UPPER_TO_LOWER)


class Session(Struct, frozen=True, kw_only=True):
    """A session with its latest records."""

    id: str
    began: float
    host: str = ""
    cwd: str = ""
    last: Record | None = None
    """The newest record; None if there is none in the requested time."""
    decided: Record | None = None
    """The newest record with a verdict other than pass."""

    @property
    def seen(self) -> float:
        """Unix seconds of its last activity."""
        return max(self.began, self.last.at) if self.last else self.began

    @property
    def ended(self) -> bool:
        return self.last is not None and self.last.event == "SessionEnd"


class SubagentActivity(Struct, frozen=True, kw_only=True):
    """A subagent of a session with its newest record."""

    id: str
    began: float
    last: Record
    type: str = ""

    @property
    def ended(self) -> bool:
        return self.last.event == "SubagentStop" and self.last.action != "block"


class Limits(Struct, frozen=True, kw_only=True):
    """Limits of retention; the oldest data beyond them are removed first."""

    days: float = 90.0
    """Maximum age of records, and of sessions without records."""
    records: int = 1_000_000
    memories: int = 100_000
    """Maximum memories; the least confident and longest unused go first, pinned ones last."""
    signatures: int = 10_000
    handoffs: int = 1_000


DAY_SECONDS = 86_400.0
MAX_STEP_SECONDS = 7 * DAY_SECONDS
"""Seconds by which the time of expiry advances at most from one day to the next."""
_EXPIRY_NOTE = "hookline.expiry"


def advance_expiry(store: Store, at: float) -> float:
    """Return the time by which stored data expire: the clock's, but gradually if it was set forward."""
    last = store.notes("").get(_EXPIRY_NOTE) or {"clock": at, "expiry": at}
    passed = max(at - last["clock"], 0.0)
    expiry: float = min(at, last["expiry"] + (passed if passed < DAY_SECONDS else MAX_STEP_SECONDS))
    if not last["clock"] < at < last["clock"] + DAY_SECONDS:
        store.set_notes("", {_EXPIRY_NOTE: {"clock": at, "expiry": expiry}})
    return expiry


def merge_sessions(
    known: Iterable[Session], last: Iterable[Record], decided: Iterable[Record]
) -> Sequence[Session]:
    """Merge *known* sessions with their *last* and last *decided* records, and sort them, latest first."""
    sessions = {session.id: session for session in known}
    for record in last:
        new_session = Session(id=record.session, began=record.at, host=record.host, cwd=record.cwd)
        sessions[record.session] = replace(sessions.get(record.session, new_session), last=record)
    for record in decided:
        if record.session in sessions:
            sessions[record.session] = replace(sessions[record.session], decided=record)
    return sorted(sessions.values(), key=lambda session: (session.seen, session.id), reverse=True)


def build_subagents(records: Iterable[tuple[Record, Record]]) -> Sequence[SubagentActivity]:
    """Return the subagents with these first and newest records."""
    return [
        SubagentActivity(
            id=last.subagent, type=last.subagent_type or first.subagent_type, began=first.at, last=last
        )
        for first, last in records
    ]


def group_durations(durations: Iterable[tuple[str, float]]) -> Mapping[str, Sequence[float]]:
    """Return the milliseconds by host."""
    by_host: dict[str, list[float]] = {}
    for host, ms in durations:
        by_host.setdefault(host, []).append(ms)
    return by_host


class StoreFailed(Exception):
    """A store that cannot be used now; the message tells the user why and what to do."""


class Attempt(Protocol):
    """Function that uses the store; if it fails, it may report the error, and returns *default*."""

    def __call__(self, use: Callable[[], _T], *, default: _T) -> _T: ...


def attempt_silently(use: Callable[[], _T], *, default: _T) -> _T:
    """Use the store; return *default* if it fails."""
    try:
        return use()
    except (StoreFailed, OSError):
        return default


class Store(Protocol):
    """A store; each method is safe in concurrent processes, and raises `StoreFailed` or `OSError` on failure.

    Every store passes `hookline.testing.stores.check_store`.
    """

    @property
    def problem(self) -> str:
        """A problem that a person should know of, such as a damaged file that was renamed; empty if none."""

    def record(self, records: Sequence[Record]) -> None:
        """Write records and apply their counts, all or nothing; a record with a known id changes nothing."""

    def records(self, query: Query) -> Iterator[tuple[int, Record]]:
        """Return the records of a query with their positions in the trail."""

    def begin_session(self, session: str, *, host: str, cwd: str, at: float, call: str = "") -> bool:
        """Note that the session exists, and return whether it is new.

        It stays new for the *call* that began it: a retry after a crash does what the first attempt did.
        """

    def sessions(self, *, since: float) -> Sequence[Session]:
        """Return the sessions with activity *since* that time, latest first."""

    def subagents(self, session: str, *, limit: int) -> Sequence[SubagentActivity]:
        """Return the subagents of a session that were active last, the latest first."""

    def session_notes(self, name: str, *, since: float) -> Sequence[tuple[Session, Any]]:
        """Return the sessions that began *since* that time and have the note *name*, with its value.

        Oldest first; the sessions have no records.
        """

    def session_counters(self, prefix: str, *, since: float) -> Sequence[tuple[Session, Mapping[str, int]]]:
        """Return the sessions that began *since* that time, with their counters that start with *prefix*.

        Oldest first; the sessions have no records, and those without such a counter are left out.
        """

    def durations(self, *, last: int) -> Mapping[str, Sequence[float]]:
        """Return the milliseconds of the *last* records by host, newest first."""

    def count(self, session: str, name: str, by: int = 1) -> int:
        """Add to a counter atomically, and return its new value."""

    def reset_counters(self, session: str, prefix: str) -> None:
        """Remove the counters whose names start with *prefix*."""

    def counters(self, session: str) -> Mapping[str, int]: ...

    def set_notes(self, session: str, values: Mapping[str, Any]) -> None:
        """Remember *values* for the session; other values stay."""

    def notes(self, session: str) -> Mapping[str, Any]: ...

    def load_notes(self, session: str) -> tuple[Mapping[str, Any], bool]:
        """Return the session's notes and whether context is held back for it; called at every event."""

    def hold_context(self, session: str, texts: Sequence[str]) -> None:
        """Hold back context for the next event at which it can be injected."""

    def take_held_context(self, session: str) -> tuple[str, ...]:
        """Return and remove the context that was held back."""

    def remember(self, memory: Memory) -> None:
        """Store a memory; one with the same id is replaced but keeps its number of uses."""

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
        """Return memories with any word of *text*, best first; without words, the pinned and most confident.

        A *project*, *branch* or *issue* selects its own memories and those without one; None selects all.
        With *at*, confidence decays as in `hookline.core.ranking.decayed_confidence`.
        """

    def memories(self, ids: Sequence[str]) -> Sequence[Memory]:
        """Return the memories with these ids, in this order; unknown ids are skipped."""

    def mark_used(self, ids: Sequence[str], *, at: float) -> None:
        """Record that these memories were used."""

    def forget(self, *ids: str) -> int:
        """Remove memories and relations to them, and return how many memories existed."""

    def count_error(
        self, key: str, *, text: str, at: float, project: str = "", command: str = ""
    ) -> KnownError:
        """Count an error and raise its confidence atomically, and return its updated signature."""

    def adjust_confidence(self, key: str, gain: float, *, at: float, project: str = "") -> bool:
        """Add *gain* to the confidence in an error and its fix atomically; return whether it is known."""

    def record_fix(self, key: str, text: str, *, project: str = "") -> bool:
        """Record the fix of an error, and return whether the error is known."""

    def signatures(
        self, *, key: str = "", project: str | None = None, limit: int = 100, fixed: bool = False
    ) -> Sequence[KnownError]:
        """Return known errors, latest first; None selects every project, an empty *key* every error.

        With *fixed*, only errors with a known fix.
        """

    def add_handoff(self, handoff: Handoff) -> bool:
        """Store a handoff, and return whether it was new."""

    def replace_handoff(self, handoff: Handoff) -> bool:
        """Replace the stored handoff with this id, and return whether there was one."""

    def handoffs(
        self, *, project: str | None = None, session: str = "", limit: int = 10
    ) -> Sequence[Handoff]:
        """Return handoffs, newest first."""

    def add_experiment(self, experiment: Experiment) -> bool:
        """Append an experiment and return whether its number was free; existing rows are never changed."""

    def experiments(self, run: str, *, after: int | None = None) -> Sequence[Experiment]:
        """Return the experiments of a run by number, optionally only those *after* a number."""

    def totals(self) -> Mapping[str, int]:
        """Return the number of stored items by name."""

    def prune(self, limits: Limits, *, at: float, within: float) -> int:
        """Remove data beyond *limits* in about *within* seconds; return the number of removed items."""

    def check(self) -> str:
        """Check the integrity of all data, which may take a while; return the problem or an empty string."""

    def close(self) -> None: ...
