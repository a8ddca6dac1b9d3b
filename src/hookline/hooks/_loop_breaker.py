"""Detect loops of tool calls: keep the last calls, inform the agent, stop repeated calls, and end the run."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from hookline.core.command_name import name_call
from hookline.core.error_signature import hash_parts
from hookline.core.events import PostToolUse, PreToolUse
from hookline.core.response import End, Measure, Notify, Response, block, effect, inject, remember, warn
from hookline.core.state import State
from hookline.hooks._loop_calls import (
    EDIT_KINDS,
    MAX_CALLS,
    CallRecord,
    append_call,
    digest_call,
    parse_calls,
    record_call,
)

_WEIGHT, _PATIENT_WEIGHT, _SLOW_POLL_WEIGHT = 10, 3, 1
"""Weights of a repeated failure, of one that was waited for, and of a question for a state now and then."""
_HEALTH_PAUSE, _POLL_PAUSE, _SLOW_POLL_PAUSE, _RETRY_PAUSE = 1.0, 3.0, 15.0, 540.0
"""Seconds that count as waiting: before a question for the state of a service, for another state, before a
slow one, and before another try."""
_MORE_READS = 2
"""Repeats of a read that are allowed beyond those of a failure: agents look at a file more than once."""
_MAX_PERIOD = 6
"""Longest cycle of calls that is detected."""


def find_repetition(calls: Sequence[CallRecord], times: int, seconds: float) -> str:
    """Return the rule that the newest of *calls* breaks, or an empty string."""
    last = calls[-1]
    recent = [call for call in calls if last.at - call.at <= seconds]
    if last.failed and _weigh_failures(recent) >= times * _WEIGHT:
        return "repeated-failure"
    if last.reads and not last.failed and not last.waits and _count_reads(recent) >= times + _MORE_READS:
        return "repeated-read"
    return "alternating" if _is_cycle(recent, times) else ""


def _weigh_failures(calls: Sequence[CallRecord]) -> int:
    """Return the weight of the repeats of the newest failure, without a success or a change in between."""
    last, weight = calls[-1], 0
    for index in range(len(calls) - 1, -1, -1):
        call = calls[index]
        if call.family != last.family:
            if call.changes:
                break
            continue
        if not call.failed or call.result != last.result or call.place != last.place:
            break
        weight += _weigh(call, calls[index - 1] if index else None)
    return weight


def _weigh(call: CallRecord, before: CallRecord | None) -> int:
    pause = call.at - before.at if before else 0.0
    if call.polls and pause >= _SLOW_POLL_PAUSE:
        return _SLOW_POLL_WEIGHT
    return _PATIENT_WEIGHT if _is_patient(call, before, pause) else _WEIGHT


def _is_patient(call: CallRecord, before: CallRecord | None, pause: float) -> bool:
    """Return whether the agent waited before or during *call*."""
    return (
        call.waits
        or (before is not None and before.waits)
        or (call.polls and pause > _POLL_PAUSE)
        or (call.asks_health and (before is None or pause > _HEALTH_PAUSE))
        or (call.tries and pause > _RETRY_PAUSE)
    )


def _count_reads(calls: Sequence[CallRecord]) -> int:
    count = 0
    for call in reversed(calls):
        if call.changes:
            break
        count += (call.call, call.result) == (calls[-1].call, calls[-1].result)
    return count


def _is_cycle(calls: Sequence[CallRecord], times: int) -> bool:
    """Return whether the same calls with the same results were made so many *times* in the same order."""
    for period in range(2, _MAX_PERIOD + 1):
        turns = [(call.family, call.result) for call in calls[-period * times :]]
        # One command with changing results is a measurement.
        families = {family for family, _ in turns}
        if len(turns) == period * times and len(families) > 1 and turns == turns[:period] * times:
            cycle = calls[-period:]
            changes = {call.call for call in cycle if call.changes}
            idle = any(call.waits or call.polls for call in cycle)
            # One change that is proved each time is a retry; two changes undo each other.
            return not idle and len(changes) != 1 and not is_measured(calls[-period * times :], times)
    return False


def is_measured(calls: Sequence[CallRecord], times: int) -> bool:
    """Return whether a run lies between any two of the last edits in *calls*, and every run succeeded."""
    edits = [number for number, call in enumerate(calls) if call.edits][-times - 1 :]
    runs = [number for number, call in enumerate(calls) if not call.edits and not call.reads]
    proved = all(any(one < run < other for run in runs) for one, other in pairwise(edits))
    return len(edits) > 1 and proved and not any(calls[run].failed for run in runs if run > edits[0])


def score_repetition(calls: Sequence[CallRecord], times: int, seconds: float) -> float:
    """Return 0 for a new call, up to 1 for one that had the same result *times* times within *seconds*."""
    last = calls[-1]
    same = [
        call
        for call in calls[:-1]
        if (call.call, call.result) == (last.call, last.result) and last.at - call.at <= seconds
    ]
    return min(len(same) / max(times - 1, 1), 1.0)


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
    """Record this call, and inform the agent if it is part of a loop."""
    note = state.memory.get(CALLS_NOTE) or ""
    before = parse_calls(note)
    record = record_call(event, state)
    calls = [*before, record][-MAX_CALLS:]
    score = effect(Measure(name="loop.score", value=score_repetition(calls, times, seconds)))
    kept = remember(**{CALLS_NOTE: append_call(note, record)}).plus(score)
    rule = find_repetition(calls, times, seconds)
    if rule:
        stopped = [record] if rule != "alternating" else calls[-2:]
        return _inform(rule, state, stopped, name_call(event.kind, event.tool, event.command or "")).plus(
            kept
        )
    return _check_edit(event, state, calls, times).plus(kept) if event.kind in EDIT_KINDS else kept


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
    if not is_back_and_forth(states, times) or is_measured(calls, times):
        return kept
    edits = [call for call in calls if call.edits][-2:]
    files[name] = []
    return _inform("back-and-forth", state, edits, "").plus(remember(**{FILES_NOTE: files}))


def _inform(rule: str, state: State, calls: list[CallRecord], name: str) -> Response:
    """Inform the agent (level 1); from now on the same call is stopped until something changes."""
    stopped = dict(state.memory.get(STOPPED_NOTE) or {})
    place = str(state.facts.get("workspace", ""))
    for call in calls:
        if not call.waits:
            stopped[call.call] = [rule, state.now, place, 0]
    return inject(_MESSAGES[rule].format(name=name), rule=rule).plus(remember(**{STOPPED_NOTE: stopped}))


_MESSAGES = {
    "repeated-failure": (
        "▲ LOOP: `{name}` failed with the same error at least three times, and no edit, installation, "
        "service or other change that succeeded lies in between. Exactly this call is blocked until "
        "something changes. Find the cause, or ask the user."
    ),
    "repeated-read": (
        "▲ LOOP: the same content was read again and again, and nothing has changed since the first time. "
        "Use what you have read, or look elsewhere."
    ),
    "alternating": (
        "▲ LOOP: the last calls repeat the same steps with the same results for the third time. They are "
        "blocked until something else changes. Decide by evidence, or ask the user."
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
    calls = parse_calls(state.memory.get(CALLS_NOTE) or "")
    asked = [call for call in calls if call.call == digest_call(event) and call.polls]
    changed = _may_differ(asked, state.now) or any(call.changes and call.at > at for call in calls)
    if changed or not 0 <= state.now - at <= seconds or place != str(state.facts.get("workspace", "")):
        return None
    return _refuse(event, state, rule, [rule, at, place, tries + 1])


def _may_differ(asked: Sequence[CallRecord], now: float) -> bool:
    """Return whether the last answer to a question for a state was another one, or is old."""
    return bool(asked) and (
        asked[-1].result != asked[-2:][0].result or now - asked[-1].at >= _SLOW_POLL_PAUSE
    )


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
