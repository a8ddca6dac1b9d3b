"""What a session may spend and has spent: its time, its tokens, and the thresholds that it has crossed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from json import loads
from typing import Any, TypeVar

from msgspec.structs import asdict

from hookline import hosts
from hookline.budget.model_reply import answer
from hookline.budget.models import table, usage
from hookline.core.budget import MARGIN, UNLIMITED, Budget, budget_until, crossed, nearest
from hookline.core.events import (
    Event,
    OnBudgetExceeded,
    PostModelCall,
    PostToolUse,
    PreModelCall,
    Stop,
    UserPromptSubmit,
)
from hookline.core.hook import Hook, named
from hookline.core.run_variables import BUDGET_END
from hookline.core.store import Store, StoreFailed
from hookline.core.usage import (
    UNKNOWN,
    Answer,
    Recording,
    Spent,
    Tally,
    Told,
    Total,
    Usage,
    as_json,
    counted,
    from_json,
    sums,
)
from hookline.core.values import replace
from hookline.system.paths import Places
from hookline.system.read_script import ending
from hookline.system.tail import Mark, look, mark_from

_T = TypeVar("_T")

ENDS = "hookline.budget"
"""The note of a session's own budget: when its time ends, in Unix seconds."""
HOLDS = "hookline.ends_at"
"""The note of the end that the environment or the host gave last, for whoever looks on from outside."""
USAGE = "hookline.usage"
"""The note of how far a session's recording was read, and of what it came to."""
LAST = "hookline.used"
"""The note of the last call, where there is no recording."""
SPENT, IN_TURN, TURNS = "usage:spent:", "usage:turn:", "usage:turns"
"""Counters, where there is no recording: of tokens by kind and model, of those of this turn, and of turns."""
ANNOUNCED, SPOKE = "announced:tokens:", "hookline.announced"
GUARD, THRESHOLDS = "budget-guard", {"warn_at": 70, "block_at": 80}
WATCHED = (UserPromptSubmit, PostToolUse, PreModelCall, PostModelCall, Stop)
"""Where tokens are looked at: the model was called before, and the agent can be told."""


LATE = 0.25
"""Seconds in which a host writes down what it has told of already."""


class Purse:
    """What one session has to spend, as far as one event needs it: looked up when somebody asks."""

    def __init__(
        self, event: Event, store: Store, places: Places, env: Mapping[str, str], *, now: float
    ) -> None:
        self.event, self.store, self.places, self.env, self.now = event, store, places, env, now
        self.troubles: list[str] = []
        """What could not be looked up or kept, for the user."""

    @cached_property
    def notes(self) -> Mapping[str, Any]:
        return self._looked[0]

    @property
    def held(self) -> bool:
        """Whether context waits for a moment that can take it."""
        return self._looked[1]

    @cached_property
    def _looked(self) -> tuple[Mapping[str, Any], bool]:
        unknown: tuple[Mapping[str, Any], bool] = {}, True
        return self._try(lambda: self.store.look(self.event.session), usual=unknown)

    @cached_property
    def budget(self) -> Budget:
        """The nearest end holds: of the environment, of the host, and of the session's own budget."""
        return nearest(self._given, self.notes.get(ENDS))

    @cached_property
    def _given(self) -> Budget:
        return nearest(budget_until(self.env.get(BUDGET_END, "")), self.event.ends_at)

    @cached_property
    def usage(self) -> Usage:
        return self._try(self._usage, usual=UNKNOWN)

    def _usage(self) -> Usage:
        tally = self._recorded() if self._recording else self._counted()
        if tally is None:
            return UNKNOWN
        models, wrong = table(self.places)
        self.troubles += [wrong] if wrong and wrong not in self.troubles else []
        return usage(tally, models)

    @property
    def _recording(self) -> Recording | None:
        return recording(self.event.host)

    def _recorded(self) -> Tally | None:
        """The session's recording, read on from where the last call left off."""
        kept = self.notes.get(USAGE)
        known = kept if isinstance(kept, Mapping) else {}
        mark, tally = mark_from(known.get("mark")), from_json(known.get("tally"))
        reader, path = self._recording, self.event.transcript
        if reader is None or not path or self.event.subagent is not None:
            return tally if known else None
        reached, tally = _read_on(
            reader, path, mark, tally, late=reader.late and isinstance(self.event, Stop)
        )
        if reached != mark:
            noted = {"mark": _plain(reached), "tally": as_json(tally)}
            self.store.note(self.event.session, {USAGE: noted})
        return _as_it_ends(tally, reader, path) if reached.behind else tally

    def _counted(self) -> Tally | None:
        """What calls of the model said by themselves, where the host has no recording that we read."""
        counters = self.store.counters(self.event.session)
        spent: dict[str, Spent] = {}
        for name, count in counters.items():
            if name.startswith(SPENT):
                kind, _, model = name.removeprefix(SPENT).partition(":")
                spent[model] = spent.get(model, Spent())._replace(**{kind: count})
        if not spent:
            return None
        noted = self.notes.get(LAST)
        last = noted if isinstance(noted, Mapping) else {}
        return Tally(
            spent=spent,
            model=str(last.get("model", "")),
            used=last["used"] if type(last.get("used")) is int else None,
            turn=counters.get(TURNS, 0),
            turn_output=counters.get(IN_TURN, 0),
        )

    def take(self) -> None:
        """Count what a call of the model said, unless the session's recording will say it too."""
        event = self.event
        if isinstance(event, PostModelCall) and event.usage and not event.subagent and not self._recording:
            one = answer(event.usage, event.model)
            self._try(lambda: self._count(one) if one else None, usual=None)

    def _count(self, one: Answer) -> None:
        event = self.event
        if IN_TURN not in self.store.counters(event.session):
            self.store.count(event.session, TURNS)
        for kind, count in zip(one.spent._fields, one.spent, strict=True):
            if count:
                self.store.count(event.session, f"{SPENT}{kind}:{one.model}", count)
        self.store.count(event.session, IN_TURN, one.spent.output)
        self.store.note(event.session, {LAST: {"model": one.model, "used": one.spent.whole}})
        for known in ("notes", "_looked"):
            self.__dict__.pop(known, None)

    def spent(self, hooks: Sequence[Hook]) -> dict[str, float]:
        """What ran out or short since the last event, and how much of it is used, in percent."""
        if isinstance(self.event, OnBudgetExceeded):
            return {}
        self.take()
        return self._try(lambda: self._spent(hooks), usual=dict[str, float]())

    def _spent(self, hooks: Sequence[Hook]) -> dict[str, float]:
        if self.notes.get(HOLDS) != self._given.ends_at:
            self.store.note(self.event.session, {HOLDS: self._given.ends_at})
        time = {"time": 100.0} if self._time_is_over() else {}
        watched = isinstance(self.event, WATCHED) and self.event.subagent is None
        if not watched or not any(hook.enabled and OnBudgetExceeded in hook.on for hook in hooks):
            return time
        return time | self._tokens(thresholds(hooks))

    def _time_is_over(self) -> bool:
        """Said once a session."""
        if not self.budget.expired(self.now):
            return False
        name = f"announced:time:{self.budget.ends_at}"
        if name in self.store.counters(self.event.session):
            return False
        return self.store.count(self.event.session, name) == 1

    def _tokens(self, limits: Sequence[float]) -> dict[str, float]:
        """Each threshold speaks once, until usage has fallen well below it."""
        percent = self.usage.percent
        spoke = SPOKE in self.notes
        if percent is None or (not spoke and percent < min(limits)):
            return {}
        known = self.store.counters(self.event.session) if spoke else {}
        said = {limit for limit in limits if f"{ANNOUNCED}{limit:g}" in known}
        fresh, over = crossed(percent, limits, said, MARGIN)
        for limit in over:
            self.store.reset(self.event.session, f"{ANNOUNCED}{limit:g}")
        if not fresh:
            return {}
        if not spoke:
            self.store.note(self.event.session, {SPOKE: True})
        # Of two calls at once one counts first: that one speaks.
        first = [self.store.count(self.event.session, f"{ANNOUNCED}{limit:g}") == 1 for limit in fresh]
        return {"tokens": percent} if any(first) else {}

    def _try(self, use: Callable[[], _T], *, usual: _T) -> _T:
        """Use the store; where it fails, the answer goes on without it, aloud."""
        try:
            return use()
        except (StoreFailed, OSError) as error:
            trouble = f"the store could not be used: {error}"
            self.troubles += [trouble] if trouble not in self.troubles else []
            return usual


def ends_at(notes: Mapping[str, Any]) -> float | None:
    """When the time of a session ends, as far as its *notes* tell."""
    return nearest(UNLIMITED, notes.get(ENDS), notes.get(HOLDS)).ends_at


def thresholds(hooks: Iterable[Hook]) -> tuple[float, ...]:
    """In percent, as the guard of budgets has them."""
    guard = named(hooks, GUARD)
    settings = guard.settings if guard else {}
    return tuple(float(settings.get(name, usual)) for name, usual in THRESHOLDS.items())


def recording(host: str) -> Recording | None:
    """How the recordings of a *host* are read; None where it has none that we know."""
    return hosts.load(host).usage if host in hosts.names() else None


def _read_on(reader: Recording, path: str, mark: Mark, tally: Tally, *, late: bool) -> tuple[Mark, Tally]:
    """How far it was read then, and to what that came; one that is *late* is waited for a little."""
    before, until = sums(tally), time.monotonic() + LATE
    while True:
        found = look(path, mark, reader.marks)
        mark, tally = found.mark, counted(Tally() if found.again else tally, told(reader, found.lines))
        if not late or not mark.path or sums(tally) != before or time.monotonic() > until:
            return mark, tally
        time.sleep(LATE / 10)


def told(reader: Recording, lines: Iterable[bytes]) -> Iterable[Told]:
    """What *lines* tell; whatever is in them, for tools and people write there too."""
    for line in lines:
        try:
            one = loads(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            continue
        if isinstance(one, dict):
            yield from reader.read(one)


def _as_it_ends(tally: Tally, reader: Recording, path: str) -> Tally:
    """The *tally* of a recording too long for one look, with the context and the turn at its end."""
    every = tuple(told(reader, ending(path).encode(errors="replace").split(b"\n")))
    before = next((one.spent for one in every if isinstance(one, Total)), Spent())
    last = counted(Tally(total=before), every)
    return replace(
        tally,
        used=last.used,
        model=last.model or tally.model,
        window=last.window or tally.window,
        turn_output=last.turn_output,
    )


def _plain(mark: Mark) -> dict[str, Any]:
    return asdict(mark)
