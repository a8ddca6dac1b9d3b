"""The state that a hook gets besides the event: time, budget, session memory and lazy facts."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, Mapping, ValuesView
from dataclasses import dataclass, field
from typing import Any

from hookline.core.budget import UNLIMITED, Budget
from hookline.core.frozen import Frozen
from hookline.core.usage import UNKNOWN, Usage

TEST_SESSION_PREFIX = "hookline-doctor-"
"""Prefix of the ids of sessions that only test the installation; nothing about them is reported."""
_NO_TABLE: Mapping[str, Callable[[Any], Any]] = {}


class Facts(Mapping[str, "Any"]):
    """Facts that are expensive to find: computed when a hook first reads them, once per event.

    Functions in *suppliers* take no argument; those in *table*, which all events share, take *subject*.
    """

    __slots__ = ("_cache", "_subject", "_suppliers", "_table")

    def __init__(
        self,
        suppliers: Mapping[str, Callable[[], Any]] | None = None,
        table: Mapping[str, Callable[[Any], Any]] = _NO_TABLE,
        subject: Any = None,
    ) -> None:
        self._suppliers: Mapping[str, Callable[[], Any]] = suppliers or {}
        self._table, self._subject = table, subject
        self._cache: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        cache = self._cache
        if name not in cache:
            suppliers = self._suppliers
            cache[name] = suppliers[name]() if name in suppliers else self._table[name](self._subject)
        return cache[name]

    def get(self, name: str, default: Any = None) -> Any:
        if name in self._cache:
            return self._cache[name]
        # Called often, so it avoids the cost of an exception.
        return self[name] if name in self._suppliers or name in self._table else default

    def __iter__(self) -> Iterator[str]:
        return iter({**self._table, **self._suppliers})

    def __len__(self) -> int:
        return len({**self._table, **self._suppliers})


class LazyMapping(Mapping[str, "Any"]):
    """A mapping that is loaded at the first access; most are never accessed."""

    __slots__ = ("_fetch", "_fetched")

    def __init__(self, fetch: Callable[[], Mapping[str, Any]]) -> None:
        self._fetch = fetch
        self._fetched: Mapping[str, Any] | None = None

    def _load(self) -> Mapping[str, Any]:
        if self._fetched is None:
            self._fetched = self._fetch()
        return self._fetched

    def __getitem__(self, name: str) -> Any:
        return self._load()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._load())

    def __len__(self) -> int:
        return len(self._load())

    def items(self) -> ItemsView[str, Any]:
        return self._load().items()

    def values(self) -> ValuesView[Any]:
        return self._load().values()


@dataclass(frozen=True, kw_only=True, slots=True)
class State:
    """The state at one event, the same for every hook."""

    now: float
    """Unix seconds."""
    budget: Budget = UNLIMITED
    env: Mapping[str, str] = field(default_factory=Frozen)
    """The environment variables of the call."""
    memory: Mapping[str, Any] = field(default_factory=Frozen)
    """Values that hooks remembered for this session."""
    counters: Mapping[str, int] = field(default_factory=Frozen)
    facts: Mapping[str, Any] = field(default_factory=Facts, compare=False)
    injecting_hooks: tuple[str, ...] = ()
    """The earlier hooks that injected context at this event."""
    blocked: bool = False
    """True if an earlier hook blocked; only observers still run then."""

    @property
    def usage(self) -> Usage:
        """The session's token usage as its host reports it; computed when a hook reads it."""
        usage = self.facts.get("usage")
        return usage if isinstance(usage, Usage) else UNKNOWN

    @property
    def root(self) -> str:
        """The project's root; empty if it is unknown."""
        return str(self.facts.get("root", ""))

    @property
    def home(self) -> str:
        """The user's home folder; empty if it is unknown."""
        return str(self.facts.get("home", ""))

    @property
    def branch(self) -> str:
        """The current branch; empty if it is unknown."""
        return str(self.facts.get("branch", ""))
