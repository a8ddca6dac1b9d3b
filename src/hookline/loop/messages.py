"""Values of the loop: requests to a model, its answers, and the items that a watcher of a turn receives."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from hookline.budget.model_reply import parse_usage
from hookline.core.frozen import EMPTY, thaw
from hookline.loop.tools import Tool

Message = dict[str, Any]
"""JSON with `role` (user, assistant or tool) and `text`; an assistant's has `calls`, a tool's has `call`."""
Ended = Literal["done", "blocked", "capped", "budget", "steps", "error", "aborted"]
CONTEXT_PREFIX = "[context]"


class ToolCall(Struct, frozen=True, kw_only=True):
    """A tool call that a model requests."""

    id: str
    tool: str
    input: Mapping[str, Any] = EMPTY


class Request(Struct, frozen=True, kw_only=True):
    """A request to a model."""

    system: str
    messages: Sequence[Message]
    tools: Sequence[Tool]


class Answer(Struct, frozen=True, kw_only=True):
    """An answer of a model: text, tool calls, or both."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    model: str = ""
    usage: Mapping[str, Any] = EMPTY
    """Token counts as JSON, in any of the usual spellings."""
    raw: Any = None
    """The model's own form of the answer, as JSON, for models that require it back unchanged."""

    @property
    def used(self) -> int:
        """Return the tokens now in the context window; 0 if the answer does not report them."""
        counted = parse_usage(self.usage) if self.usage else None
        return counted.spent.total if counted else 0


class Question(Struct, frozen=True, kw_only=True):
    """A question to a person before a tool runs."""

    tool: str
    input: Mapping[str, Any]
    reason: str


class Piece(Struct, frozen=True, kw_only=True):
    """A piece of the model's text, as it arrives."""

    text: str


class Calling(Struct, frozen=True, kw_only=True):
    """The start of a tool call."""

    call: ToolCall


class Called(Struct, frozen=True, kw_only=True):
    """The end of a tool call, or its refusal, with the text that the model reads."""

    call: ToolCall
    text: str
    success: bool


class Warned(Struct, frozen=True, kw_only=True):
    """A warning of hooks to the user."""

    text: str


class Done(Struct, frozen=True, kw_only=True):
    """The end of the turn; nothing follows it."""

    ended: Ended
    text: str = ""
    """The model's last text."""
    reason: str = ""
    """Reason for the end, if the model did not end the turn itself."""
    continuations: int = 0
    """Number of times that hooks continued the turn."""


TurnItem = Piece | Calling | Called | Warned | Done


def user_message(text: str, context: Sequence[str] = ()) -> Message:
    return {"role": "user", "text": append_context(text, context)}


def assistant_message(answer: Answer) -> Message:
    calls = [{"id": call.id, "tool": call.tool, "input": _input_as_json(call.input)} for call in answer.calls]
    message: Message = {"role": "assistant", "text": answer.text, "calls": calls}
    return message if answer.raw is None else {**message, "raw": answer.raw}


def is_object(value: Any) -> bool:
    """Return whether *value* is a JSON object: a model may send any input."""
    return isinstance(value, Mapping)


def _input_as_json(value: Any) -> Any:
    """Return the input as the model reads it back: always an object, as the result reports what was wrong."""
    return thaw(value) if is_object(value) else {}


def tool_message(call: ToolCall, text: str, *, success: bool) -> Message:
    sendable = text.encode("utf-8", "replace").decode()  # a lone surrogate would break every later request
    return {"role": "tool", "call": call.id, "tool": call.tool, "text": sendable, "success": success}


def append_context(text: str, context: Sequence[str]) -> str:
    """Return *text* with the context that hooks inject."""
    return "\n\n".join(filter(None, (text, *(f"{CONTEXT_PREFIX} {part}" for part in context))))


def are_messages(value: Any) -> bool:
    """Return whether *value* is a list of messages: a hook may return anything."""
    items = value if isinstance(value, list | tuple) else (None,)
    return all(
        is_object(item) and {type(item.get("role")), type(item.get("text"))} == {str} for item in items
    )


def drop_stale_raw(new: Any, old: Sequence[Message]) -> list[Message]:
    """Return the *new* messages without the raw answer of a message whose text or calls were changed."""
    messages: list[Message] = thaw(new)
    for index, message in enumerate(messages):
        before = old[index] if index < len(old) else {}
        changes = [name for name in ("text", "calls") if message.get(name) != before.get(name)]
        if changes and "raw" in message and message["raw"] == before.get("raw"):
            del message["raw"]
    return messages


def apply_change(answer: Answer, response: Any) -> Answer | None:
    """Return the *answer* as a hook changed it; None if *response* is not an answer."""
    try:
        calls = tuple(
            ToolCall(id=str(call["id"]), tool=str(call["tool"]), input=call["input"])
            for call in response["calls"]
        )
        is_valid = all(isinstance(call.input, Mapping) for call in calls) and isinstance(
            response["text"], str
        )
    except (KeyError, TypeError):
        return None
    text = response["text"]
    return Answer(text=text, calls=calls, model=answer.model, usage=answer.usage) if is_valid else None
