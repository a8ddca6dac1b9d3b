"""What is kept of a call: when it was, and hashes of what was asked, what came of it and what was there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from hookline.events import PostToolUse, PreToolUse
from hookline.failures import digest, result
from hookline.frozen import thawed

KEPT = 20
"""Calls of a session that are looked back at."""
CHANGING = ("edit", "write")
_DEEPEST = 6
_WAITS = re.compile(
    r"(?:^|[\s;&|(])(?:sleep|wait|watch|until|start-sleep)(?=[\s;&|)]|$)|--(?:wait|watch|retry)\b|\bwait-for"
    r"|\brollout status\b|\brun watch\b",
    re.IGNORECASE,
)
_POLLS = re.compile(r"output|wait|poll|status|sleep|monitor|progress", re.IGNORECASE)


class Seen(NamedTuple):
    """One call that has run."""

    at: float
    call: str
    result: str
    place: str
    """The fingerprint of the workspace; empty where nobody asked for it."""
    failed: bool
    waits: bool
    """Whether it waits for something, or asks how far it is."""
    changes: bool


def written(before: str, one: Seen) -> str:
    """*before* with *one* behind it: what is noted after every tool call must be quick to write and read."""
    flags = ("f" if one.failed else "") + ("w" if one.waits else "") + ("c" if one.changes else "")
    last = f"{one.at:.0f},{one.call},{one.result},{one.place},{flags}"
    return " ".join((*before.split()[1 - KEPT :], last))


def read(text: str) -> list[Seen]:
    """What another version noted in another way is left out."""
    rows = [one.split(",") for one in text.split() if one.count(",") == _CUTS]
    return [
        Seen(float(at), call, came, place, "f" in flags, "w" in flags, "c" in flags)
        for at, call, came, place, flags in rows
    ]


_CUTS = 4


def call_of(event: PreToolUse | PostToolUse) -> str:
    """Whose call it is, of which tool, with what."""
    who = event.subagent.id if event.subagent else ""
    asked = " ".join(event.command.split()) if event.command else json.dumps(thawed(event.input))
    return digest(who, event.tool, asked)


def result_of(event: PostToolUse) -> str:
    return result("\n".join(("" if event.success else "failed", event.error, *_texts(event.output))))


def waits(event: PostToolUse) -> bool:
    if event.command:
        return _WAITS.search(event.command[:2000]) is not None
    return event.kind in ("other", "mcp") and _POLLS.search(event.tool) is not None


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str | int | float):
        yield str(value)
    elif depth < _DEEPEST and isinstance(value, Mapping):
        for one in value.values():
            yield from _texts(one, depth + 1)
    elif depth < _DEEPEST and isinstance(value, tuple | list):
        for one in value:
            yield from _texts(one, depth + 1)
