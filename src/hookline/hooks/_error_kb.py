"""Learn from tool results: record failures, the commands tried against them, and the fixes that helped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from hookline.core.command_name import SHELLS, find_command, is_read_only, name_call
from hookline.core.confidence import FIX_FAILED, FIX_FOUND, FIX_HELPED
from hookline.core.error_signature import Failure, classify, find_failure, normalize_command
from hookline.core.events import OnError, PostToolUse, PreToolUse
from hookline.core.records import KnownError
from hookline.core.response import ErrorSeen, Response, effect, inject, remember
from hookline.core.state import State
from hookline.core.untrusted_text import LABEL, to_line

MAX_QUOTE = 160
"""Characters of a stored text that are shown."""
MIN_SEEN = 2
"""Number of times an error was seen before its lack of a known fix is worth a message."""


def format_warning(error: KnownError) -> str:
    times = "once" if error.seen == 1 else f"{error.seen} times"
    text = to_line(error.text, MAX_QUOTE).rstrip(".")
    return (
        f"▲ KNOWN FAILURE: `{to_line(error.command, MAX_QUOTE)}` failed {times}. "
        f"Its output was {LABEL}: “{text}”. "
        f"Known fix, from an earlier session: `{to_line(error.fix, MAX_QUOTE)}`. "
        f"If it still applies, run it first. [{error.key}]"
    )


def format_advice(category: str, failure: Failure, known: KnownError | None, *, confident: bool) -> str:
    """Return the advice about a failure, *known* or not; empty if there is none."""
    if known and known.fix and confident:
        return (
            f"Known failure, seen {known.seen + 1} times. Known fix, from an earlier session: "
            f"`{to_line(known.fix, MAX_QUOTE)}`. If it still applies, run it, then the command again. "
            f"[{failure.key}]"
        )
    if category == "novel":
        return _format_novel(failure, known)
    return f"{_ADVICE[category]} [{failure.key}]"


def _format_novel(failure: Failure, known: KnownError | None) -> str:
    if known is None or known.seen < MIN_SEEN:
        return ""
    return (
        f"This failed the same way {known.seen + 1} times, and no fix is known. Do not run it again "
        f"unchanged: find the cause, or try another approach. [{failure.key}]"
    )


_ADVICE = {
    "retry": "This looks transient. Run it once more as is. If it fails again, wait or do something else.",
    "wait": "The service is busy. Wait at least 30 seconds before you run it again, and longer each time.",
    "environmental": (
        "Do not retry. The cause is the environment, such as a missing program, permission, service, login "
        "or disk space. Fix that first, or ask the user."
    ),
}


WARNED_NOTE = "error-kb.warned"
"""Name of the note that lists the errors that the agent was warned of, or recovered from, in this session."""
MAX_WARNED = 50


def warn_of_known(event: PreToolUse, state: State, known: list[KnownError]) -> Response | None:
    """Return a warning about the first of the *known* errors that concerns this command line."""
    line = normalize_command(event.command or "")
    warned = list(state.memory.get(WARNED_NOTE) or ())
    for error in known:
        if error.key not in warned and _starts_command(error.command, line):
            response = inject(format_warning(error), rule="known-failure")
            return response.plus(remember(**{WARNED_NOTE: [*warned, error.key][-MAX_WARNED:]}))
    return None


def _starts_command(command: str, line: str) -> bool:
    """Return whether *command* begins the line, or one of the commands in it."""
    at = line.find(command)
    while at >= 0:
        whole = line[at + len(command) : at + len(command) + 1] in ("", " ", ";", "&", "|", ")")
        if whole and (at == 0 or line[:at].rstrip()[-1:] in ("&", ";", "|", "(")):
            return True
        at = line.find(command, at + 1)
    return False


class Limits(NamedTuple):
    """Settings: the minimum confidence, and two durations in seconds."""

    confident: float
    within: float
    quiet: float


PENDING_NOTE, ADVISED_NOTE = "error-kb.pending", "error-kb.told"
"""Names of the notes of failures without a fix so far, and of the time of the last advice about each."""
MAX_PENDING, MAX_STEPS = 5, 3
"""Failures that are followed at the same time, and commands that make up a fix."""
MIN_KEPT_CONFIDENCE = 0.3
"""Confidence below which another fix replaces the known one."""
_EDIT_KINDS = ("edit", "write")


def record_failure(event: PostToolUse, state: State, limits: Limits) -> Response | None:
    """Record a failure, and track the commands that follow it.

    If the host's error message is uninformative, such as `exit code 1`, the advice is given here, because the
    `OnError` event that follows has only that message.
    """
    found = _find_failure(event, state, f"{event.error}\n{_flatten(event.output)}")
    if found is None:
        return None
    response = Response() if _find_failure(event, state, event.error) else _advise(found, state, limits)
    command, all_pending = normalize_command(event.command or ""), _find_pending(state, limits.within)
    previous = next((pending for pending in all_pending if pending["command"] == command), None)
    gain = (
        FIX_FAILED if previous and previous["key"] == found.key and _tried_known_fix(previous, state) else 0.0
    )
    response = response.plus(effect(ErrorSeen(key=found.key, text=found.line, command=command, gain=gain)))
    if event.kind not in SHELLS:
        return response
    fresh = {"key": found.key, "command": command, "at": state.now, "ran": [], "edited": False}
    rest = [pending for pending in all_pending if pending is not previous]
    return response.plus(remember(**{PENDING_NOTE: [*rest, fresh][-MAX_PENDING:]}))


def _tried_known_fix(pending: Mapping[str, Any], state: State) -> bool:
    known = _find_known(state, pending["key"]) if pending["ran"] else None
    return bool(known and known.fix and known.fix in _join(pending["ran"]))


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
        return _record_recovery(
            recovered, line, state, [pending for pending in all_pending if pending is not recovered]
        )
    if event.kind in _EDIT_KINDS:
        return remember(**{PENDING_NOTE: [{**pending, "edited": True} for pending in all_pending]})
    if not line or is_read_only(event.command or ""):
        return None
    return remember(
        **{
            PENDING_NOTE: [
                {**pending, "ran": [*pending["ran"], line][-MAX_STEPS:]} for pending in all_pending
            ]
        }
    )


def _record_recovery(
    recovered: Mapping[str, Any], line: str, state: State, rest: list[Mapping[str, Any]]
) -> Response:
    prefix = line.removesuffix(recovered["command"]).rstrip("&; ")
    steps = _join([*recovered["ran"], *([prefix] if prefix else [])][-MAX_STEPS:])
    known = _find_known(state, recovered["key"])
    warned = [*(state.memory.get(WARNED_NOTE) or ()), recovered["key"]]
    response = remember(**{PENDING_NOTE: rest, WARNED_NOTE: list(dict.fromkeys(warned))[-MAX_WARNED:]})
    learnt = _learn_fix(recovered, steps, known, state.now)
    return response.plus(effect(learnt)) if learnt else response


def _learn_fix(
    recovered: Mapping[str, Any], steps: str, known: KnownError | None, now: float
) -> ErrorSeen | None:
    """Return the effect that stores the fix; None after an edit, as no command repeats the edit."""
    if known and known.fix and known.fix in steps:
        return ErrorSeen(key=recovered["key"], gain=FIX_HELPED)
    if (
        not steps
        or recovered["edited"]
        or (known and known.fix and known.confidence_at(now) >= MIN_KEPT_CONFIDENCE)
    ):
        return None
    return ErrorSeen(key=recovered["key"], fix=steps, gain=FIX_FOUND)


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
    text = format_advice(classify(found.line), found, known, confident=is_confident)
    recent = {
        key: at for key, at in (state.memory.get(ADVISED_NOTE) or {}).items() if 0 <= now - at < limits.quiet
    }
    alert = f"{found.key} {'fix' if is_confident and known and known.fix else classify(found.line)}"
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


def _join(commands: Any) -> str:
    return " && ".join(commands)


def _flatten(output: Any) -> str:
    if isinstance(output, Mapping):
        return "\n".join(map(_flatten, output.values()))
    return output if isinstance(output, str) else ""
