"""Gemini CLI's reply language: one decision with its reason, and beside it what the moment can take."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hookline.core.events import Event, PostToolUse, PreModelCall, PreToolUse, Stop, UserPromptSubmit
from hookline.core.frozen import thawed
from hookline.core.host import Reply, Said
from hookline.core.response import ending
from hookline.hosts._continuation import going_on

CHANGED = "(The tool ran; what follows is its result as a hook changed it.)"
NO_TEXT = "(a part of the result that is no text was left out)"
EXIT_CODE = re.compile(
    r"^Exit Code: (?!0$)-?\d+(?=(?:\nSignal: .*)?(?:\nBackground PIDs: .*)?(?:\nProcess Group PGID: .*)?"
    r"(?:\n</untrusted_context>)?(?:\s+\[System\] .*)?\s*\Z)",
    re.MULTILINE,
)


def our_own_words(payload: Mapping[str, Any]) -> bool:
    """What made a turn go on arrives as if a person had written it."""
    return str(payload.get("prompt", "")).startswith(going_on(str(payload.get("session_id", ""))))


def encode(said: Said) -> Reply:
    answer = _SAYING.get(type(said.event), _plainly)(said)
    if end := ending(said.outcome.effects):
        answer |= {"continue": False, "stopReason": f"hookline: {end}"}
    if said.outcome.warnings:
        answer["systemMessage"] = "\n".join((*_hidden(said), *_signed(said.outcome.warnings)))
    return Reply(stdout=json.dumps(answer) if answer else "")


def _hidden(said: Said) -> tuple[str, ...]:
    """At both ends of a turn the host shows its user a message in the reason's place."""
    hides = isinstance(said.event, UserPromptSubmit | Stop) and said.outcome.blocked is not None
    return (said.outcome.blocked or "",) if hides else ()


def _signed(warnings: Iterable[str]) -> list[str]:
    return [f"hookline: {warning}" for warning in warnings]


def _plainly(said: Said) -> dict[str, Any]:
    if said.outcome.blocked is not None:
        return _denied(told(said))
    return _specific(said, additionalContext="\n".join(said.outcome.context))


def _call(said: Said) -> dict[str, Any]:
    """The whole input: what the host does with a part of one differs from release to release."""
    return (
        _denied(told(said)) if said.outcome.blocked is not None else _specific(said, tool_input=said.changed)
    )


def _result(said: Said) -> dict[str, Any]:
    """A denial stands in the result's place; where that is not wanted, the reason is context."""
    if said.changed is not None:
        return _denied("\n".join(filter(None, (CHANGED, text_of(said.changed), told(said)))))
    failed = _error(said.event.output) if isinstance(said.event, PostToolUse) else ""
    if failed and told(said):  # to a result that is an error the host adds no context
        return _denied(f"{failed}\n\n{told(said)}")
    return _specific(said, additionalContext=told(said))


def _request(said: Said) -> dict[str, Any]:
    """The host lays these over the texts of its own messages, one by one, and adds what is left over."""
    if said.outcome.blocked is not None:
        return _denied(told(said))
    if said.changed is None and not said.outcome.context:
        return {}
    before = said.event.messages if isinstance(said.event, PreModelCall) else ()
    messages = thawed(before if said.changed is None else said.changed)
    more = [{"role": "user", "content": text} for text in said.outcome.context]
    return _specific(said, llm_request={"messages": [*messages, *more]})


def _stop(said: Said) -> dict[str, Any]:
    return _denied(going_on(said.event.session) + told(said)) if said.outcome.blocked is not None else {}


_SAYING: Mapping[type[Event], Callable[[Said], dict[str, Any]]] = {
    PreToolUse: _call,
    PostToolUse: _result,
    PreModelCall: _request,
    Stop: _stop,
}


def _denied(reason: str) -> dict[str, Any]:
    return {"decision": "deny", "reason": reason}


def _specific(said: Said, **fields: Any) -> dict[str, Any]:
    given = {key: value for key, value in fields.items() if value}
    return {"hookSpecificOutput": {"hookEventName": said.name, **given}} if given else {}


def told(said: Said) -> str:
    """Everything that is for the model to read, the reason first."""
    return "\n".join(filter(None, (said.outcome.blocked, *said.outcome.context)))


def text_of(result: Any) -> str:
    """What a model reads of a tool's result."""
    if not isinstance(result, Mapping):
        return result if isinstance(result, str) else json.dumps(thawed(result))
    read = {key: value for key, value in result.items() if key != "returnDisplay"}
    if not read.keys() <= {"llmContent", "error"}:
        return json.dumps(thawed(read))
    return _error(result) or _parts(result.get("llmContent"))


def _parts(content: Any) -> str:
    parts = content if isinstance(content, tuple | list) else (content,)
    return "\n".join(part if isinstance(part, str) else _words(part) for part in parts)


def _words(part: Any) -> str:
    text = part.get("text") if isinstance(part, Mapping) else None
    return text if isinstance(text, str) else NO_TEXT


def _error(result: Any) -> str:
    error = result.get("error") if isinstance(result, Mapping) else None
    message = error.get("message") if isinstance(error, Mapping) else None
    return message if isinstance(message, str) else ""


def failure(payload: Mapping[str, Any]) -> str:
    """What went wrong: an error of its own, or a line at the end of what a command printed."""
    result = payload.get("tool_response")
    if not isinstance(result, Mapping):
        return ""
    found = EXIT_CODE.search(_parts(result.get("llmContent"))) if payload.get("tool_name") == SHELL else None
    return _error(result) or (found.group() if found else "")


SHELL = "run_shell_command"
