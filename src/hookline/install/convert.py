"""A hook that was written for one host as a declaration of ours that runs it under another.

What is lost on the way is said: certainly lost, or only where the hook does what the other host cannot.
"""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from hookline.core.derive import abilities, coverage
from hookline.core.events import ALL, ALLOW, ASK, BLOCK, INJECT, MODIFY, Can, Event, OnError
from hookline.core.frozen import NOTHING, Frozen
from hookline.core.host import Host, Moment
from hookline.core.install_table import Listed, Written
from hookline.install.convert_matcher import Untranslatable, translated
from hookline.policy.entries import LONGEST_TIMEOUT

How = Literal["whole", "partly", "native", "not"]


class Ported(Struct, frozen=True, kw_only=True):
    """What becomes of one hook."""

    moment: str
    written: Written
    event: str = ""
    """The event of ours that it listens for; empty where it does not carry over."""
    entry: Mapping[str, Any] = NOTHING
    """What stands in hooks.json for it."""
    why: tuple[str, ...] = ()
    """What is lost; why nothing of it carries over, where nothing does."""
    limits: tuple[str, ...] = ()
    """What it cannot do there, if it does it at all."""

    native: bool = False
    """Whether the other host runs it by itself, from where it stands."""

    @property
    def how(self) -> How:
        if not self.event:
            return "native" if self.native else "not"
        return "partly" if self.why else "whole"


def port(source: Host, target: Host, moment: str, written: Written, payload: str) -> Ported:
    """*written* for a *moment* of *source*, to run under *target* and be told in the words of *payload*."""
    row = source.moments.get(moment)
    refused = written.refused or _unheard(moment, row, target)
    if refused or row is None:
        return Ported(moment=moment, written=written, why=(refused,))
    try:
        match, lost = translated(written.match, source, target, row)
    except Untranslatable as error:
        return Ported(moment=moment, written=written, why=(str(error),))
    waits = _waits(target, row.event)
    entry = {
        "command": list(written.command) if isinstance(written.command, tuple) else written.command,
        "payload": payload,
        **({"moment": moment} if _ambiguous(source, row.event) else {}),
        **({"match": match} if match else {}),
        "timeout": _plain(min(written.seconds or LONGEST_TIMEOUT, LONGEST_TIMEOUT, waits)),
        **written.more,
        "hosts": [target.name],
    }
    late = written.seconds is not None and written.seconds > waits
    short = (f"has {waits:g} s: {target.name} waits no longer there",) if late else ()
    return Ported(
        moment=moment,
        written=written,
        event=row.event.__name__,
        entry=Frozen(entry),
        why=(*written.lost, *lost, *short, *_told_apart(target, row.event)),
        limits=(*_shorter(source, row, written, entry["timeout"]), *_limits(source, target, row.event)),
    )


def _shorter(source: Host, row: Moment, written: Written, seconds: float) -> tuple[str, ...]:
    """What an entry does not say about its time, its own host says for it."""
    way = source.wiring.way if source.wiring else None
    usual = way.usual if isinstance(way, Listed) and row.within is None else 0.0
    if written.seconds is not None or usual <= seconds:
        return ()
    return (f"where it needs more than {seconds:g} s, it is ended: {source.name} gives it {usual:g} s",)


def _unheard(moment: str, row: Moment | None, target: Host) -> str:
    if row is None:
        return f"listens for {moment!r}, which is no event of ours"
    if coverage(target, row.event) == "none":
        return f"listens for {moment!r}, and {target.name} tells of no {row.event.__name__}"
    return ""


def _ambiguous(source: Host, event: type[Event]) -> bool:
    """Whether the source tells of more than one thing that is the same event to us."""
    return event is OnError or sum(row.event is event for row in source.moments.values()) > 1


def _waits(target: Host, event: type[Event]) -> float:
    given = [row.within or target.within for row in target.moments.values() if row.event is event]
    return min(max(given, default=target.within), target.within)


def _plain(seconds: float) -> float:
    return int(seconds) if seconds == int(seconds) else seconds


def _told_apart(target: Host, event: type[Event]) -> tuple[str, ...]:
    """Where the other host tells of that event only in some of its forms."""
    rows = [row for row in target.moments.values() if row.event is event]
    forms = [text for row in rows for text in (row.given.get("kind"), row.given.get("source")) if text]
    if not rows or len(forms) < len(rows):
        return ()
    return (f"{target.name} tells of a {event.__name__} only as: {', '.join(forms)}",)


WORDS: Mapping[Can, str] = {
    ASK: "where it asks, {host} cannot: {instead}",
    ALLOW: "where it allows, {host} goes on as it would without",
    MODIFY: "where it changes something, {host} cannot: {instead}",
    INJECT: "where it gives context, the agent reads it at the next moment that takes any",
    BLOCK: "where it blocks, {host} goes on: {instead}",
}


def _limits(source: Host, target: Host, event: type[Event]) -> list[str]:
    able = abilities(target, event)
    stops = BLOCK in able and event.prevents
    instead = {
        ASK: "it is stopped" if stops else "you are told",
        MODIFY: "it is stopped" if stops else "it stays as it was, and you are told",
        BLOCK: "the agent is told why" if INJECT in able else "you are told",
    }
    missing = [can for can in ALL if can in abilities(source, event) and can not in able]
    return [WORDS[can].format(host=target.name, instead=instead.get(can, "")) for can in missing]
