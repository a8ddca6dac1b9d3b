"""Codec of Copilot's payloads and replies.

The spelling of an event in the settings selects one of two dialects. Events spelt `preToolUse` have camelCase
fields; events spelt `PreToolUse` have snake_case fields and Claude's tool names. A few are in camelCase in
both. The payload seldom names its event.
"""

import json
from collections.abc import Mapping
from typing import Any

from hookline.core.events import PermissionRequest, PostToolUse, PreToolUse, Stop
from hookline.core.host import Reply, ReplyContext
from hookline.hosts._continuation import continuation_prefix
from hookline.lazy import re

CAMEL_CASE = {
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
EVENT_FIELDS: tuple[tuple[str, frozenset[str]], ...] = (
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
"""Fields that identify each event; the first event with all of its fields matches."""
EXIT_CODE = re.compile(r"<shellId: \S+ completed with exit code (-?\d+)>\s*\Z")


def normalize(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the payload in camelCase, with the event's name, an object of arguments and the session's id."""
    new = {CAMEL_CASE.get(key, key): value for key, value in payload.items()}
    if isinstance(new.get("toolResult"), Mapping):
        new["toolResult"] = {CAMEL_CASE.get(key, key): value for key, value in new["toolResult"].items()}
    if isinstance(new.get("toolArgs"), str):
        new["toolArgs"] = _parse_arguments(new["toolArgs"])
    tool_input = new.get("toolInput")
    if isinstance(tool_input, Mapping) and "file_path" in tool_input:
        new["toolInput"] = {
            "path": tool_input["file_path"],
            **tool_input,
        }  # only this event has another name for the path
    if new.get("parentAgentId") and new.get("sessionId") == new.get("agentId"):
        new["sessionId"] = new["parentAgentId"]  # a subagent shares its parent's memory and budget
    event = next((name for name, fields in EVENT_FIELDS if fields <= new.keys()), None)
    return {"hook_event_name": event, **new} if event else new


def _parse_arguments(text: str) -> Mapping[str, Any]:
    """Return arguments that were sent as text: a JSON object, or the free-form input of a tool."""
    try:
        arguments = json.loads(text)
    except (ValueError, RecursionError):
        arguments = None
    return arguments if isinstance(arguments, Mapping) else {"input": text}


def find_failure(payload: Mapping[str, Any]) -> str:
    """Return the error of a tool; Copilot reports a failed command as a success with an exit code."""
    result = payload.get("toolResult")
    if not isinstance(result, Mapping):
        return ""
    text = str(result.get("textResultForLlm", ""))
    exited = EXIT_CODE.search(text)
    if exited and exited[1] != "0":
        return f"exit code {exited[1]}"
    return text or "it failed" if result.get("resultType") == "failure" else ""


def is_from_subagent(payload: Mapping[str, Any]) -> bool:
    """Return whether a subagent sent the event; subagents also send the events of a session."""
    return bool(payload.get("agentId"))


def is_continuation(payload: Mapping[str, Any]) -> bool:
    """Return whether a hook started this turn, which otherwise looks like one that a person started."""
    return str(payload.get("prompt", "")).startswith(continuation_prefix(str(payload.get("sessionId", ""))))


def encode(answer: ReplyContext) -> Reply:
    reply, context = dict[str, Any](), answer.outcome.context
    if isinstance(answer.event, PostToolUse):
        # A block by Copilot would hide the tool's output, so the reason is added as context.
        context = context if answer.outcome.blocked is None else (answer.outcome.blocked, *context)
        reply = {} if answer.changed is None else {"modifiedResult": answer.changed}
    else:
        reply = _encode_decision(answer)
    if context:
        reply["additionalContext"] = "\n".join(context)
    progress = [{"type": "progress", "message": f"hookline: {text}"} for text in answer.outcome.warnings]
    return Reply(stdout="\n".join(json.dumps(line) for line in (*progress, reply) if line))


def _encode_decision(answer: ReplyContext) -> dict[str, Any]:
    outcome, event = answer.outcome, answer.event
    if isinstance(event, PermissionRequest):
        return {"behavior": "deny", "message": outcome.blocked} if outcome.blocked is not None else {}
    if not isinstance(event, PreToolUse):
        prefix = continuation_prefix(event.session) if isinstance(event, Stop) else ""
        return (
            {"decision": "block", "reason": prefix + outcome.blocked} if outcome.blocked is not None else {}
        )
    if outcome.blocked is not None:
        return {"permissionDecision": "deny", "permissionDecisionReason": outcome.blocked}
    change = {} if answer.changed is None else {"modifiedArgs": answer.changed}
    if outcome.asked is None:
        return change
    return {"permissionDecision": "ask", "permissionDecisionReason": outcome.asked, **change}
