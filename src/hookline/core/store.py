"""What a store is: where sessions, their counters, the audit trail and what was learnt live.

A store keeps what it is given: whoever gives it something has taken the secrets out before. Texts come back
exactly as they were given, whatever is in them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct

from hookline.core.frozen import NOTHING
from hookline.core.records import Experiment, Handoff, Memory, Signature
from hookline.core.values import replace


class Record(Struct, frozen=True, kw_only=True):
    """One event with its outcome, redacted, as the audit trail keeps it."""

    id: str
    """Unique: recording the same one twice keeps one."""
    at: float
    session: str
    host: str
    event: str
    cwd: str = ""
    tool: str = ""
    summary: str = ""
    """What it was about, in a line."""
    action: str = "pass"
    rules: tuple[str, ...] = ()
    reason: str = ""
    warnings: tuple[str, ...] = ()
    trail: tuple[Mapping[str, Any], ...] = ()
    ms: float = 0.0
    counts: Mapping[str, int] = NOTHING
    """What this event adds to the session's counters: applied once, together with the record."""


class Recorder(Struct, frozen=True, kw_only=True):
    """How records are kept: at once or first in a spool, and what is done when there is time."""

    keep: Callable[[Record], None]
    settle: Callable[[], None] = lambda: None
    bring: Callable[[], object] | None = None
    """Have all that was kept in the store at once, for who wants to read it; None: `settle` does that."""


class Query(Struct, frozen=True, kw_only=True):
    """Which records of the audit trail are wanted, oldest first; what is empty does not restrict."""

    session: str = ""
    event: str = ""
    action: str = ""
    rule: str = ""
    since: float | None = None
    after: int = 0
    """Only records behind this position."""
    last: int | None = None
    """Only the newest so many."""


class Session(Struct, frozen=True, kw_only=True):
    """What is known of a session that something was heard of."""

    id: str
    began: float
    host: str = ""
    cwd: str = ""
    last: Record | None = None
    """The newest record; None where none is of the time that was asked for."""
    decided: Record | None = None
    """The newest that did not just pass."""

    @property
    def seen(self) -> float:
        """When something was heard of it last."""
        return max(self.began, self.last.at) if self.last else self.began

    @property
    def ended(self) -> bool:
        return self.last is not None and self.last.event == "SessionEnd"


class Limits(Struct, frozen=True, kw_only=True):
    """How much is kept; what is older or more is forgotten, the oldest first."""

    days: float = 90.0
    """Of records, and of sessions that have no record any more."""
    records: int = 1_000_000
    memories: int = 100_000
    """The least sure first, and of those what was of no use for longest; what is pinned last."""
    signatures: int = 10_000
    handoffs: int = 1_000


def heard(known: Iterable[Session], last: Iterable[Record], decided: Iterable[Record]) -> Sequence[Session]:
    """The sessions that are *known* or have records, with their *last* record and what was *decided* last."""
    sessions = {one.id: one for one in known}
    for one in last:
        usual = Session(id=one.session, began=one.at, host=one.host, cwd=one.cwd)
        sessions[one.session] = replace(sessions.get(one.session, usual), last=one)
    for one in decided:
        if one.session in sessions:
            sessions[one.session] = replace(sessions[one.session], decided=one)
    return sorted(sessions.values(), key=lambda one: (one.seen, one.id), reverse=True)


class StoreFailed(Exception):
    """A store that cannot be used now; the message says why and what to do, to the user."""


class Store(Protocol):
    """Every store passes `hookline.testing.check_store`. Each method is safe in many processes at once.

    What a store cannot do it says by `StoreFailed` or `OSError`.
    """

    @property
    def problem(self) -> str:
        """What a person should know, such as a damaged file that was set aside; empty where all is well."""

    def record(self, records: Sequence[Record]) -> None:
        """Keep the records and apply their counts, all or nothing; a record known already changes nothing."""

    def records(self, query: Query) -> Iterator[tuple[int, Record]]:
        """Records with their positions in the trail."""

    def begin(self, session: str, *, host: str, cwd: str, at: float, call: str = "") -> bool:
        """Note that the session exists, and return whether it is new.

        It stays new for the *call* that began it: a retry after a crash does what the first attempt did.
        """

    def sessions(self, *, since: float) -> Sequence[Session]:
        """The sessions of which something was heard *since* then, the latest first."""

    def count(self, session: str, name: str, by: int = 1) -> int:
        """Add to a counter, atomically; its new value."""

    def reset(self, session: str, prefix: str) -> None:
        """Forget the counters whose names begin so."""

    def counters(self, session: str) -> Mapping[str, int]: ...

    def note(self, session: str, values: Mapping[str, Any]) -> None:
        """Remember values for the session: newer ones win, the rest stay."""

    def notes(self, session: str) -> Mapping[str, Any]: ...

    def look(self, session: str) -> tuple[Mapping[str, Any], bool]:
        """Its notes, and whether something is held back for it: every event begins with that question."""

    def keep(self, session: str, texts: Sequence[str]) -> None:
        """Hold context back for a moment that can take it."""

    def take(self, session: str) -> tuple[str, ...]:
        """Hand out what was held back, once."""

    def remember(self, memory: Memory) -> None:
        """Keep a memory; one with the same id is replaced, and keeps its uses."""

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
        """Memories with any word of *text*, best first; for no words the pinned, the surest, the newest.

        Of a *project*, *branch*, *issue* and of none in particular; with None of all. What was of no use for
        long counts less, where it is said when *at* is: `recalling.worth` tells how much.
        """

    def memories(self, ids: Sequence[str]) -> Sequence[Memory]:
        """Those of these ids that are known, in this order."""

    def use(self, ids: Sequence[str], *, at: float) -> None:
        """Note that these memories were of use."""

    def forget(self, *ids: str) -> int:
        """Forget memories, and that others stood in a relation to them; how many there were."""

    def see(self, key: str, *, text: str, at: float, project: str = "", command: str = "") -> Signature:
        """Count that an error was seen again, atomically, and believe it the more; all that is known now."""

    def weigh(self, key: str, gain: float, *, at: float, project: str = "") -> bool:
        """Believe an error and its fix more, or less, atomically; whether it ever was seen."""

    def fix(self, key: str, text: str, *, project: str = "") -> bool:
        """Note what helped against an error that was seen; whether it ever was."""

    def signatures(
        self, *, key: str = "", project: str | None = None, limit: int = 100, fixed: bool = False
    ) -> Sequence[Signature]:
        """Errors that were seen, the latest first; of every project with None, of every key with none.

        Where they must be *fixed*, only those that a fix is known of.
        """

    def hand_over(self, handoff: Handoff) -> bool:
        """Keep a handoff; whether it was new."""

    def amend(self, handoff: Handoff) -> bool:
        """Have a handoff that is kept say something else; whether there was one of that id."""

    def handoffs(
        self, *, project: str | None = None, session: str = "", limit: int = 10
    ) -> Sequence[Handoff]:
        """Handoffs, the newest first."""

    def journal(self, experiment: Experiment) -> bool:
        """Append an experiment; whether its number was free, for what is in the journal is never changed."""

    def experiments(self, run: str, *, after: int | None = None) -> Sequence[Experiment]:
        """The experiments of a run by their numbers, or only those behind a number."""

    def totals(self) -> Mapping[str, int]:
        """How much there is of everything, by name."""

    def prune(self, limits: Limits, *, at: float, within: float) -> int:
        """Forget what is over the limits, for about *within* seconds at most; how much was forgotten."""

    def check(self) -> str:
        """What is wrong with all that is kept, looking closely; empty where nothing is. May take a while."""

    def close(self) -> None: ...
