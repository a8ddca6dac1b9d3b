"""Derived events: events that a host does not send, concluded from those that it sends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from hookline.core.events import (
    EVENTS,
    Ability,
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
from hookline.core.outcome import Outcome

_Event = TypeVar("_Event", bound=Event)

HOOK_KIND = "hook"
"""Kind of the errors of hooks, which no tool of the agent caused."""
_NONE_SPENT: Mapping[str, float] = {}


def derive(
    host: Host, event: Event, *, session_known: bool = True, spent: Mapping[str, float] = _NONE_SPENT
) -> tuple[Event, ...]:
    """Return *event* and the events derived from it, in the order in which hooks judge them.

    Set *session_known* if the session has had an event before. *spent* maps each budget that crossed a
    threshold since the last event to the percentage that is used of it.
    """
    before: list[Event] = [
        _copy_as(event, OnBudgetExceeded, threshold=budget, percent=percent)
        for budget, percent in spent.items()
    ]
    if not session_known and not isinstance(event, SessionStart) and not _start_will_follow(host, event):
        before.append(_copy_as(event, SessionStart, source="unseen"))
    return (*before, *_expand(host, event))


def derive_errors(outcome: Outcome) -> tuple[OnError, ...]:
    """Return an event per hook that failed at *outcome*; none if that is an error itself."""
    if isinstance(outcome.event, OnError):
        return ()
    failed = {step.hook: step.note for step in outcome.trail if step.action in ("failed", "timed-out")}
    return tuple(
        _copy_as(outcome.event, OnError, kind=HOOK_KIND, error=f"hook {name!r} {note}")
        for name, note in failed.items()
    )


def _start_will_follow(host: Host, event: Event) -> bool:
    return host.prompt_may_come_first and isinstance(event, UserPromptSubmit)


def _expand(host: Host, event: Event) -> tuple[Event, ...]:
    if isinstance(event, PostToolUse) and not event.success:
        same = {name: getattr(event, name) for name in ("tool", "kind", "input", "call")}
        return event, _copy_as(event, OnError, error=event.error or "failed", **same)
    if not isinstance(event, (UserPromptSubmit, Stop, SessionStart)):  # most events
        return (event,)
    native = {row.event for row in host.moments.values()}
    if isinstance(event, UserPromptSubmit) and TurnStart not in native:
        return event, _copy_as(event, TurnStart, prompt=event.prompt)
    if isinstance(event, Stop) and TurnEnd not in native:
        return _copy_as(event, TurnEnd, again=event.again, last_text=event.last_text), event
    if isinstance(event, SessionStart) and event.source == "compact" and PostCompact not in native:
        return _copy_as(event, PostCompact), event
    return (event,)


def _copy_as(event: Event, into: type[_Event], **values: Any) -> _Event:
    common = {name: getattr(event, name) for name in Event.__struct_fields__}
    return into(**common, **values)


DERIVED: Mapping[type[Event], frozenset[type[Event]]] = {
    OnError: frozenset({PostToolUse}),
    TurnStart: frozenset({UserPromptSubmit}),
    TurnEnd: frozenset({Stop}),
    PostCompact: frozenset({SessionStart}),
    OnBudgetExceeded: frozenset(EVENTS.values()),
    SessionStart: frozenset(EVENTS.values()),
}
"""Every derived event, with the events from which it is derived."""


def find_coverage(host: Host, event: type[Event]) -> str:
    """Return how *host* provides *event*: native, derived or unsupported."""
    native = {row.event for row in host.moments.values()}
    if event in native:
        return "native"
    return "derived" if DERIVED.get(event, frozenset()) & native else "unsupported"


def find_abilities(host: Host, event: type[Event]) -> frozenset[Ability]:
    """Return what a reply can do at *event* on *host*; for a derived event, at the moments of its sources."""
    native = frozenset(row.event for row in host.moments.values())
    sources = DERIVED.get(event, frozenset()) if _is_derived(host, event, native) else frozenset()
    rows = [row for row in host.moments.values() if row.event is event or row.event in sources]
    return frozenset().union(*(row.abilities for row in rows)) & event.abilities if rows else frozenset()


def _is_derived(host: Host, event: type[Event], native: frozenset[type[Event]]) -> bool:
    # A host may report some errors itself; those of its tools are still derived.
    return event not in native or event is OnError
