"""What a hook may know besides the event: the clock, the budget, the session's memory, lazy facts."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, Mapping, ValuesView

from hookline.budget import UNLIMITED, Budget
from hookline.frozen import Frozen
from hookline.record import field, record
from hookline.usage import UNKNOWN, Usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Facts(Mapping[str, "Any"]):
    """Facts that cost something to find out: looked up when a hook asks, once per event."""

    __slots__ = ("_known", "_suppliers")

    def __init__(self, suppliers: Mapping[str, Callable[[], Any]] | None = None) -> None:
        self._suppliers = dict(suppliers or {})
        self._known: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._known:
            self._known[name] = self._suppliers[name]()
        return self._known[name]

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self._suppliers else default  # asked often: no exception for each

    def __iter__(self) -> Iterator[str]:
        return iter(self._suppliers)

    def __len__(self) -> int:
        return len(self._suppliers)


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


@record
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
