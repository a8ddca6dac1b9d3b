"""Detect loops of tool calls: keep the last calls, warn the agent, stop repeated calls, and end the run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from hookline.core.error_signature import digest, result
from hookline.core.events import PostToolUse, PreToolUse
from hookline.core.frozen import thawed
from hookline.core.response import End, Notify, Response, block, effect, inject, remember, warn
from hookline.core.state import State

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


PATIENT = 10
"""Times that the same failure is no loop, if something waited in between each time."""


def repeated(calls: Sequence[Seen], times: int, seconds: float) -> bool:
    """Whether the newest call failed as it did before, so many *times* in so many *seconds*."""
    last = calls[-1]
    if not last.failed:
        return False
    same = [
        number for number, one in enumerate(calls) if _same_failure(one, last) and last.at - one.at <= seconds
    ]
    pairs = pairwise(same)
    hasty = 1 + sum(not _waited(calls[one : other + 1]) for one, other in pairs)
    changed = any(one.changes for one in calls[same[-times] :]) if len(same) >= times else False
    return not changed and (hasty >= times or len(same) >= PATIENT)


def _same_failure(one: Seen, last: Seen) -> bool:
    return one.failed and (one.call, one.result, one.place) == (last.call, last.result, last.place)


def _waited(between: Sequence[Seen]) -> bool:
    return any(one.waits for one in between)


def alternating(calls: Sequence[Seen], times: int, seconds: float) -> bool:
    """Whether two calls took turns so many *times*, and neither told anything new."""
    turns = calls[-2 * times :]
    ours, others = turns[1::2], turns[::2]
    if len(turns) < 2 * times or turns[-1].at - turns[0].at > seconds or _waited(turns):
        return False
    if ours[0].call == others[0].call or any(one.changes for one in turns):
        return False
    places = {one.place for one in turns if one.place}
    return len({(one.call, one.result) for one in ours}) == 1 == len(
        {(o.call, o.result) for o in others}
    ) and (len(places) <= 1)


def returned(states: Sequence[str], times: int) -> bool:
    """Whether a file was brought back, so many *times*, to what it had been before the last edit."""
    back = sum(state in states[:number] for number, state in enumerate(states))
    return back >= times - 1 and states[-1] in states[:-1]


CALLS, STOPPED, FILES, RELIEF = (f"loop-breaker.{what}" for what in ("calls", "stopped", "files", "relief"))
STATES, FILES_KEPT = 8, 12
LITTLE = 0.10
"""Of the tokens in use: a compaction that frees less has not helped."""


def looked(event: PostToolUse, state: State, times: int, seconds: float) -> Response:
    """What is kept of this call, and a word where it goes round in circles."""
    noted = state.memory.get(CALLS) or ""
    before = read(noted)
    seen = _seen(event, state, before)
    calls = [*before, seen][-KEPT:]
    kept = remember(**{CALLS: written(noted, seen)})
    if repeated(calls, times, seconds):
        return _told("repeated-failure", state, [seen]).plus(kept)
    if alternating(calls, times, seconds):
        return _told("alternating", state, calls[-2:]).plus(kept)
    return _edited(event, state, calls, times).plus(kept) if seen.changes else kept


def _seen(event: PostToolUse, state: State, before: list[Seen]) -> Seen:
    """The workspace is looked at only where the answer may depend on it."""
    call, came = call_of(event), result_of(event)
    known = any(one.call == call and one.result == came for one in before)
    place = str(state.facts.get("workspace", "")) if known or not event.success else ""
    changes = event.success and event.kind in CHANGING
    return Seen(state.now, call, came, place, not event.success, waits(event), changes)


def _edited(event: PostToolUse, state: State, calls: list[Seen], times: int) -> Response:
    content = state.facts.get("content")
    now = content(event.path) if content and event.path else ""
    if not now:
        return Response()
    files = dict(state.memory.get(FILES) or {})
    name = digest(event.path or "")
    states = [*files.pop(name, ()), now][-STATES:]
    files = {**dict(list(files.items())[-FILES_KEPT:]), name: states}
    kept = remember(**{FILES: files})
    if not returned(states, times):
        return kept
    edits = [one for one in calls if one.changes][-2:]
    files[name] = []
    return _told("back-and-forth", state, edits).plus(remember(**{FILES: files}))


def _told(rule: str, state: State, calls: list[Seen]) -> Response:
    """Level 1: a word to the agent. From here on the same call is stopped before it runs."""
    stopped = dict(state.memory.get(STOPPED) or {})
    place = str(state.facts.get("workspace", ""))
    for one in calls:
        stopped[one.call] = [rule, state.now, place, 0]
    return inject(_WORDS[rule], rule=rule).plus(remember(**{STOPPED: stopped}))


_WORDS = {
    "repeated-failure": (
        "▲ LOOP: this call failed the same way three times, and nothing in the workspace changed in "
        "between. Running it again will not help, and will be stopped: find the cause first, change "
        "something, or take another way."
    ),
    "alternating": (
        "▲ LOOP: these two calls took turns three times without telling anything new. They will be "
        "stopped as long as nothing changes: say what you are looking for, and look elsewhere, or act on "
        "what you know."
    ),
    "back-and-forth": (
        "▲ LOOP: this file was changed back and forth. The same edits will be stopped: decide by evidence "
        "which of the two is right, or find out why neither is."
    ),
}


def relieved(state: State, times: int) -> Response | None:
    """Whether the last compaction freed anything, as soon as the host tells what is in use now."""
    noted = state.memory.get(RELIEF) or {}
    before, used = noted.get("before"), state.usage.used
    if not before or used is None:
        return None
    poor = noted.get("poor", 0) + 1 if (before - used) / before < LITTLE else 0
    kept = remember(**{RELIEF: {"poor": 0 if poor >= times else poor}})
    if poor < times:
        return kept
    told = f"▲ LOOP: {poor} compactions in a row freed less than 10 % of the context. Finish and commit the "
    rest = "step at hand, say what is left to do, and let a fresh session go on."
    said = inject(told + rest, rule="no-relief")
    return said.plus(kept).plus(warn("compaction does not help this session any more: go on in a fresh one"))


ENDED = "loop-breaker.ended"
TRIES = 3
"""Times that a call is stopped before the run is ended."""
LONGEST = 600.0
"""Seconds that everything is stopped, if no person speaks before."""
_ENOUGH = (
    "▲▲▲ LOOP: this run goes round in circles, and every further tool call is stopped. Call no tools: say "
    "what was tried, what is known and what is left to do, and end here, so that a person or a fresh session "
    "can go on."
)
_TOLD = "an agent goes round in circles; its tool calls are stopped until you write to it, or start afresh"


def stopped(event: PreToolUse, state: State, seconds: float) -> Response | None:
    """Level 2: this call is stopped as long as nothing changed; level 3: so are all the others."""
    ended = state.memory.get(ENDED)
    if ended and 0 <= state.now - ended["at"] < LONGEST and ended["turn"] == event.turn:
        return block(_ENOUGH, rule="ended").plus(effect(End(reason=_TOLD)))
    known = state.memory.get(STOPPED) or {}
    found = known.get(call_of(event)) if known else None
    if not found:
        return None
    rule, at, place, tries = found
    if not 0 <= state.now - at <= seconds or place != str(state.facts.get("workspace", "")):
        return None
    return _refuse(event, state, rule, [rule, at, place, tries + 1])


def _refuse(event: PreToolUse, state: State, rule: str, now: list[object]) -> Response:
    tries = int(str(now[-1]))
    kept = remember(**{STOPPED: {**(state.memory.get(STOPPED) or {}), call_of(event): now}})
    if tries < TRIES:
        said = "This call was part of a loop, and nothing has changed since: it is not run again. Find the "
        return block(said + "cause, change something, take another way, or ask your user.", rule=rule).plus(
            kept
        )
    ended = remember(**{ENDED: {"at": state.now, "turn": event.turn}})
    shown = effect(Notify(title="hookline: loop", text=_TOLD), End(reason=_TOLD)).plus(warn(_TOLD))
    return block(_ENOUGH, rule="ended").plus(kept).plus(ended).plus(shown)
