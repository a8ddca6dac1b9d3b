"""What Copilot reads back: the same flat fields in both of its dialects; warnings are lines of progress."""

import json
from typing import Any

from hookline.events import PermissionRequest, PostToolUse, PreToolUse, Stop
from hookline.host import Reply, Said
from hookline.hosts._going_on import going_on


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
