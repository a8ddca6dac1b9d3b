"""Qwen Code's payloads and replies: those of Claude Code, except after a tool and at the end of a turn.

After a tool, Qwen Code accepts only context. `continue: false`, which ends a run in other hosts, only
replaces the result by its reason, and so serves to change a result.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hookline.core.events import (
    PostToolUse,
    Stop,
)
from hookline.core.host import Reply, ReplyContext
from hookline.core.values import replace
from hookline.hosts import _claude_codec
from hookline.hosts._continuation import continuation_prefix
from hookline.hosts._gemini_codec import (
    CHANGED_NOTE,
    feedback_text,
    format_result,
    is_continuation,
    with_answers,
)


def encode(answer: ReplyContext) -> Reply:
    if isinstance(answer.event, Stop) and answer.outcome.blocked is not None:
        marked = replace(
            answer.outcome, blocked=continuation_prefix(answer.event.session) + answer.outcome.blocked
        )
        return _claude_codec.encode(replace(answer, outcome=marked))
    if not isinstance(answer.event, PostToolUse):
        return _claude_codec.encode(answer)
    reply = _encode_replacement(answer) if answer.changed is not None else _encode_context(answer)
    if answer.outcome.warnings:
        reply["systemMessage"] = "\n".join(f"hookline: {warning}" for warning in answer.outcome.warnings)
    return Reply(stdout=json.dumps(reply) if reply else "")


def _encode_replacement(answer: ReplyContext) -> dict[str, Any]:
    texts = (CHANGED_NOTE, format_result(answer.changed), feedback_text(answer))
    return {"continue": False, "stopReason": "\n".join(filter(None, texts))}


def _encode_context(answer: ReplyContext) -> dict[str, Any]:
    """Return the feedback as context; Qwen Code would drop a block here."""
    if not feedback_text(answer):
        return {}
    return {"hookSpecificOutput": {"hookEventName": answer.name, "additionalContext": feedback_text(answer)}}


def is_not_by_person(payload: Mapping[str, Any]) -> bool:
    """Return whether no person wrote the prompt: it is empty after tool results, or a continuation."""
    return payload.get("prompt") == "" or is_continuation(payload)


def is_sender(payload: Mapping[str, Any], env: Mapping[str, str]) -> bool:
    """Return whether Qwen Code sent *payload*; programs inside it inherit its variables."""
    session = env.get("QWEN_CODE_SESSION_ID")
    own_fields = bool(env.get("QWEN_PROJECT_DIR")) and "timestamp" in payload and "permission_mode" in payload
    return own_fields or (bool(session) and session == payload.get("session_id"))


_ANSWERED = "User has provided the following answers:\n\n"


def _read_answer(questions: Sequence[Mapping[str, Any]], text: str) -> Mapping[str, str]:
    """Return the answer in *text*, which follows the header of the only question."""
    if len(questions) != 1:
        return {}
    start = f"{_ANSWERED}**{questions[0].get('header')}**: "
    return {str(questions[0].get("question", "")): text.removeprefix(start)} if text.startswith(start) else {}


def add_answers(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    return with_answers(payload, "ask_user_question", _read_answer)
