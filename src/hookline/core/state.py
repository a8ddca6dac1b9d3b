"""What a hook may know besides the event: the clock, the budget, the session's memory, lazy facts."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, Mapping, ValuesView
from dataclasses import dataclass, field
from typing import Any

from hookline.core.budget import UNLIMITED, Budget
from hookline.core.frozen import Frozen
from hookline.core.usage import UNKNOWN, Usage

TRIAL = "hookline-doctor-"
"""Prefix of the ids of sessions that only test the installation; nothing about them is reported."""
_NO_TABLE: Mapping[str, Callable[[Any], Any]] = {}


class Facts(Mapping[str, "Any"]):
    """Facts that cost something to find out: looked up when a hook asks, once per event.

    What is told *of* the same thing at every event is in a *table* that is made once.
    """

    __slots__ = ("_known", "_of", "_suppliers", "_table")

    def __init__(
        self,
        suppliers: Mapping[str, Callable[[], Any]] | None = None,
        table: Mapping[str, Callable[[Any], Any]] = _NO_TABLE,
        of: Any = None,
    ) -> None:
        self._suppliers: Mapping[str, Callable[[], Any]] = suppliers or {}
        self._table, self._of = table, of
        self._known: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        known = self._known
        if name not in known:
            suppliers = self._suppliers
            known[name] = suppliers[name]() if name in suppliers else self._table[name](self._of)
        return known[name]

    def get(self, name: str, default: Any = None) -> Any:
        if name in self._known:
            return self._known[name]
        # Asked often: no exception for each.
        return self[name] if name in self._suppliers or name in self._table else default

    def __iter__(self) -> Iterator[str]:
        return iter({**self._table, **self._suppliers})

    def __len__(self) -> int:
        return len({**self._table, **self._suppliers})


class Later(Mapping[str, "Any"]):
    """A mapping that is fetched when a hook first looks into it; most never do."""

    __slots__ = ("_fetch", "_fetched")

    def __init__(self, fetch: Callable[[], Mapping[str, Any]]) -> None:
        self._fetch = fetch
        self._fetched: Mapping[str, Any] | None = None

    def _whole(self) -> Mapping[str, Any]:
        if self._fetched is None:
            self._fetched = self._fetch()
        return self._fetched

    def __getitem__(self, name: str) -> Any:
        return self._whole()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole())

    def __len__(self) -> int:
        return len(self._whole())

    def items(self) -> ItemsView[str, Any]:
        return self._whole().items()

    def values(self) -> ValuesView[Any]:
        return self._whole().values()


@dataclass(frozen=True, kw_only=True, slots=True)
class State:
    """The same for every hook that judges one event."""

    now: float
    """Unix seconds."""
    budget: Budget = UNLIMITED
    env: Mapping[str, str] = field(default_factory=Frozen)
    """The environment of the call."""
    memory: Mapping[str, Any] = field(default_factory=Frozen)
    """What responses of this session remembered."""
    counters: Mapping[str, int] = field(default_factory=Frozen)
    facts: Mapping[str, Any] = field(default_factory=Facts, compare=False)
    spoke: tuple[str, ...] = ()
    """The hooks that have given the agent something to read at this event, before this one."""
    blocked: bool = False
    """Whether one of those before has blocked it; only observers still see that."""

    @property
    def usage(self) -> Usage:
        """What the session uses of its model, as its host tells; looked up when a hook asks."""
        known = self.facts.get("usage")
        return known if isinstance(known, Usage) else UNKNOWN

    @property
    def root(self) -> str:
        """The project's root, empty where none is known."""
        return str(self.facts.get("root", ""))

    @property
    def home(self) -> str:
        """The user's home folder, empty where none is known."""
        return str(self.facts.get("home", ""))

    @property
    def branch(self) -> str:
        """The branch that is checked out, empty where none is known."""
        return str(self.facts.get("branch", ""))
