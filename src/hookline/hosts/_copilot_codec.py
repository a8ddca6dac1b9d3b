"""Codec of Copilot's payloads and replies.

The spelling of an event in the settings selects one of two dialects. Events spelt `preToolUse` have camelCase
fields; events spelt `PreToolUse` have snake_case fields and Claude's tool names. A few are in camelCase in
both. The payload seldom names its event.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from hookline.core.events import PermissionRequest, PostToolUse, PreToolUse, Stop
from hookline.core.host import Reply, Said
from hookline.hosts._continuation import going_on

CAMEL = {
    "session_id": "sessionId",
    "transcript_path": "transcriptPath",
    "agent_id": "agentId",
    "agent_type": "agentType",
    "agent_name": "agentName",
    "parent_agent_id": "parentAgentId",
    "tool_name": "toolName",
    "tool_input": "toolArgs",
    "tool_result": "toolResult",
    "result_type": "resultType",
    "text_result_for_llm": "textResultForLlm",
    "error_context": "errorContext",
    "custom_instructions": "customInstructions",
    "last_assistant_message": "response",
    "stop_reason": "stopReason",
}
SHOWN_BY: tuple[tuple[str, frozenset[str]], ...] = (
    ("permissionRequest", frozenset({"toolInput"})),
    ("preMcpToolCall", frozenset({"serverName"})),
    ("postToolUse", frozenset({"toolResult"})),
    ("postToolUseFailure", frozenset({"toolArgs", "error"})),
    ("preToolUse", frozenset({"toolArgs"})),
    ("userPromptTransformed", frozenset({"transformedPrompt"})),
    ("userPromptSubmitted", frozenset({"prompt"})),
    ("subagentStop", frozenset({"agentName", "stopReason"})),
    ("agentStop", frozenset({"stopReason"})),
    ("subagentStart", frozenset({"agentName"})),
    ("preCompact", frozenset({"trigger"})),
    ("errorOccurred", frozenset({"errorContext"})),
    ("sessionStart", frozenset({"source"})),
    ("sessionEnd", frozenset({"reason"})),
)
"""By which fields an event is recognised, the first that has them all."""
EXITED = re.compile(r"<shellId: \S+ completed with exit code (-?\d+)>\s*\Z")


def unpacked(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """The payload in camelCase, with its event's name, its arguments as an object, the session's id."""
    one = {CAMEL.get(key, key): value for key, value in payload.items()}
    if isinstance(one.get("toolResult"), Mapping):
        one["toolResult"] = {CAMEL.get(key, key): value for key, value in one["toolResult"].items()}
    if isinstance(one.get("toolArgs"), str):
        one["toolArgs"] = _arguments(one["toolArgs"])
    wanted = one.get("toolInput")
    if isinstance(wanted, Mapping) and "file_path" in wanted:
        one["toolInput"] = {"path": wanted["file_path"], **wanted}  # only here is it called otherwise
    if one.get("parentAgentId") and one.get("sessionId") == one.get("agentId"):
        one["sessionId"] = one["parentAgentId"]  # a helper has its parent's memory and budget
    shown = next((name for name, needed in SHOWN_BY if needed <= one.keys()), None)
    return {"hook_event_name": shown, **one} if shown else one


def _arguments(text: str) -> Mapping[str, Any]:
    """Arguments that were sent as text: JSON, or whatever a tool of free form takes."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, Mapping) else {"input": text}


def failure(payload: Mapping[str, Any]) -> str:
    """A command that failed is a success to Copilot; only its text ends with the exit code."""
    result = payload.get("toolResult")
    if not isinstance(result, Mapping):
        return ""
    text = str(result.get("textResultForLlm", ""))
    exited = EXITED.search(text)
    if exited and exited[1] != "0":
        return f"exit code {exited[1]}"
    return text or "it failed" if result.get("resultType") == "failure" else ""


def of_helper(payload: Mapping[str, Any]) -> bool:
    """Helpers fire the events of a session as well, besides those of their own."""
    return bool(payload.get("agentId"))


def of_ours(payload: Mapping[str, Any]) -> bool:
    """A turn that a hook made go on begins like one that a person began."""
    return str(payload.get("prompt", "")).startswith(going_on(str(payload.get("sessionId", ""))))


def encode(said: Said) -> Reply:
    answer, context = dict[str, Any](), said.outcome.context
    if isinstance(said.event, PostToolUse):
        # Copilot's own block would hide what the tool said; the reason stands beside it instead.
        context = context if said.outcome.blocked is None else (said.outcome.blocked, *context)
        answer = {} if said.changed is None else {"modifiedResult": said.changed}
    else:
        answer = _decision(said)
    if context:
        answer["additionalContext"] = "\n".join(context)
    lines = [{"type": "progress", "message": f"hookline: {text}"} for text in said.outcome.warnings]
    return Reply(stdout="\n".join(json.dumps(line) for line in (*lines, answer) if line))


def _decision(said: Said) -> dict[str, Any]:
    outcome, event = said.outcome, said.event
    if isinstance(event, PermissionRequest):
        return {"behavior": "deny", "message": outcome.blocked} if outcome.blocked is not None else {}
    if not isinstance(event, PreToolUse):
        begin = going_on(event.session) if isinstance(event, Stop) else ""
        return {"decision": "block", "reason": begin + outcome.blocked} if outcome.blocked is not None else {}
    if outcome.blocked is not None:
        return {"permissionDecision": "deny", "permissionDecisionReason": outcome.blocked}
    change = {} if said.changed is None else {"modifiedArgs": said.changed}
    if outcome.asked is None:
        return change
    return {"permissionDecision": "ask", "permissionDecisionReason": outcome.asked, **change}
