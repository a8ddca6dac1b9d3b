"""What Cursor sends and reads back: objects inside of text, and an answer of its own for every moment."""

import json
from collections.abc import Mapping
from typing import Any

from hookline.core.events import PostToolUse, PreToolUse, Stop, SubagentStop, UserPromptSubmit
from hookline.core.host import GUEST, Reply, Said

SHELL, MCP = "Shell", "MCP:"
SILENCE = "{}"
AGAIN = "hookline_again"


def unpacked(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """The payload with its texts read as the objects they are, and with what only some moments say."""
    new = {
        key: _read(value) if key in ("tool_output", "tool_input") else value for key, value in payload.items()
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


def _read(value: Any) -> Any:
    """What a text says in JSON; itself where it is no object."""
    if not isinstance(value, str):
        return value
    try:
        read = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return read if isinstance(read, dict) else value


def of_shell(payload: Mapping[str, Any]) -> bool:
    """A command comes again at a moment of its own, where a person can be asked; not by others' files."""
    return payload.get("tool_name") == SHELL and GUEST not in payload


def of_mcp(payload: Mapping[str, Any]) -> bool:
    return str(payload.get("tool_name", "")).startswith(MCP)


def denied(payload: Mapping[str, Any]) -> bool:
    """A call that was stopped did not fail."""
    return payload.get("failure_type") == "permission_denied"


def failed(payload: Mapping[str, Any]) -> bool:
    """A turn that an error ended has no end of its own: it is the error that is told of."""
    return payload.get("status") == "error"


def unfinished(payload: Mapping[str, Any]) -> bool:
    """A turn that a person or an error ended is not to go on."""
    return payload.get("status") in ("aborted", "error")


def encode(said: Said) -> Reply:
    """Always one JSON object: a moment that can forbid takes anything else for a no."""
    told = "".join(f"hookline: {warning}\n" for warning in said.outcome.warnings)
    return Reply(stdout=json.dumps(_answer(said)), stderr=told)


def _answer(said: Said) -> dict[str, Any]:
    outcome, event = said.outcome, said.event
    if isinstance(event, PreToolUse):
        return _permission(said)
    if outcome.blocked is not None and isinstance(event, UserPromptSubmit):
        return {"continue": False, "user_message": outcome.blocked}
    if outcome.blocked is not None and isinstance(event, Stop | SubagentStop):
        return {"followup_message": outcome.blocked}
    if outcome.warnings and said.name == "preCompact":
        return {"user_message": "\n".join(f"hookline: {warning}" for warning in outcome.warnings)}
    answer: dict[str, Any] = {"additional_context": "\n".join(outcome.context)} if outcome.context else {}
    if isinstance(event, PostToolUse) and said.changed is not None:
        answer["updated_mcp_tool_output"] = said.changed
    return answer


def _permission(said: Said) -> dict[str, Any]:
    words = {"block": "deny", "ask": "ask", "allow": "allow"}
    outcome, answer = said.outcome, dict[str, Any]()
    reason = next((r for r in (outcome.blocked, outcome.asked, outcome.allowed) if r is not None), None)
    if reason is not None:
        answer["permission"] = words[outcome.verdict]
    if reason is not None and outcome.allowed != reason:
        answer |= {"user_message": reason, "agent_message": reason}
    if said.changed is not None and outcome.blocked is None:
        answer["updated_input"] = said.changed
    return answer
