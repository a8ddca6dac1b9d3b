"""Codex's reply language: for each moment exactly the fields that it takes, and exit 0.

One field too many, a denial without words, or text that its parser refuses: Codex drops the whole reply and
goes ahead. So nothing is said here but what the published schema of the moment has, and nothing by exit code.
"""

import json
from collections.abc import Mapping
from typing import Any

from hookline.core.events import PermissionRequest, PostToolUse, PreToolUse
from hookline.core.host import Reply, Said

SILENT = frozenset({"PreModelRequest", "PostModelRequest", "SessionEnd"})
"""Moments at which no reply is read."""
STOPPED = "A hook stopped this."
NOTHING_LEFT = "(A hook left nothing of the output.)"


def encode(said: Said) -> Reply:
    warnings = [f"hookline: {warning}" for warning in said.outcome.warnings]
    if said.name in SILENT:
        return Reply(stderr="".join(f"{warning}\n" for warning in warnings))
    answer = _answer(said)
    if warnings:
        answer["systemMessage"] = "\n".join(warnings)
    return Reply(stdout=_json(answer) if answer else "")


def _answer(said: Said) -> dict[str, Any]:
    if isinstance(said.event, PreToolUse):
        return _specific(said, _permission(said) | _context(said.outcome.context))
    if isinstance(said.event, PermissionRequest):
        return _specific(said, _behavior(said))
    if isinstance(said.event, PostToolUse):
        return _replaced(said) | _specific(said, _context(_feedback(said)))
    return _objection(said) | _specific(said, _context(said.outcome.context))


def _specific(said: Said, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": said.name, **fields}} if fields else {}


def _context(texts: tuple[str, ...]) -> dict[str, Any]:
    return {"additionalContext": "\n".join(texts)} if texts else {}


def _permission(said: Said) -> dict[str, Any]:
    """A denial with its reason, or a changed input, which only counts beside an allowance."""
    if said.outcome.blocked is not None:
        reason = said.outcome.blocked.strip() or STOPPED
        return {"permissionDecision": "deny", "permissionDecisionReason": reason}
    if said.changed is not None:
        return {"permissionDecision": "allow", "updatedInput": said.changed}
    return {}


def _behavior(said: Said) -> dict[str, Any]:
    if said.outcome.blocked is not None:
        return {"decision": {"behavior": "deny", "message": said.outcome.blocked.strip() or STOPPED}}
    return {"decision": {"behavior": "allow"}} if said.outcome.allowed is not None else {}


def _objection(said: Said) -> dict[str, Any]:
    if said.outcome.blocked is None:
        return {}
    return {"decision": "block", "reason": said.outcome.blocked.strip() or STOPPED}


def _replaced(said: Said) -> dict[str, Any]:
    """A block puts its reason in the place of the result: the one way to change what the model reads."""
    if said.changed is None:
        return {}
    error = said.event.error if isinstance(said.event, PostToolUse) else ""
    texts = (error, _text(said.changed) or NOTHING_LEFT)  # that it failed would go with the result
    return {"decision": "block", "reason": "\n".join(filter(None, texts))}


def _feedback(said: Said) -> tuple[str, ...]:
    """Words about a result go beside it, or the model would no longer see the result."""
    blocked, context = said.outcome.blocked, said.outcome.context
    return context if blocked is None else (blocked, *context)


def _text(output: Any) -> str:
    """An output as text: that of an MCP tool is an object, most often with nothing but blocks of text."""
    if isinstance(output, str):
        return output
    blocks = output.get("content") if isinstance(output, Mapping) else None
    plain = isinstance(blocks, list | tuple) and all(_is_text(block) for block in blocks)
    if blocks and plain and set(output) <= {"content", "isError"}:
        return "\n".join(block["text"] for block in blocks)
    return _json(output)


def _is_text(block: Any) -> bool:
    return isinstance(block, Mapping) and block.get("type") == "text" and isinstance(block.get("text"), str)


def _json(value: Any) -> str:
    """JSON that every parser takes: half of a surrogate pair, as in odd file names, is none."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode()
