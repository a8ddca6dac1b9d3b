"""Gemini CLI's payloads and replies: a decision with its reason, and the fields that the moment accepts."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from hookline.core.events import (
    Event,
    PostToolUse,
    PreModelCall,
    PreToolUse,
    Stop,
    UserPromptSubmit,
)
from hookline.core.frozen import thaw
from hookline.core.host import Reply, ReplyContext, value_at
from hookline.core.response import find_end_reason
from hookline.hosts._continuation import continuation_prefix
from hookline.lazy import re

CHANGED_NOTE = "(The tool ran; a hook changed its result as follows.)"
OMITTED_NOTE = "(a part of the result that is not text was omitted)"
EXIT_CODE = re.compile(
    r"^Exit Code: (?!0$)-?\d+(?=(?:\nSignal: .*)?(?:\nBackground PIDs: .*)?(?:\nProcess Group PGID: .*)?"
    r"(?:\n</untrusted_context>)?(?:\s+\[System\] .*)?\s*\Z)",
    re.MULTILINE,
)


def is_continuation(payload: Mapping[str, Any]) -> bool:
    """Return whether a hook made the turn continue, which arrives like a user's prompt."""
    return str(payload.get("prompt", "")).startswith(continuation_prefix(str(payload.get("session_id", ""))))


def encode(answer: ReplyContext) -> Reply:
    reply = _ENCODERS.get(type(answer.event), _encode_default)(answer)
    if end := find_end_reason(answer.outcome.effects):
        reply |= {"continue": False, "stopReason": f"hookline: {end}"}
    if answer.outcome.warnings:
        reply["systemMessage"] = "\n".join(
            (*_hidden_reason(answer), *_prefix_warnings(answer.outcome.warnings))
        )
    return Reply(stdout=json.dumps(reply) if reply else "")


def _hidden_reason(answer: ReplyContext) -> tuple[str, ...]:
    """Return the reason, which Gemini CLI does not display beside a message at the start or end of a turn."""
    hidden = isinstance(answer.event, UserPromptSubmit | Stop) and answer.outcome.blocked is not None
    return (answer.outcome.blocked or "",) if hidden else ()


def _prefix_warnings(warnings: Iterable[str]) -> list[str]:
    return [f"hookline: {warning}" for warning in warnings]


def _encode_default(answer: ReplyContext) -> dict[str, Any]:
    if answer.outcome.blocked is not None:
        return _deny(feedback_text(answer))
    return _encode_specific(answer, additionalContext="\n".join(answer.outcome.context))


def _encode_call(answer: ReplyContext) -> dict[str, Any]:
    """Return the whole input, because releases differ in how they treat a partial one."""
    return (
        _deny(feedback_text(answer))
        if answer.outcome.blocked is not None
        else _encode_specific(answer, tool_input=answer.changed)
    )


def _encode_result(answer: ReplyContext) -> dict[str, Any]:
    """Return the feedback as context, or as a denial, which replaces the result."""
    if answer.changed is not None:
        return _deny(
            "\n".join(filter(None, (CHANGED_NOTE, format_result(answer.changed), feedback_text(answer))))
        )
    error = _error_message(answer.event.output) if isinstance(answer.event, PostToolUse) else ""
    if error and feedback_text(answer):  # the host adds no context to an error
        return _deny(f"{error}\n\n{feedback_text(answer)}")
    return _encode_specific(answer, additionalContext=feedback_text(answer))


def _encode_request(answer: ReplyContext) -> dict[str, Any]:
    """Return the messages; Gemini CLI replaces the texts of its messages in order and appends the rest."""
    if answer.outcome.blocked is not None:
        return _deny(feedback_text(answer))
    if answer.changed is None and not answer.outcome.context:
        return {}
    before = answer.event.messages if isinstance(answer.event, PreModelCall) else ()
    messages = thaw(before if answer.changed is None else answer.changed)
    more = [{"role": "user", "content": text} for text in answer.outcome.context]
    return _encode_specific(answer, llm_request={"messages": [*messages, *more]})


def _encode_stop(answer: ReplyContext) -> dict[str, Any]:
    return (
        _deny(continuation_prefix(answer.event.session) + feedback_text(answer))
        if answer.outcome.blocked is not None
        else {}
    )


_ENCODERS: Mapping[type[Event], Callable[[ReplyContext], dict[str, Any]]] = {
    PreToolUse: _encode_call,
    PostToolUse: _encode_result,
    PreModelCall: _encode_request,
    Stop: _encode_stop,
}


def _deny(reason: str) -> dict[str, Any]:
    return {"decision": "deny", "reason": reason}


def _encode_specific(answer: ReplyContext, **fields: Any) -> dict[str, Any]:
    present = {key: value for key, value in fields.items() if value}
    return {"hookSpecificOutput": {"hookEventName": answer.name, **present}} if present else {}


def feedback_text(answer: ReplyContext) -> str:
    """Return all text for the model, the reason first."""
    return "\n".join(filter(None, (answer.outcome.blocked, *answer.outcome.context)))


def format_result(result: Any) -> str:
    """Return the text of a tool result that the model reads."""
    if not isinstance(result, Mapping):
        return result if isinstance(result, str) else json.dumps(thaw(result))
    visible = {key: value for key, value in result.items() if key != "returnDisplay"}
    if not visible.keys() <= {"llmContent", "error"}:
        return json.dumps(thaw(visible))
    return _error_message(result) or _join_parts(result.get("llmContent"))


def _join_parts(content: Any) -> str:
    parts = content if isinstance(content, tuple | list) else (content,)
    return "\n".join(part if isinstance(part, str) else _part_text(part) for part in parts)


def _part_text(part: Any) -> str:
    text = part.get("text") if isinstance(part, Mapping) else None
    return text if isinstance(text, str) else OMITTED_NOTE


def _error_message(result: Any) -> str:
    error = result.get("error") if isinstance(result, Mapping) else None
    message = error.get("message") if isinstance(error, Mapping) else None
    return message if isinstance(message, str) else ""


def find_failure(payload: Mapping[str, Any]) -> str:
    """Return the tool's error, or the exit code at the end of a command's output."""
    result = payload.get("tool_response")
    if not isinstance(result, Mapping):
        return ""
    exit_code = (
        EXIT_CODE.search(_join_parts(result.get("llmContent"))) if payload.get("tool_name") == SHELL else None
    )
    return _error_message(result) or (exit_code.group() if exit_code else "")


SHELL = "run_shell_command"


def is_automatic(payload: Mapping[str, Any]) -> bool:
    """Return whether no person asked for the compaction; Gemini CLI sends this before every model call."""
    return payload.get("trigger") == "auto"


def is_partial(payload: Mapping[str, Any]) -> bool:
    """Return whether the response is a chunk of a stream; only the last chunk is the model's answer."""
    response = payload.get("llm_response")
    candidates = response.get("candidates") if isinstance(response, Mapping) else None
    return not any(item.get("finishReason") for item in candidates or () if isinstance(item, Mapping))


def keeps_all(old: tuple[Any, ...], new: tuple[Any, ...]) -> bool:
    return len(new) >= len(old)


Answers = Mapping[str, str]


def with_answers(
    payload: Mapping[str, Any], tool: str, read: Callable[[Sequence[Mapping[str, Any]], str], Answers]
) -> Mapping[str, Any]:
    """Return the payload of the question *tool* with the person's answers, by question."""
    questions, text = value_at(payload, "tool_input.questions"), value_at(payload, "tool_response.llmContent")
    if payload.get("tool_name") != tool or not isinstance(questions, list) or not isinstance(text, str):
        return payload
    answers = read([one for one in questions if isinstance(one, Mapping)], text)
    response = {**payload["tool_response"], "answers": answers}
    return {**payload, "tool_response": response} if answers else payload


def _read_answers(questions: Sequence[Mapping[str, Any]], text: str) -> Answers:
    """Return the answers in *text*, by the number of the question; none if a question is asked twice."""
    texts = [str(one.get("question", "")) for one in questions]
    try:
        answers = json.loads(text)["answers"]
        found = {texts[int(number)]: str(answer) for number, answer in answers.items()}
    except (ValueError, LookupError, TypeError, AttributeError):
        return {}
    return found if len(set(texts)) == len(texts) else {}


def add_answers(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    return with_answers(payload, "ask_user", _read_answers)
