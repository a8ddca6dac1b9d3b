"""Claude Code's own reply language: written for the host, and read from hooks that already speak it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hookline.core import terminal as notices
from hookline.core.events import (
    ALLOW,
    Event,
    PermissionRequest,
    PostToolUse,
    PreCompact,
    PreToolUse,
    Stop,
    SubagentStop,
    TurnEnd,
)
from hookline.core.frozen import frozen
from hookline.core.host import Reply, Said
from hookline.core.kind import HookFailed
from hookline.core.response import Response, Verdict, ending

KEYS = frozenset(
    {
        "hookSpecificOutput",
        "decision",
        "continue",
        "stopReason",
        "systemMessage",
        "suppressOutput",
        "permissionDecision",
    }
)
VERDICTS: Mapping[str, Verdict] = {
    "deny": "block",
    "block": "block",
    "ask": "ask",
    "allow": "allow",
    "approve": "allow",
    "defer": "ask",
}


def encode(said: Said, *, terminal: bool = False) -> Reply:
    """With *terminal* also what the user's terminal is to show, for hosts that pass it on."""
    outcome, answer, specific = said.outcome, dict[str, "Any"](), dict[str, "Any"]()
    if isinstance(said.event, PreCompact) and outcome.context:
        return _guidance(said)
    if outcome.warnings:
        answer["systemMessage"] = "\n".join(f"hookline: {warning}" for warning in outcome.warnings)
    if outcome.context:
        specific["additionalContext"] = "\n".join(outcome.context)
    if isinstance(said.event, PreToolUse):
        specific |= _permission(said)
    elif isinstance(said.event, PermissionRequest):
        specific |= _behavior(said)
    elif outcome.blocked is not None:
        answer |= {"decision": "block", "reason": outcome.blocked}
    specific |= _output(said)
    answer |= _terminal(said) if terminal else {}
    end = ending(outcome.effects)
    answer |= {"continue": False, "stopReason": f"hookline: {end}"} if end else {}
    if specific:
        answer["hookSpecificOutput"] = {"hookEventName": said.name, **specific}
    return Reply(stdout=json.dumps(answer) if answer else "")


def _terminal(said: Said) -> dict[str, Any]:
    shown = notices.sequences(said.outcome.effects)
    return {"terminalSequence": shown} if shown else {}


def _guidance(said: Said) -> Reply:
    """For the compaction: plain text only, which must not look like JSON."""
    text = "\n".join(said.outcome.context)
    told = "".join(f"hookline: {warning}\n" for warning in said.outcome.warnings)
    return Reply(stdout=f"Guidance: {text}" if text.lstrip().startswith("{") else text, stderr=told)


def _output(said: Said) -> dict[str, Any]:
    if isinstance(said.event, PostToolUse) and said.changed is not None:
        return {"updatedToolOutput": said.changed}
    return {}


def _permission(said: Said) -> dict[str, Any]:
    words = {"block": "deny", "ask": "ask", "allow": "allow"}
    outcome, specific = said.outcome, dict[str, "Any"]()
    reason = next((r for r in (outcome.blocked, outcome.asked, outcome.allowed) if r is not None), None)
    if reason is not None:
        specific = {"permissionDecision": words[outcome.verdict], "permissionDecisionReason": reason}
    if said.changed is not None and outcome.blocked is None:
        specific["updatedInput"] = said.changed
    return specific


def _behavior(said: Said) -> dict[str, Any]:
    if said.outcome.blocked is not None:
        return {"decision": {"behavior": "deny", "message": said.outcome.blocked}}
    return {"decision": {"behavior": "allow"}} if said.outcome.allowed is not None else {}


def read(event: Event, data: Mapping[str, Any]) -> Response:
    """What the answer says; raises `HookFailed` where a field has a wrong type."""
    specific = _object(data, "hookSpecificOutput")
    response = _decision(event, data, specific).plus(_stopping(event, data))
    context, message = _text(specific, "additionalContext"), _text(data, "systemMessage")
    return response.plus(
        Response(
            context=(context,) if context else (),
            warnings=(message,) if message else (),
            changes=frozen(_changes(event, specific)),
        )
    )


def _decision(event: Event, data: Mapping[str, Any], specific: Mapping[str, Any]) -> Response:
    inner = specific.get("decision")
    if isinstance(inner, Mapping):
        return _verdict(event, _text(inner, "behavior"), _text(inner, "message")).plus(_unsaid(inner))
    reason = _text(specific, "permissionDecisionReason") or _text(data, "permissionDecisionReason")
    word = _text(specific, "permissionDecision") or _text(data, "permissionDecision")
    if word:
        return _verdict(event, word, reason or _text(data, "reason"))
    return _verdict(event, _text(data, "decision"), _text(data, "reason"))


def _verdict(event: Event, word: str, reason: str) -> Response:
    if not word:
        return Response()
    if word not in VERDICTS:
        raise HookFailed(f"answered with the decision {word[:40]!r}; there are: {', '.join(VERDICTS)}")
    if VERDICTS[word] == "allow" and ALLOW not in event.may:
        return Response()  # to approve of what nobody asked about is to have no objection
    return Response(verdict=VERDICTS[word], reason=reason)


def _unsaid(decision: Mapping[str, Any]) -> Response:
    """Wishes about a permission that no hook's answer can carry here."""
    asked = [key for key in ("interrupt", "updatedPermissions") if decision.get(key)]
    return Response(warnings=tuple(f"a hook asked for {key!r}, which is not passed on" for key in asked))


def _stopping(event: Event, data: Mapping[str, Any]) -> Response:
    """`continue: false` ends the run: where a turn ends anyway, it is no objection."""
    if data.get("continue") is not False or isinstance(event, Stop | TurnEnd | SubagentStop):
        return Response()
    reason = _text(data, "stopReason") or "a hook ended the run"
    told = "" if event.prevents else f"a hook wanted to end the run; the agent was only told: {reason}"
    return Response(verdict="block", reason=reason, warnings=(told,) if told else ())


def _changes(event: Event, specific: Mapping[str, Any]) -> dict[str, Any]:
    inner = specific.get("decision")
    if isinstance(event, PermissionRequest) and isinstance(inner, Mapping) and "updatedInput" in inner:
        return {"input": _object(inner, "updatedInput")}
    if isinstance(event, PreToolUse) and "updatedInput" in specific:
        return {"input": _object(specific, "updatedInput")}
    if isinstance(event, PostToolUse):
        for key in ("updatedToolOutput", "updatedMCPToolOutput"):
            if key in specific:
                return {"output": specific[key]}
    return {}


def _object(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = data.get(key)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise HookFailed(f"answered with {key!r} that is no object")
    return value


def _text(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise HookFailed(f"answered with {key!r} that is no text")
    return value
