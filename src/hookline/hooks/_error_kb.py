"""Learn from tool results: record failures, the commands tried against them, and the fixes that helped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from hookline.core.command_name import SHELLS, base_of, command_of, only_looks
from hookline.core.confidence import FAILED, FOUND, HELPED
from hookline.core.error_signature import Failure, failure, sort, squeezed
from hookline.core.events import OnError, PostToolUse, PreToolUse
from hookline.core.records import Signature
from hookline.core.response import ErrorSeen, Response, effect, inject, remember
from hookline.core.state import State

SHORT = 160
FEW = 2
"""Times that an error was seen before it is worth a word that nobody knows what to do."""


def warning(one: Signature) -> str:
    times = "once" if one.seen == 1 else f"{one.seen} times"
    return (
        f"▲ KNOWN FAILURE: `{_cut(one.command)}` failed {times} with: {_cut(one.text).rstrip('.')}. "
        f"What helped: `{_cut(one.fix)}`. If that still holds, do it first. [{one.key}]"
    )


def advice(sort: str, found: Failure, known: Signature | None, *, confident: bool) -> str:
    """What to do about a failure that is *known* or not; empty where there is nothing to say."""
    if known and known.fix and confident:
        return (
            f"Known failure, seen {known.seen + 1} times. What helped before: `{_cut(known.fix)}`. "
            f"Do that, then run the command again. [{found.key}]"
        )
    if sort == "novel":
        return _novel(found, known)
    return f"{_ADVICE[sort]} [{found.key}]"


def _novel(found: Failure, known: Signature | None) -> str:
    if known is None or known.seen < FEW:
        return ""
    return (
        f"This failed the same way {known.seen + 1} times, and no fix is known: do not run it again "
        f"unchanged; find the cause, or take another way. [{found.key}]"
    )


_ADVICE = {
    "retry": (
        "This looks transient: run it once more as it is. If it fails again, wait, or do something else."
    ),
    "wait": "The other side is busy: wait at least 30 seconds before you run it again, and longer each time.",
    "environmental": (
        "Do not retry: this fails because of what is around the command, and will until that changes "
        "(a program, permission, service, login or space that is missing). Mend that, or ask your user."
    ),
}


def _cut(text: str) -> str:
    return text if len(text) <= SHORT else f"{text[:SHORT]}…"


WARNED = "error-kb.warned"
"""The errors that the agent was warned of, or got over, in this session."""
MOST = 50


def warned(event: PreToolUse, state: State, known: list[Signature]) -> Response | None:
    """The warning, for the first of the *known* errors that this command line is about."""
    line = squeezed(event.command or "")
    told = list(state.memory.get(WARNED) or ())
    for one in known:
        if one.key not in told and _begins(one.command, line):
            said = inject(warning(one), rule="known-failure")
            return said.plus(remember(**{WARNED: [*told, one.key][-MOST:]}))
    return None


def _begins(command: str, line: str) -> bool:
    """Whether the words that failed begin the line, or one of the commands in it."""
    at = line.find(command)
    while at >= 0:
        whole = line[at + len(command) : at + len(command) + 1] in ("", " ", ";", "&", "|", ")")
        if whole and (at == 0 or line[:at].rstrip()[-1:] in ("&", ";", "|", "(")):
            return True
        at = line.find(command, at + 1)
    return False


class Limits(NamedTuple):
    """The settings: from what confidence on, and for how many seconds."""

    confident: float
    within: float
    quiet: float


PENDING, TOLD = "error-kb.pending", "error-kb.told"
"""Failures that nothing was found against yet, and when what was last said about a failure."""
OPEN, STEPS = 5, 3
"""Failures that are followed at once, and commands that make up a fix."""
DOUBTED = 0.3
"""Confidence below which another fix takes the place of the known one."""
_CHANGING = ("edit", "write")


def failed(event: PostToolUse, state: State, limits: Limits) -> Response | None:
    """Count the failure, and follow what is done about it.

    Where the host's own word for it tells nothing, as `exit code 1`, the advice comes here: the event that
    follows has no more than that word.
    """
    found = _found(event, state, f"{event.error}\n{_text(event.output)}")
    if found is None:
        return None
    said = Response() if _found(event, state, event.error) else _advice(found, state, limits)
    command, following = squeezed(event.command or ""), _open(state, limits.within)
    before = next((one for one in following if one["command"] == command), None)
    gain = FAILED if before and before["key"] == found.key and _tried(before, state) else 0.0
    said = said.plus(effect(ErrorSeen(key=found.key, text=found.line, command=command, gain=gain)))
    if event.kind not in SHELLS:
        return said
    fresh = {"key": found.key, "command": command, "at": state.now, "ran": [], "edited": False}
    rest = [one for one in following if one is not before]
    return said.plus(remember(**{PENDING: [*rest, fresh][-OPEN:]}))


def _tried(before: Mapping[str, Any], state: State) -> bool:
    known = _known(state, before["key"]) if before["ran"] else None
    return bool(known and known.fix and known.fix in _joined(before["ran"]))


def worked(event: PostToolUse, state: State, limits: Limits) -> Response | None:
    """Whether this is what failed before, or what was done about it."""
    following = _open(state, limits.within)
    if not following:
        return remember(**{PENDING: []})
    line = squeezed(event.command or "") if event.kind in SHELLS else ""
    over = next((one for one in following if line and _same(line, one["command"])), None)
    if over is not None:
        return _mended(over, line, state, [one for one in following if one is not over])
    if event.kind in _CHANGING:
        return remember(**{PENDING: [{**one, "edited": True} for one in following]})
    if not line or only_looks(event.command or ""):
        return None
    return remember(**{PENDING: [{**one, "ran": [*one["ran"], line][-STEPS:]} for one in following]})


def _mended(over: Mapping[str, Any], line: str, state: State, rest: list[Mapping[str, Any]]) -> Response:
    ahead = line.removesuffix(over["command"]).rstrip("&; ")
    ran = _joined([*over["ran"], *([ahead] if ahead else [])][-STEPS:])
    known = _known(state, over["key"])
    warned = [*(state.memory.get(WARNED) or ()), over["key"]]
    said = remember(**{PENDING: rest, WARNED: list(dict.fromkeys(warned))[-MOST:]})
    learnt = _learnt(over, ran, known, state.now)
    return said.plus(effect(learnt)) if learnt else said


def _learnt(over: Mapping[str, Any], ran: str, known: Signature | None, now: float) -> ErrorSeen | None:
    """An edit in between is what mended it, and no command tells how to do that again."""
    if known and known.fix and known.fix in ran:
        return ErrorSeen(key=over["key"], gain=HELPED)
    if not ran or over["edited"] or (known and known.fix and known.believed(now) >= DOUBTED):
        return None
    return ErrorSeen(key=over["key"], fix=ran, gain=FOUND)


def advised(event: OnError, state: State, limits: Limits) -> Response | None:
    """What to do about a failure; what is no tool's is counted here."""
    found = _found(event, state, event.error)
    if found is None:
        return None
    said = _advice(found, state, limits)
    return said if event.tool else said.plus(effect(ErrorSeen(key=found.key, text=found.line)))


def _advice(found: Failure, state: State, limits: Limits) -> Response:
    """Nothing, where the same was said a short while ago."""
    known, now = _known(state, found.key), state.now
    sure = known is not None and known.believed(now) >= limits.confident
    text = advice(sort(found.line), found, known, confident=sure)
    told = {key: at for key, at in (state.memory.get(TOLD) or {}).items() if 0 <= now - at < limits.quiet}
    alert = f"{found.key} {'fix' if sure and known and known.fix else sort(found.line)}"
    if not text or alert in told:
        return Response()
    return inject(text, rule="advice").plus(remember(**{TOLD: {**told, alert: now}}))


def _found(event: PostToolUse | OnError, state: State, text: str) -> Failure | None:
    command = command_of(event.input)
    return failure(base_of(event.kind, event.tool, command, event.cwd, state.home), text)


def _known(state: State, key: str) -> Signature | None:
    look = state.facts.get("known_error")
    return next(iter(look(key)), None) if look else None


def _open(state: State, within: float) -> list[Mapping[str, Any]]:
    return [one for one in state.memory.get(PENDING) or () if 0 <= state.now - one["at"] <= within]


def _same(line: str, command: str) -> bool:
    return line == command or line.endswith((f"&& {command}", f"; {command}"))


def _joined(commands: Any) -> str:
    return " && ".join(commands)


def _text(output: Any) -> str:
    if isinstance(output, Mapping):
        return "\n".join(map(_text, output.values()))
    return output if isinstance(output, str) else ""
