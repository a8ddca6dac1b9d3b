"""Conclude the events that a host does not fire itself from those it does, in a fixed order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

from hookline.core.events import (
    EVENTS,
    Can,
    Event,
    OnBudgetExceeded,
    OnError,
    PostCompact,
    PostToolUse,
    SessionStart,
    Stop,
    TurnEnd,
    TurnStart,
    UserPromptSubmit,
)
from hookline.core.host import Host

_Event = TypeVar("_Event", bound=Event)

_NOTHING: Mapping[str, float] = {}


def derive(
    host: Host, event: Event, *, known: bool = True, spent: Mapping[str, float] = _NOTHING
) -> tuple[Event, ...]:
    """The short list of events that one native event means, in the order in which they are judged.

    *spent* is what ran out or short since the last event, and how much of it is used, in percent.
    """
    before: list[Event] = [
        _like(event, OnBudgetExceeded, threshold=what, percent=percent) for what, percent in spent.items()
    ]
    if not known and not isinstance(event, SessionStart) and not _start_follows(host, event):
        before.append(_like(event, SessionStart, source="unseen"))
    return (*before, *_expanded(host, event))


def _start_follows(host: Host, event: Event) -> bool:
    return host.prompt_may_come_first and isinstance(event, UserPromptSubmit)


def _expanded(host: Host, event: Event) -> tuple[Event, ...]:
    if isinstance(event, PostToolUse) and not event.success:
        same = {name: getattr(event, name) for name in ("tool", "kind", "input", "call")}
        return event, _like(event, OnError, error=event.error or "failed", **same)
    if not isinstance(event, (UserPromptSubmit, Stop, SessionStart)):  # as most
        return (event,)
    native = {row.event for row in host.moments.values()}
    if isinstance(event, UserPromptSubmit) and TurnStart not in native:
        return event, _like(event, TurnStart, prompt=event.prompt)
    if isinstance(event, Stop) and TurnEnd not in native:
        return _like(event, TurnEnd, again=event.again, last_text=event.last_text), event
    if isinstance(event, SessionStart) and event.source == "compact" and PostCompact not in native:
        return _like(event, PostCompact), event
    return (event,)


def _like(event: Event, into: type[_Event], **values: Any) -> _Event:
    common = {f.name: getattr(event, f.name) for f in fields(Event)}
    return into(**common, **values)


DERIVED: Mapping[type[Event], frozenset[type[Event]]] = {
    OnError: frozenset({PostToolUse}),
    TurnStart: frozenset({UserPromptSubmit}),
    TurnEnd: frozenset({Stop}),
    PostCompact: frozenset({SessionStart}),
    OnBudgetExceeded: frozenset(EVENTS.values()),
    SessionStart: frozenset(EVENTS.values()),
}
"""What can be concluded from what."""


def coverage(host: Host, event: type[Event]) -> str:
    """How *event* is to be had on *host*: native, derived or none."""
    native = {row.event for row in host.moments.values()}
    if event in native:
        return "native"
    return "derived" if DERIVED.get(event, frozenset()) & native else "none"


def abilities(host: Host, event: type[Event]) -> frozenset[Can]:
    """What an answer can do at *event* on *host*, derived events through the moments they come with."""
    native = frozenset(row.event for row in host.moments.values())
    sources = DERIVED.get(event, frozenset()) if _derives(host, event, native) else frozenset()
    rows = [row for row in host.moments.values() if row.event is event or row.event in sources]
    return frozenset().union(*(row.can for row in rows)) & event.may if rows else frozenset()


def _derives(host: Host, event: type[Event], native: frozenset[type[Event]]) -> bool:
    """A host may tell of some errors itself, and we still conclude those of its tools."""
    return event not in native or event is OnError
