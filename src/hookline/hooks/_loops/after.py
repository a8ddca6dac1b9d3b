"""Look back once a tool has run: what it was is kept, and a loop is told to the agent."""

from __future__ import annotations

from hookline.events import PostToolUse
from hookline.failures import digest
from hookline.hooks._loops import kinds
from hookline.hooks._loops.calls import CHANGING, KEPT, Seen, call_of, read, result_of, waits, written
from hookline.response import Response, inject, remember, warn
from hookline.state import State

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
    if kinds.repeated(calls, times, seconds):
        return _told("repeated-failure", state, [seen]).plus(kept)
    if kinds.alternating(calls, times, seconds):
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
    if not kinds.returned(states, times):
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
