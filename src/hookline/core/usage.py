"""What a session uses of its model: tokens in the context now, tokens spent by session and by turn.

A host's recording is told of line by line, as `Told`; what it came to so far is a `Tally`, which a later call
goes on from. The same lines always come to the same tally, so that it does not matter who reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct, field

from hookline.core.values import replace

_T = TypeVar("_T")

MOST = 10**12
"""Tokens: whoever says more, or less than none, is not believed."""
REMEMBERED = 32
"""Calls of the model that may still be told of again."""
MODELS = 16
"""Models that are counted apart."""
LONGEST_NAME = 200


class Spent(NamedTuple):
    """Tokens: those that were read anew, written, read from the cache, and put into it."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    @property
    def whole(self) -> int:
        return self.input + self.output + self.cache_read + self.cache_write


class Usage(Struct, frozen=True, kw_only=True):
    """What is known of a session's use of its model; None where the host does not tell."""

    used: int | None = None
    """Tokens in the context window now."""
    window: int | None = None
    effective_limit: int | None = None
    """The window less what is kept free for the answer."""
    output: int | None = None
    """Of the whole session, as input and cache; helper agents apart."""
    turn_output: int | None = None
    """Output of this turn; helper agents apart."""
    input: int | None = None
    """Without what came from the cache or went into it."""
    cache_read: int | None = None
    cache_write: int | None = None
    cost: float | None = None
    """In US dollars, where the price of every model that was used is known."""
    model: str = ""
    turn: int | None = None
    """Which turn of the session this is, from 1."""

    @property
    def percent(self) -> float | None:
        """How much of the effective limit is in use."""
        if self.used is None or not self.effective_limit:
            return None
        return self.used / self.effective_limit * 100


UNKNOWN = Usage()


class Turn(NamedTuple):
    """A turn goes on, or begins where its name is another one."""

    name: str


class Around(NamedTuple):
    """What holds from here on; what is empty stays as it was."""

    model: str = ""
    window: int | None = None
    used: int | None = None


class Answer(NamedTuple):
    """One call of the model; the same *call* may be told of several times, and counts once."""

    spent: Spent
    call: str = ""
    model: str = ""
    used: int | None = None
    """Tokens in the context behind it; None is all that was spent on it."""


class Total(NamedTuple):
    """All calls of the recording so far, where it adds up by itself."""

    spent: Spent
    used: int | None = None


Told = Turn | Around | Answer | Total


class Recording(Struct, frozen=True, kw_only=True):
    """How a host's recording of a session tells of usage."""

    read: Callable[[Mapping[str, Any]], Iterable[Told]]
    """From one line, as the object that it holds, to what it tells."""
    marks: tuple[bytes, ...]
    """A line without any of these tells nothing, and need not be read."""
    late: bool = False
    """Whether the host may tell of a turn's end before it has written down the turn's last answer."""


class Tally(Struct, frozen=True, kw_only=True):
    """What a recording came to so far."""

    spent: Mapping[str, Spent] = field(default_factory=dict)
    """By model."""
    model: str = ""
    used: int | None = None
    window: int | None = None
    turn: int = 0
    turn_name: str = ""
    turn_output: int = 0
    total: Spent = Spent()
    """As the recording itself added up last."""
    recent: tuple[tuple[str, str, int, Spent], ...] = ()
    """The last calls: name, model, turn, and what was counted for them."""


def counted(tally: Tally, told: Iterable[Told]) -> Tally:
    """The *tally* with what was *told* since."""
    for one in told:
        tally = _COUNTING[type(one)](tally, one)
    return tally


def _turn(tally: Tally, one: Turn) -> Tally:
    name = one.name[:LONGEST_NAME]
    if name == tally.turn_name:
        return tally
    return replace(tally, turn=tally.turn + 1, turn_name=name, turn_output=0)


def _around(tally: Tally, one: Around) -> Tally:
    return replace(
        tally,
        model=one.model[:LONGEST_NAME] or tally.model,
        window=tally.window if one.window is None else one.window,
        used=tally.used if one.used is None else one.used,
    )


def _answer(tally: Tally, one: Answer) -> Tally:
    model, call = one.model[:LONGEST_NAME] or tally.model, one.call[:LONGEST_NAME]
    before = next((known for known in tally.recent if call and known[0] == call), None)
    old = before[3] if before else Spent()
    whole = Spent(*map(max, one.spent, old))  # a stream tells of a call while it is not over
    more = Spent(*(new - was for new, was in zip(whole, old, strict=True)))
    turn = before[2] if before else tally.turn
    rest = tuple(known for known in tally.recent if known is not before)
    recent = (*rest, (call, model, turn, whole)) if call else rest
    return replace(
        _added(tally, model, more, turn),
        model=model,
        used=one.used if one.used is not None else whole.whole,
        recent=recent[-REMEMBERED:],
    )


def _total(tally: Tally, one: Total) -> Tally:
    began_anew = one.spent.whole < tally.total.whole or one.spent.output < tally.total.output
    was = Spent() if began_anew else tally.total
    # What was read may later turn out to have come from the cache: that is no new beginning.
    more = Spent(*(max(new - old, 0) for new, old in zip(one.spent, was, strict=True)))
    used = tally.used if one.used is None else one.used
    return replace(_added(tally, tally.model, more, tally.turn), total=one.spent, used=used)


def _added(tally: Tally, model: str, more: Spent, turn: int) -> Tally:
    if not any(more):
        return tally
    name = model if model in tally.spent or len(tally.spent) < MODELS else ""
    old = tally.spent.get(name, Spent())
    spent = {**tally.spent, name: Spent(*map(sum, zip(old, more, strict=True)))}
    in_turn = more.output if turn == tally.turn else 0
    return replace(tally, spent=spent, turn_output=tally.turn_output + in_turn)


_COUNTING: Mapping[type, Callable[[Tally, Any], Tally]] = {
    Turn: _turn,
    Around: _around,
    Answer: _answer,
    Total: _total,
}


def tokens(value: Any) -> int:
    """A number of tokens that somebody wrote; 0 where it is none."""
    return value if type(value) is int and 0 <= value <= MOST else 0


def sums(tally: Tally) -> Spent:
    """What was spent, whatever the model."""
    return Spent(*map(sum, zip(*tally.spent.values(), strict=True))) if tally.spent else Spent()


def as_json(tally: Tally) -> dict[str, Any]:
    """What a store can keep."""
    return {
        **{name: getattr(tally, name) for name in _PLAIN},
        "spent": {model: list(spent) for model, spent in tally.spent.items()},
        "total": list(tally.total),
        "recent": [[call, model, turn, *spent] for call, model, turn, spent in tally.recent],
    }


_PLAIN = ("model", "used", "window", "turn", "turn_name", "turn_output")


def from_json(kept: Any) -> Tally:
    """What was kept; an empty tally where that is not what we keep."""
    try:
        return Tally(
            model=_of(str, kept["model"]),
            used=None if kept["used"] is None else _of(int, kept["used"]),
            window=None if kept["window"] is None else _of(int, kept["window"]),
            turn=_of(int, kept["turn"]),
            turn_name=_of(str, kept["turn_name"]),
            turn_output=_of(int, kept["turn_output"]),
            spent={model: _spent(spent) for model, spent in kept["spent"].items()},
            total=_spent(kept["total"]),
            recent=tuple(_recent(kept["recent"])),
        )
    except (LookupError, TypeError, ValueError, AttributeError):
        return Tally()


def _recent(kept: Iterable[Any]) -> Iterator[tuple[str, str, int, Spent]]:
    for call, model, turn, *spent in kept:
        yield _of(str, call), _of(str, model), _of(int, turn), _spent(spent)


def _spent(kept: Iterable[Any]) -> Spent:
    return Spent(*(_of(int, count) for count in kept))


def _of(kind: type[_T], value: Any) -> _T:
    if type(value) is not kind:
        raise TypeError(f"a {kind.__name__} is kept here")
    return value
