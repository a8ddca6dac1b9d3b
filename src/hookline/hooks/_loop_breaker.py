"""Detect loops of tool calls: keep the last calls, warn the agent, stop repeated calls, and end the run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from hookline.core.error_signature import hash_parts, hash_result
from hookline.core.events import PostToolUse, PreToolUse
from hookline.core.frozen import thaw
from hookline.core.response import End, Measure, Notify, Response, block, effect, inject, remember, warn
from hookline.core.state import State

MAX_CALLS = 20
"""Tool calls of a session that are kept."""
EDIT_KINDS = ("edit", "write")
_MAX_DEPTH = 6
_WAITING_COMMAND = re.compile(
    r"(?:^|[\s;&|(])(?:sleep|wait|watch|until|start-sleep)(?=[\s;&|)]|$)|--(?:wait|watch|retry)\b|\bwait-for"
    r"|\brollout status\b|\brun watch\b",
    re.IGNORECASE,
)
_POLLING_TOOL = re.compile(r"output|wait|poll|status|sleep|monitor|progress", re.IGNORECASE)


class CallRecord(NamedTuple):
    """One finished tool call."""

    at: float
    call: str
    result: str
    place: str
    """Fingerprint of the workspace; empty if it was not needed."""
    failed: bool
    waits: bool
    """True if the call waits for something, or polls its progress."""
    changes: bool


def append_call(before: str, record: CallRecord) -> str:
    """Return the note *before* with one more call; every tool call writes it, so it must be fast."""
    flags = ("f" if record.failed else "") + ("w" if record.waits else "") + ("c" if record.changes else "")
    last = f"{record.at:.0f},{record.call},{record.result},{record.place},{flags}"
    return " ".join((*before.split()[1 - MAX_CALLS :], last))


def parse_calls(text: str) -> list[CallRecord]:
    """Return the calls in a note, without those that another version wrote in another format."""
    rows = [row.split(",") for row in text.split() if row.count(",") == _SEPARATORS]
    return [
        CallRecord(float(at), call, result, place, "f" in flags, "w" in flags, "c" in flags)
        for at, call, result, place, flags in rows
    ]


_SEPARATORS = 4


def digest_call(event: PreToolUse | PostToolUse) -> str:
    """Return a digest of the agent, the tool and its input."""
    agent = event.subagent.id if event.subagent else ""
    request = " ".join(event.command.split()) if event.command else json.dumps(thaw(event.input))
    return hash_parts(agent, event.tool, request)


def digest_result(event: PostToolUse) -> str:
    return hash_result(
        "\n".join(("" if event.success else "failed", event.error, *_iterate_texts(event.output)))
    )


def is_waiting(event: PostToolUse) -> bool:
    if event.command:
        return _WAITING_COMMAND.search(event.command[:2000]) is not None
    return event.kind in ("other", "mcp") and _POLLING_TOOL.search(event.tool) is not None


def _iterate_texts(value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str | int | float):
        yield str(value)
    elif depth < _MAX_DEPTH and isinstance(value, Mapping):
        for item in value.values():
            yield from _iterate_texts(item, depth + 1)
    elif depth < _MAX_DEPTH and isinstance(value, tuple | list):
        for item in value:
            yield from _iterate_texts(item, depth + 1)


MAX_PATIENT_REPEATS = 10
"""Repeats of a failure that are not a loop, if the agent waited before each."""


def is_repeated_failure(calls: Sequence[CallRecord], times: int, seconds: float) -> bool:
    """Return whether the newest call failed the same way so many *times* within *seconds*."""
    last = calls[-1]
    if not last.failed:
        return False
    same = [
        index
        for index, call in enumerate(calls)
        if _same_failure(call, last) and last.at - call.at <= seconds
    ]
    pairs = pairwise(same)
    hasty = 1 + sum(not _has_waiting(calls[start : end + 1]) for start, end in pairs)
    changed = any(call.changes for call in calls[same[-times] :]) if len(same) >= times else False
    return not changed and (hasty >= times or len(same) >= MAX_PATIENT_REPEATS)


def score_repetition(calls: Sequence[CallRecord], times: int, seconds: float) -> float:
    """Return 0 for a new call, up to 1 for one that had the same result *times* times within *seconds*."""
    last = calls[-1]
    same = [
        call
        for call in calls[:-1]
        if (call.call, call.result) == (last.call, last.result) and last.at - call.at <= seconds
    ]
    return min(len(same) / max(times - 1, 1), 1.0)


def _same_failure(call: CallRecord, last: CallRecord) -> bool:
    return call.failed and (call.call, call.result, call.place) == (last.call, last.result, last.place)


def _has_waiting(between: Sequence[CallRecord]) -> bool:
    return any(call.waits for call in between)


def is_alternating(calls: Sequence[CallRecord], times: int, seconds: float) -> bool:
    """Return whether two calls alternated so many *times* without any new result."""
    turns = calls[-2 * times :]
    ours, others = turns[1::2], turns[::2]
    if len(turns) < 2 * times or turns[-1].at - turns[0].at > seconds or _has_waiting(turns):
        return False
    if ours[0].call == others[0].call or any(call.changes for call in turns):
        return False
    places = {call.place for call in turns if call.place}
    return len({(call.call, call.result) for call in ours}) == 1 == len(
        {(call.call, call.result) for call in others}
    ) and (len(places) <= 1)


def is_back_and_forth(states: Sequence[str], times: int) -> bool:
    """Return whether a file was restored so many *times* to an earlier content."""
    restored = sum(state in states[:index] for index, state in enumerate(states))
    return restored >= times - 1 and states[-1] in states[:-1]


CALLS_NOTE, STOPPED_NOTE, FILES_NOTE, RELIEF_NOTE = (
    f"loop-breaker.{what}" for what in ("calls", "stopped", "files", "relief")
)
MAX_FILE_STATES, MAX_FILES = 8, 12
MIN_RELIEF = 0.10
"""Share of the used tokens that a compaction must free to count as helpful."""


def check_call(event: PostToolUse, state: State, times: int, seconds: float) -> Response:
    """Record this call, and warn the agent if it is part of a loop."""
    note = state.memory.get(CALLS_NOTE) or ""
    before = parse_calls(note)
    record = _record_call(event, state, before)
    calls = [*before, record][-MAX_CALLS:]
    score = effect(Measure(name="loop.score", value=score_repetition(calls, times, seconds)))
    kept = remember(**{CALLS_NOTE: append_call(note, record)}).plus(score)
    if is_repeated_failure(calls, times, seconds):
        return _warn_of_loop("repeated-failure", state, [record]).plus(kept)
    if is_alternating(calls, times, seconds):
        return _warn_of_loop("alternating", state, calls[-2:]).plus(kept)
    return _check_edit(event, state, calls, times).plus(kept) if record.changes else kept


def _record_call(event: PostToolUse, state: State, before: list[CallRecord]) -> CallRecord:
    """Read the workspace's fingerprint only if the verdict may depend on it."""
    call, result = digest_call(event), digest_result(event)
    is_repeat = any(previous.call == call and previous.result == result for previous in before)
    place = str(state.facts.get("workspace", "")) if is_repeat or not event.success else ""
    changes = event.success and event.kind in EDIT_KINDS
    return CallRecord(state.now, call, result, place, not event.success, is_waiting(event), changes)


def _check_edit(event: PostToolUse, state: State, calls: list[CallRecord], times: int) -> Response:
    content = state.facts.get("hash_file")
    now = content(event.path) if content and event.path else ""
    if not now:
        return Response()
    files = dict(state.memory.get(FILES_NOTE) or {})
    name = hash_parts(event.path or "")
    states = [*files.pop(name, ()), now][-MAX_FILE_STATES:]
    files = {**dict(list(files.items())[-MAX_FILES:]), name: states}
    kept = remember(**{FILES_NOTE: files})
    if not is_back_and_forth(states, times):
        return kept
    edits = [call for call in calls if call.changes][-2:]
    files[name] = []
    return _warn_of_loop("back-and-forth", state, edits).plus(remember(**{FILES_NOTE: files}))


def _warn_of_loop(rule: str, state: State, calls: list[CallRecord]) -> Response:
    """Warn the agent (level 1); from now on the same call is stopped before it runs."""
    stopped = dict(state.memory.get(STOPPED_NOTE) or {})
    place = str(state.facts.get("workspace", ""))
    for call in calls:
        stopped[call.call] = [rule, state.now, place, 0]
    return inject(_WARNINGS[rule], rule=rule).plus(remember(**{STOPPED_NOTE: stopped}))


_WARNINGS = {
    "repeated-failure": (
        "▲ LOOP: this call failed the same way three times, and nothing in the workspace changed in "
        "between. It is blocked if you run it again. Find the cause, change something, or try another "
        "approach."
    ),
    "alternating": (
        "▲ LOOP: these two calls alternated three times without a new result. They are blocked until "
        "something changes. Look elsewhere, or act on what you know."
    ),
    "back-and-forth": (
        "▲ LOOP: this file was edited back and forth. The same edits are blocked from now on. Decide by "
        "evidence which version is right, or find out why neither is."
    ),
}


def check_relief(state: State, times: int) -> Response | None:
    """Check whether the last compaction freed tokens, once the host reports the usage."""
    note = state.memory.get(RELIEF_NOTE) or {}
    before, used = note.get("before"), state.usage.used
    if not before or used is None:
        return None
    failures = note.get("poor", 0) + 1 if (before - used) / before < MIN_RELIEF else 0
    kept = remember(**{RELIEF_NOTE: {"poor": 0 if failures >= times else failures}})
    if failures < times:
        return kept
    message = (
        f"▲ LOOP: {failures} compactions in a row freed less than 10 % of the context. Finish and commit the "
    )
    rest = "current step, report what is left to do, and let a new session continue."
    response = inject(message + rest, rule="no-relief")
    return response.plus(kept).plus(warn("compaction no longer helps this session; start a new one"))


ENDED_NOTE = "loop-breaker.ended"
MAX_TRIES = 3
"""Times that a call is stopped before the run is ended."""
MAX_STOP_SECONDS = 600.0
"""Seconds for which all calls are stopped, unless a person writes first."""
_ENDED_MESSAGE = (
    "▲▲▲ LOOP: this run repeats itself without progress, and every further tool call is blocked. Do not call "
    "tools. Report what was tried, what is known and what is left to do, and end your turn. A person or a "
    "new session can then continue."
)
_USER_NOTICE = (
    "an agent repeats itself without progress; its tool calls are blocked until you send a prompt, or start "
    "a new session"
)


def stop_call(event: PreToolUse, state: State, seconds: float) -> Response | None:
    """Stop a call of a loop while nothing has changed (level 2), or every call (level 3)."""
    ended = state.memory.get(ENDED_NOTE)
    if ended and 0 <= state.now - ended["at"] < MAX_STOP_SECONDS and ended["turn"] == event.turn:
        return block(_ENDED_MESSAGE, rule="ended").plus(effect(End(reason=_USER_NOTICE)))
    stopped = state.memory.get(STOPPED_NOTE) or {}
    entry = stopped.get(digest_call(event)) if stopped else None
    if not entry:
        return None
    rule, at, place, tries = entry
    if not 0 <= state.now - at <= seconds or place != str(state.facts.get("workspace", "")):
        return None
    return _refuse(event, state, rule, [rule, at, place, tries + 1])


def _refuse(event: PreToolUse, state: State, rule: str, entry: list[object]) -> Response:
    tries = int(str(entry[-1]))
    kept = remember(**{STOPPED_NOTE: {**(state.memory.get(STOPPED_NOTE) or {}), digest_call(event): entry}})
    if tries < MAX_TRIES:
        message = "This call was part of a loop, and nothing has changed since, so it is blocked. Find the "
        return block(
            message + "cause, change something, try another approach, or ask the user.", rule=rule
        ).plus(kept)
    ended = remember(**{ENDED_NOTE: {"at": state.now, "turn": event.turn}})
    notice = effect(Notify(title="hookline: loop", text=_USER_NOTICE), End(reason=_USER_NOTICE)).plus(
        warn(_USER_NOTICE)
    )
    return block(_ENDED_MESSAGE, rule="ended").plus(kept).plus(ended).plus(notice)
