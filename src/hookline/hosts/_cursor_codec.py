"""Codec of Cursor's payloads, which contain JSON as text, and of its replies, which differ by moment."""

import json
from collections.abc import Mapping
from typing import Any

from hookline.core.events import PostToolUse, PreToolUse, Stop, SubagentStop, UserPromptSubmit
from hookline.core.host import GUEST_KEY, Reply, ReplyContext

SHELL, MCP = "Shell", "MCP:"
EMPTY_REPLY = "{}"
AGAIN = "hookline_again"


def normalize(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the payload with JSON texts parsed, and with fields that only some moments send."""
    new = {
        key: _parse_object(value) if key in ("tool_output", "tool_input") else value
        for key, value in payload.items()
    }
    roots = payload.get("workspace_roots")
    if not payload.get("cwd") and isinstance(roots, list | tuple) and roots:
        new["cwd"] = roots[0]
    if payload.get("hook_event_name") == "beforeShellExecution" and "tool_input" not in payload:
        new["tool_input"] = {"command": payload.get("command")}
    count = payload.get("loop_count")
    if isinstance(count, int) and AGAIN not in payload:
        new[AGAIN] = count > 0
    return new


def _parse_object(value: Any) -> Any:
    """Return the JSON object in *value*, or *value* itself if it is not one."""
    if not isinstance(value, str):
        return value
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return parsed if isinstance(parsed, dict) else value


def is_shell_call(payload: Mapping[str, Any]) -> bool:
    """Return whether the call is a shell command, for which Cursor sends another event that can ask the user.

    Events from another host's files have no such second event.
    """
    return payload.get("tool_name") == SHELL and GUEST_KEY not in payload


def is_mcp_call(payload: Mapping[str, Any]) -> bool:
    return str(payload.get("tool_name", "")).startswith(MCP)


def was_denied(payload: Mapping[str, Any]) -> bool:
    """Return whether the call was denied, and so did not fail."""
    return payload.get("failure_type") == "permission_denied"


def has_failed(payload: Mapping[str, Any]) -> bool:
    """Return whether an error ended the turn; it is then reported as an error, not as the turn's end."""
    return payload.get("status") == "error"


def is_unfinished(payload: Mapping[str, Any]) -> bool:
    """Return whether a person or an error ended the turn, so that it must not continue."""
    return payload.get("status") in ("aborted", "error")


def encode(answer: ReplyContext) -> Reply:
    """Return a reply with one JSON object: moments that can block treat any other output as a denial."""
    warnings = "".join(f"hookline: {warning}\n" for warning in answer.outcome.warnings)
    return Reply(stdout=json.dumps(_encode_answer(answer)), stderr=warnings)


def _encode_answer(answer: ReplyContext) -> dict[str, Any]:
    outcome, event = answer.outcome, answer.event
    if isinstance(event, PreToolUse):
        return _encode_permission(answer)
    if outcome.blocked is not None and isinstance(event, UserPromptSubmit):
        return {"continue": False, "user_message": outcome.blocked}
    if outcome.blocked is not None and isinstance(event, Stop | SubagentStop):
        return {"followup_message": outcome.blocked}
    if outcome.warnings and answer.name == "preCompact":
        return {"user_message": "\n".join(f"hookline: {warning}" for warning in outcome.warnings)}
    reply: dict[str, Any] = {"additional_context": "\n".join(outcome.context)} if outcome.context else {}
    if isinstance(event, PostToolUse) and answer.changed is not None:
        reply["updated_mcp_tool_output"] = answer.changed
    return reply


def _encode_permission(answer: ReplyContext) -> dict[str, Any]:
    decisions = {"block": "deny", "ask": "ask", "allow": "allow"}
    outcome, reply = answer.outcome, dict[str, Any]()
    reason = next((r for r in (outcome.blocked, outcome.asked, outcome.allowed) if r is not None), None)
    if reason is not None:
        reply["permission"] = decisions[outcome.verdict]
    if reason is not None and outcome.allowed != reason:
        reply |= {"user_message": reason, "agent_message": reason}
    if answer.changed is not None and outcome.blocked is None:
        reply["updated_input"] = answer.changed
    return reply
