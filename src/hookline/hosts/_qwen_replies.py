"""Qwen Code's reply language: Claude Code's, but for what a tool has done and what makes a turn go on.

After a tool it takes context and nothing else; `continue: false`, which elsewhere ends a run, only puts its
reason in the result's place, and so is how a result is changed.
"""

import json
from typing import Any

from hookline.core.events import PostToolUse, Stop
from hookline.core.host import Reply, Said
from hookline.core.values import replace
from hookline.hosts import _claude_replies
from hookline.hosts._continuation import going_on
from hookline.hosts._gemini_replies import CHANGED, text_of, told


def encode(said: Said) -> Reply:
    if isinstance(said.event, Stop) and said.outcome.blocked is not None:
        marked = replace(said.outcome, blocked=going_on(said.event.session) + said.outcome.blocked)
        return _claude_replies.encode(replace(said, outcome=marked))
    if not isinstance(said.event, PostToolUse):
        return _claude_replies.encode(said)
    answer = _replaced(said) if said.changed is not None else _added(said)
    if said.outcome.warnings:
        answer["systemMessage"] = "\n".join(f"hookline: {warning}" for warning in said.outcome.warnings)
    return Reply(stdout=json.dumps(answer) if answer else "")


def _replaced(said: Said) -> dict[str, Any]:
    words = (CHANGED, text_of(said.changed), told(said))
    return {"continue": False, "stopReason": "\n".join(filter(None, words))}


def _added(said: Said) -> dict[str, Any]:
    """A block here is feedback, and would be dropped: as context it is read."""
    if not told(said):
        return {}
    return {"hookSpecificOutput": {"hookEventName": said.name, "additionalContext": told(said)}}
