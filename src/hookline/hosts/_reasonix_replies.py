"""What Reasonix reads back: JSON at two moments, and at all others an exit code.

With 2 it blocks, with 1 it shows its user what stands on stderr, with 0 it hides that.
"""

import json
from typing import Any

from hookline.core.events import PermissionRequest, PreCompact
from hookline.core.host import Reply, Said

SHOWN = 1


def encode(said: Said) -> Reply:
    told = "".join(f"hookline: {warning}\n" for warning in said.outcome.warnings)
    if said.outcome.blocked is not None and not isinstance(said.event, PermissionRequest):
        return Reply(stderr=f"{said.outcome.blocked}\n{told}", code=2)
    if isinstance(said.event, PreCompact):
        return Reply(stdout="\n".join(said.outcome.context), stderr=told, code=SHOWN if told else 0)
    answer = _decision(said) if isinstance(said.event, PermissionRequest) else _context(said, told)
    if not answer:
        return Reply(stderr=told, code=SHOWN if told else 0)
    answer = {"hookSpecificOutput": {"hookEventName": said.name, **answer}}
    return Reply(stdout=json.dumps(answer), stderr=told)  # any other code would throw the answer away


def _context(said: Said, told: str) -> dict[str, Any]:
    """With the warnings, because nobody sees them beside an answer."""
    context = said.outcome.context
    return {"additionalContext": "\n".join((*context, told.rstrip())).rstrip()} if context else {}


def _decision(said: Said) -> dict[str, Any]:
    if said.outcome.blocked is not None:
        return {"decision": {"behavior": "deny", "message": said.outcome.blocked}}
    return {"decision": {"behavior": "allow"}} if said.outcome.allowed is not None else {}
