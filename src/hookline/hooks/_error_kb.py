"""Learn from tool results: record failures, the step taken against each, and the fixes that helped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from hookline.core.command_kind import classify_command
from hookline.core.command_name import SHELLS, find_command, name_call
from hookline.core.confidence import FIX_FAILED, FIX_FOUND, FIX_HELPED
from hookline.core.error_signature import Failure, classify, find_failure, normalize_command, score_line
from hookline.core.events import OnError, PostToolUse
from hookline.core.records import KnownError
from hookline.core.response import ErrorSeen, Response, effect, inject, remember
from hookline.core.state import State
from hookline.core.untrusted_text import LABEL, to_line
from hookline.hooks._harmless_fix import is_possible_fix
from hookline.lazy import re
from hookline.shell import read
from hookline.shell.options import word_set

MAX_QUOTE = 160
"""Characters of a stored text that are shown."""
PENDING_NOTE, ADVISED_NOTE = "error-kb.pending", "error-kb.told"
"""Names of the notes of failures without a fix so far, and of the time of the last advice about each."""
MAX_PENDING = 5
"""Failures that are followed at the same time."""
_EDIT_KINDS = ("edit", "write")
_MIN_PIPED_SCORE = 5
"""Score of an output line that shows a failure although the last program of the pipe succeeded."""
_FAILED_LINE = re.compile(
    r"\b[1-9]\d* (?:failed|failing|failures?|errors?)\b|^\W*(?:FAIL(?:ED|URES?)?\b|ERRORS!)"
    r"|^\W*Tests\b.{0,80}\b(?:Failures|Errors|Failed): *[1-9]|\bBUILD FAIL(?:ED|URE)\b"
    r"|^Traceback|^\[ERROR\]|^(?:error|fatal|ERROR)\b[:\[]|: \*\*\* \["
)
"""A line that reports a failure of the program before the filters."""
_PASSING_FILTERS = word_set("tail head grep egrep tee cat less more sed awk cut sort uniq")
_ASSERTION = re.compile(
    r"\bassert|AssertionError|^E? *expect|Expected .{0,80}(?:received|but|to)", re.IGNORECASE
)
"""Failures of a test's own expectation, which no command repairs."""


class Limits(NamedTuple):
    """Settings: the minimum confidence, and two durations in seconds."""

    confident: float
    within: float
    quiet: float


def format_advice(category: str, failure: Failure, known: KnownError | None, *, confident: bool) -> str:
    """Return the advice about a failure, *known* or not; empty if there is none."""
    if known and known.fix and confident:
        return (
            f"Known failure, seen {known.seen + 1} times; its error was {LABEL}: "
            f"“{to_line(failure.line, MAX_QUOTE)}”. In an earlier session the command passed after "
            f"`{to_line(known.fix, MAX_QUOTE)}`. [{failure.key}]"
        )
    return f"{_ADVICE[category]} [{failure.key}]" if category in _ADVICE else ""


_ADVICE = {
    "retry": "This looks transient. Run it once more as is. If it fails again, wait or do something else.",
    "wait": "The service is busy. Wait at least 30 seconds before you run it again, and longer each time.",
    "environmental": (
        "The cause looks like the environment, such as a missing program, permission, service, login or"
        " disk "
        "space. Repair that first, or ask the user."
    ),
}


def has_failed(event: PostToolUse) -> bool:
    """Return whether the call failed; a failure may be hidden by a filter at the end of a pipe."""
    if not event.success:
        return True
    command = event.command or ""
    if event.kind not in SHELLS or "|" not in command:
        return False
    commands = read(command, shell=SHELLS[event.kind]).commands
    filtered = len(commands) > 1 and commands[-1].name in _PASSING_FILTERS
    lines = _flatten(event.output).splitlines()
    return filtered and any(
        _FAILED_LINE.search(line) or score_line(line) >= _MIN_PIPED_SCORE for line in lines
    )


def record_failure(event: PostToolUse, state: State, limits: Limits) -> Response | None:
    """Record a failure, and follow the steps after it.

    If the host's error message is uninformative, such as `exit code 1`, the advice is given here, because the
    `OnError` event that follows has only that message.
    """
    found = _find_failure(event, state, f"{event.error}\n{_flatten(event.output)}")
    if found is None:
        return None
    informative = not event.success and _find_failure(event, state, event.error)
    response = Response() if informative else _advise(found, state, limits)
    command, all_pending = normalize_command(event.command or ""), _find_pending(state, limits.within)
    previous = next((pending for pending in all_pending if pending["command"] == command), None)
    same = previous is not None and previous["key"] == found.key
    gain = FIX_FAILED if previous and same and _tried_known_fix(previous, state) else 0.0
    response = response.plus(effect(ErrorSeen(key=found.key, text=found.line, command=command, gain=gain)))
    if event.kind not in SHELLS:
        return response
    checks = classify_command(event.command or "", SHELLS[event.kind]) == "check"
    others = [
        pending if checks else {**pending, "unclear": True}
        for pending in all_pending
        if pending is not previous
    ]
    fresh = {
        "key": found.key,
        "command": command,
        "at": state.now,
        "ran": [],
        "unclear": bool(previous and previous["unclear"]),
    }
    return response.plus(remember(**{PENDING_NOTE: [*others, fresh][-MAX_PENDING:]}))


def _tried_known_fix(pending: Mapping[str, Any], state: State) -> bool:
    known = _find_known(state, pending["key"]) if pending["ran"] else None
    return bool(known and known.fix and known.fix in pending["ran"])


def record_success(event: PostToolUse, state: State, limits: Limits) -> Response | None:
    """Follow a successful call: a rerun of a failed command, or a step towards its fix."""
    all_pending = _find_pending(state, limits.within)
    if not all_pending:
        return remember(**{PENDING_NOTE: []})
    line = normalize_command(event.command or "") if event.kind in SHELLS else ""
    recovered = next(
        (pending for pending in all_pending if line and _is_rerun(line, pending["command"])), None
    )
    if recovered is not None:
        rest = [pending for pending in all_pending if pending is not recovered]
        return _record_recovery(recovered, line, state, rest)
    if event.kind in _EDIT_KINDS:
        return remember(**{PENDING_NOTE: [{**pending, "unclear": True} for pending in all_pending]})
    if not line or classify_command(event.command or "", SHELLS[event.kind]) != "change":
        return None
    return remember(
        **{PENDING_NOTE: [{**pending, "ran": [*pending["ran"], line][-3:]} for pending in all_pending]}
    )


def _record_recovery(
    recovered: Mapping[str, Any], line: str, state: State, rest: list[Mapping[str, Any]]
) -> Response:
    prefix = line.removesuffix(recovered["command"]).rstrip("&; ")
    steps = [*recovered["ran"], *([prefix] if prefix else [])]
    learnt = _learn_fix(recovered, steps, _find_known(state, recovered["key"]))
    response = remember(**{PENDING_NOTE: rest})
    return response.plus(effect(learnt)) if learnt else response


def _learn_fix(recovered: Mapping[str, Any], steps: list[str], known: KnownError | None) -> ErrorSeen | None:
    """Return the effect that stores what a recovery shows: a fix, that it helped, or was not needed."""
    key = recovered["key"]
    if known and known.fix:
        if known.fix in steps:
            return ErrorSeen(key=key, gain=FIX_HELPED)
        return ErrorSeen(key=key, gain=FIX_FAILED)
    if len(steps) != 1 or recovered["unclear"] or not is_possible_fix(steps[0], recovered["command"]):
        return None
    return ErrorSeen(key=key, fix=steps[0], gain=FIX_FOUND)


def advise(event: OnError, state: State, limits: Limits) -> Response | None:
    """Advise on a failure, and record it unless a tool call caused it."""
    found = _find_failure(event, state, event.error)
    if found is None:
        return None
    response = _advise(found, state, limits)
    return response if event.tool else response.plus(effect(ErrorSeen(key=found.key, text=found.line)))


def _advise(found: Failure, state: State, limits: Limits) -> Response:
    """Return the advice, unless the same was given a short while ago."""
    known, now = _find_known(state, found.key), state.now
    is_confident = known is not None and known.confidence_at(now) >= limits.confident
    category = "novel" if _ASSERTION.search(found.line) else classify(found.line)
    text = format_advice(category, found, known, confident=is_confident)
    recent = {
        key: at for key, at in (state.memory.get(ADVISED_NOTE) or {}).items() if 0 <= now - at < limits.quiet
    }
    alert = f"{found.key} {'fix' if is_confident and known and known.fix else category}"
    if not text or alert in recent:
        return Response()
    return inject(text, rule="advice").plus(remember(**{ADVISED_NOTE: {**recent, alert: now}}))


def _find_failure(event: PostToolUse | OnError, state: State, text: str) -> Failure | None:
    command = find_command(event.input)
    return find_failure(name_call(event.kind, event.tool, command, event.cwd, state.home), text)


def _find_known(state: State, key: str) -> KnownError | None:
    find = state.facts.get("known_error")
    return next(iter(find(key)), None) if find else None


def _find_pending(state: State, within: float) -> list[Mapping[str, Any]]:
    return [
        pending
        for pending in state.memory.get(PENDING_NOTE) or ()
        if 0 <= state.now - pending["at"] <= within
    ]


def _is_rerun(line: str, command: str) -> bool:
    return line == command or line.endswith((f"&& {command}", f"; {command}"))


def _flatten(output: Any) -> str:
    if isinstance(output, Mapping):
        return "\n".join(map(_flatten, output.values()))
    return output if isinstance(output, str) else ""
