"""Codex's payloads and replies: only the fields that each moment accepts, and exit code 0.

Codex drops a reply as a whole, and continues, if it has an unknown field, a denial without a reason, or text
that its parser rejects. So a reply has only the fields of the published schema, and never uses the exit code.
"""

import json
from collections.abc import Mapping
from typing import Any

from hookline.core.events import (
    PermissionRequest,
    PostToolUse,
    PreToolUse,
)
from hookline.core.host import Reply, ReplyContext

MOMENTS_WITHOUT_REPLY = frozenset({"PreModelRequest", "PostModelRequest", "SessionEnd"})
"""Moments at which Codex reads no reply."""
DEFAULT_REASON = "A hook blocked this."
EMPTY_OUTPUT = "(A hook removed the output.)"


def encode(answer: ReplyContext) -> Reply:
    warnings = [f"hookline: {warning}" for warning in answer.outcome.warnings]
    if answer.name in MOMENTS_WITHOUT_REPLY:
        return Reply(stderr="".join(f"{warning}\n" for warning in warnings))
    reply = _encode_answer(answer)
    if warnings:
        reply["systemMessage"] = "\n".join(warnings)
    return Reply(stdout=_to_json(reply) if reply else "")


def _encode_answer(answer: ReplyContext) -> dict[str, Any]:
    if isinstance(answer.event, PreToolUse):
        return _encode_specific(answer, _encode_permission(answer) | _encode_context(answer.outcome.context))
    if isinstance(answer.event, PermissionRequest):
        return _encode_specific(answer, _encode_behavior(answer))
    if isinstance(answer.event, PostToolUse):
        return _encode_replacement(answer) | _encode_specific(
            answer, _encode_context(_collect_feedback(answer))
        )
    return _encode_block(answer) | _encode_specific(answer, _encode_context(answer.outcome.context))


def _encode_specific(answer: ReplyContext, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": answer.name, **fields}} if fields else {}


def _encode_context(texts: tuple[str, ...]) -> dict[str, Any]:
    return {"additionalContext": "\n".join(texts)} if texts else {}


def _encode_permission(answer: ReplyContext) -> dict[str, Any]:
    """Return a denial with its reason, or a changed input, which Codex accepts only with an allow."""
    if answer.outcome.blocked is not None:
        reason = answer.outcome.blocked.strip() or DEFAULT_REASON
        return {"permissionDecision": "deny", "permissionDecisionReason": reason}
    if answer.changed is not None:
        return {"permissionDecision": "allow", "updatedInput": answer.changed}
    return {}


def _encode_behavior(answer: ReplyContext) -> dict[str, Any]:
    if answer.outcome.blocked is not None:
        return {"decision": {"behavior": "deny", "message": answer.outcome.blocked.strip() or DEFAULT_REASON}}
    return {"decision": {"behavior": "allow"}} if answer.outcome.allowed is not None else {}


def _encode_block(answer: ReplyContext) -> dict[str, Any]:
    if answer.outcome.blocked is None:
        return {}
    return {"decision": "block", "reason": answer.outcome.blocked.strip() or DEFAULT_REASON}


def _encode_replacement(answer: ReplyContext) -> dict[str, Any]:
    """Return a block whose reason replaces the result: the only way to change the result for the model."""
    if answer.changed is None:
        return {}
    error = answer.event.error if isinstance(answer.event, PostToolUse) else ""
    texts = (
        error,
        _format_output(answer.changed) or EMPTY_OUTPUT,
    )  # the replaced result would no longer show the error
    return {"decision": "block", "reason": "\n".join(filter(None, texts))}


def _collect_feedback(answer: ReplyContext) -> tuple[str, ...]:
    """Return feedback as context: a block would hide the result from the model."""
    blocked, context = answer.outcome.blocked, answer.outcome.context
    return context if blocked is None else (blocked, *context)


def _format_output(output: Any) -> str:
    """Return *output* as text; the output of an MCP tool is an object, mostly with text blocks only."""
    if isinstance(output, str):
        return output
    blocks = output.get("content") if isinstance(output, Mapping) else None
    plain = isinstance(blocks, list | tuple) and all(_is_text_block(block) for block in blocks)
    if blocks and plain and set(output) <= {"content", "isError"}:
        return "\n".join(block["text"] for block in blocks)
    return _to_json(output)


def _is_text_block(block: Any) -> bool:
    return isinstance(block, Mapping) and block.get("type") == "text" and isinstance(block.get("text"), str)


def _to_json(value: Any) -> str:
    """Return valid JSON: lone surrogates, as in odd file names, are replaced."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode()


def is_subagent_task(payload: Mapping[str, Any]) -> bool:
    """Return whether the prompt is the agent's task for a subagent, which arrives like a user's prompt."""
    return bool(payload.get("agent_id"))


def is_failed_request(payload: Mapping[str, Any]) -> bool:
    return payload.get("status") == "failed"


def find_failure(payload: Mapping[str, Any]) -> str:
    """Return the error in a tool's result; the result of a command has none, only the transcript has."""
    response = payload.get("tool_response")
    if isinstance(response, Mapping):
        return "the tool reported a failure" if response.get("isError") is True else ""
    first_line = str(response).partition("\n")[0] if payload.get("tool_name") == "apply_patch" else ""
    return first_line if first_line.startswith("Exit code: ") and first_line != "Exit code: 0" else ""


def is_sender(payload: Mapping[str, Any], env: Mapping[str, str]) -> bool:
    """Return whether Codex sent *payload*; it sets no variable, but names turns, models and rollout files."""
    if "prompt_id" in payload:
        return False
    transcript = str(payload.get("transcript_path") or "").replace("\\", "/").rpartition("/")[2]
    return {"turn_id", "model"} <= payload.keys() or transcript.startswith("rollout-")
