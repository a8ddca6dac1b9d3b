"""Reasonix's reply format: JSON at two moments, an exit code at all others.

Exit code 2 blocks, 1 shows stderr to the user, 0 hides it.
"""

import json
from typing import Any

from hookline.core.events import PermissionRequest, PreCompact
from hookline.core.host import Reply, ReplyContext

WARNING_CODE = 1


def encode(answer: ReplyContext) -> Reply:
    warnings = "".join(f"hookline: {warning}\n" for warning in answer.outcome.warnings)
    if answer.outcome.blocked is not None and not isinstance(answer.event, PermissionRequest):
        return Reply(stderr=f"{answer.outcome.blocked}\n{warnings}", code=2)
    if isinstance(answer.event, PreCompact):
        return Reply(
            stdout="\n".join(answer.outcome.context), stderr=warnings, code=WARNING_CODE if warnings else 0
        )
    reply = (
        _encode_decision(answer)
        if isinstance(answer.event, PermissionRequest)
        else _encode_context(answer, warnings)
    )
    if not reply:
        return Reply(stderr=warnings, code=WARNING_CODE if warnings else 0)
    reply = {"hookSpecificOutput": {"hookEventName": answer.name, **reply}}
    return Reply(stdout=json.dumps(reply), stderr=warnings)  # with any other code Reasonix drops the reply


def _encode_context(answer: ReplyContext, warnings: str) -> dict[str, Any]:
    """Return the context with the warnings, which Reasonix would not show beside a reply."""
    context = answer.outcome.context
    return {"additionalContext": "\n".join((*context, warnings.rstrip())).rstrip()} if context else {}


def _encode_decision(answer: ReplyContext) -> dict[str, Any]:
    if answer.outcome.blocked is not None:
        return {"decision": {"behavior": "deny", "message": answer.outcome.blocked}}
    return {"decision": {"behavior": "allow"}} if answer.outcome.allowed is not None else {}
