"""Claude Code's payloads and replies: recognition, encoder, and reader for hooks that reply in its format."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

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
from hookline.core.frozen import freeze
from hookline.core.host import Reply, ReplyContext, tool
from hookline.core.install_table import Installation, ObstacleCheck
from hookline.core.kind import HookFailed
from hookline.core.response import Response, Verdict, find_end_reason
from hookline.core.terminal import encode_notifications
from hookline.hosts._obstacles import any_of, disabled_by

REPLY_KEYS = frozenset(
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


def encode(answer: ReplyContext, *, terminal: bool = False) -> Reply:
    """Return the reply; with *terminal*, include the sequences for the user's terminal."""
    outcome, reply, specific = answer.outcome, dict[str, "Any"](), dict[str, "Any"]()
    if isinstance(answer.event, PreCompact) and outcome.context:
        return _encode_guidance(answer)
    if outcome.warnings:
        reply["systemMessage"] = "\n".join(f"hookline: {warning}" for warning in outcome.warnings)
    if outcome.context:
        specific["additionalContext"] = "\n".join(outcome.context)
    if isinstance(answer.event, PreToolUse):
        specific |= _encode_permission(answer)
    elif isinstance(answer.event, PermissionRequest):
        specific |= _encode_behavior(answer)
    elif outcome.blocked is not None:
        reply |= {"decision": "block", "reason": outcome.blocked}
    specific |= _encode_output(answer)
    reply |= _encode_terminal(answer) if terminal else {}
    end = find_end_reason(outcome.effects)
    reply |= {"continue": False, "stopReason": f"hookline: {end}"} if end else {}
    if specific:
        reply["hookSpecificOutput"] = {"hookEventName": answer.name, **specific}
    return Reply(stdout=json.dumps(reply) if reply else "")


def _encode_terminal(answer: ReplyContext) -> dict[str, Any]:
    text = encode_notifications(answer.outcome.effects)
    return {"terminalSequence": text} if text else {}


def _encode_guidance(answer: ReplyContext) -> Reply:
    """Return guidance for the compaction as plain text, which must not look like JSON."""
    text = "\n".join(answer.outcome.context)
    warnings = "".join(f"hookline: {warning}\n" for warning in answer.outcome.warnings)
    return Reply(stdout=f"Guidance: {text}" if text.lstrip().startswith("{") else text, stderr=warnings)


def _encode_output(answer: ReplyContext) -> dict[str, Any]:
    if isinstance(answer.event, PostToolUse) and answer.changed is not None:
        return {"updatedToolOutput": answer.changed}
    return {}


def _encode_permission(answer: ReplyContext) -> dict[str, Any]:
    decisions = {"block": "deny", "ask": "ask", "allow": "allow"}
    outcome, specific = answer.outcome, dict[str, "Any"]()
    reason = next((r for r in (outcome.blocked, outcome.asked, outcome.allowed) if r is not None), None)
    if reason is not None:
        specific = {"permissionDecision": decisions[outcome.verdict], "permissionDecisionReason": reason}
    if answer.changed is not None and outcome.blocked is None:
        specific["updatedInput"] = answer.changed
    return specific


def _encode_behavior(answer: ReplyContext) -> dict[str, Any]:
    if answer.outcome.blocked is not None:
        return {"decision": {"behavior": "deny", "message": answer.outcome.blocked}}
    return {"decision": {"behavior": "allow"}} if answer.outcome.allowed is not None else {}


def read_reply(event: Event, data: Mapping[str, Any]) -> Response:
    """Return the response in *data*; raise `HookFailed` if a field has the wrong type."""
    specific = _read_object(data, "hookSpecificOutput")
    response = _read_decision(event, data, specific).plus(_read_stop(event, data))
    context, message = _read_text(specific, "additionalContext"), _read_text(data, "systemMessage")
    return response.plus(
        Response(
            context=(context,) if context else (),
            warnings=(message,) if message else (),
            changes=freeze(_read_changes(event, specific)),
        )
    )


def _read_decision(event: Event, data: Mapping[str, Any], specific: Mapping[str, Any]) -> Response:
    inner = specific.get("decision")
    if isinstance(inner, Mapping):
        return _read_verdict(event, _read_text(inner, "behavior"), _read_text(inner, "message")).plus(
            _warn_unsupported(inner)
        )
    reason = _read_text(specific, "permissionDecisionReason") or _read_text(data, "permissionDecisionReason")
    word = _read_text(specific, "permissionDecision") or _read_text(data, "permissionDecision")
    if word:
        return _read_verdict(event, word, reason or _read_text(data, "reason"))
    return _read_verdict(event, _read_text(data, "decision"), _read_text(data, "reason"))


def _read_verdict(event: Event, word: str, reason: str) -> Response:
    if not word:
        return Response()
    if word not in VERDICTS:
        raise HookFailed(f"returned the invalid decision {word[:40]!r}; allowed: {', '.join(VERDICTS)}")
    if VERDICTS[word] == "allow" and ALLOW not in event.abilities:
        return Response()  # without a permission request, an approval means no objection
    return Response(verdict=VERDICTS[word], reason=reason)


def _warn_unsupported(decision: Mapping[str, Any]) -> Response:
    """Return warnings about fields of a permission decision that hookline cannot pass on."""
    keys = [key for key in ("interrupt", "updatedPermissions") if decision.get(key)]
    return Response(warnings=tuple(f"a hook set {key!r}, which is not supported" for key in keys))


def _read_stop(event: Event, data: Mapping[str, Any]) -> Response:
    """Read `continue: false`, which ends the run; it has no effect at the end of a turn."""
    if data.get("continue") is not False or isinstance(event, Stop | TurnEnd | SubagentStop):
        return Response()
    reason = _read_text(data, "stopReason") or "a hook ended the run"
    warning = (
        ""
        if event.block_prevents
        else f"a hook tried to end the run; the agent only received the reason: {reason}"
    )
    return Response(verdict="block", reason=reason, warnings=(warning,) if warning else ())


def _read_changes(event: Event, specific: Mapping[str, Any]) -> dict[str, Any]:
    inner = specific.get("decision")
    if isinstance(event, PermissionRequest) and isinstance(inner, Mapping) and "updatedInput" in inner:
        return {"input": _read_object(inner, "updatedInput")}
    if isinstance(event, PreToolUse) and "updatedInput" in specific:
        return {"input": _read_object(specific, "updatedInput")}
    if isinstance(event, PostToolUse):
        for key in ("updatedToolOutput", "updatedMCPToolOutput"):
            if key in specific:
                return {"output": specific[key]}
    return {}


def _read_object(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = data.get(key)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise HookFailed(f"returned {key!r} that is not an object")
    return value


def _read_text(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise HookFailed(f"returned {key!r} that is not text")
    return value


EDIT_FLAGS = ("--permission-mode=acceptEdits", "--allowedTools=Bash,Edit,Glob,Grep,Read,Write")
SETTINGS_FILES = ("~/.claude/settings.json", ".claude/settings.json", ".claude/settings.local.json")
# `TodoWrite` sends the whole list; the task tools (since 2.1) send one task, with its text only when created.
TODO_TOOLS = {
    "TodoWrite": tool("todo", todos="todos", text="content", status="status"),
    "TaskCreate": tool("todo", text="subject", made="task.id"),
    "TaskUpdate": tool("todo", id="taskId", text="subject", status="status"),
}
find_disabled_hooks = disabled_by("disableAllHooks", "allowManagedHooksOnly")


def is_sender(payload: Mapping[str, Any], env: Mapping[str, str]) -> bool:
    """Return whether Claude Code itself sent *payload*.

    Processes started inside Claude Code inherit its environment, so the session id must match as well.
    """
    session = env.get("CLAUDE_CODE_SESSION_ID")
    same_session = bool(session) and session == payload.get("session_id")
    return same_session or ("prompt_id" in payload and "timestamp" not in payload)


def is_background(payload: Mapping[str, Any]) -> bool:
    """Return whether the prompt is the result of a background agent, which arrives like a user's prompt."""
    return str(payload.get("prompt", "")).startswith("<task-notification>")


def is_untyped(payload: Mapping[str, Any]) -> bool:
    """Return whether no agent type is given; compaction ends two such subagents that never started."""
    return not payload.get("agent_type")


def find_plugin(settings: Mapping[str, Any], place: Installation) -> str:
    """Return a warning if the hookline plugin is on: its hooks run in addition to those of the settings."""
    plugins = settings.get("enabledPlugins")
    enabled = plugins if isinstance(plugins, Mapping) else {}
    names = [name for name, active in enabled.items() if active and name.partition("@")[0] == "hookline"]
    return f"the plugin {names[0]!r} is enabled too, so every event arrives twice" if names else ""


CHECKS = tuple(
    ObstacleCheck(file=file, find_obstacle=any_of(find_disabled_hooks, find_plugin))
    for file in SETTINGS_FILES
)
