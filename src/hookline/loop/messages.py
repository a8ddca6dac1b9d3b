"""What goes through the loop: what a model is asked and answers, and what whoever watches is told."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from hookline.budget.model_reply import answer
from hookline.core.frozen import NOTHING, thawed
from hookline.loop.tools import Tool

Message = dict[str, Any]
"""JSON: `role` (user, assistant or tool) and `text`; of an assistant also `calls`, of a tool also `call`."""
Ended = Literal["done", "blocked", "capped", "budget", "steps", "error", "aborted"]
CONTEXT = "[context]"


class ToolCall(Struct, frozen=True, kw_only=True):
    """What a model wants done."""

    id: str
    tool: str
    input: Mapping[str, Any] = NOTHING


class Request(Struct, frozen=True, kw_only=True):
    """What a model is asked."""

    system: str
    messages: Sequence[Message]
    tools: Sequence[Tool]


class Answer(Struct, frozen=True, kw_only=True):
    """What a model answers: words, tool calls, or both."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    model: str = ""
    usage: Mapping[str, Any] = NOTHING
    """Its tokens, as JSON, in any of the usual spellings."""
    raw: Any = None
    """The answer in the model's own words, as JSON, where it wants them back as they were."""

    @property
    def used(self) -> int:
        """Tokens of the context window that are taken now; 0 where that is not told."""
        counted = answer(self.usage) if self.usage else None
        return counted.spent.whole if counted else 0


class Question(Struct, frozen=True, kw_only=True):
    """What a person is asked before a tool runs."""

    tool: str
    input: Mapping[str, Any]
    reason: str


class Piece(Struct, frozen=True, kw_only=True):
    """Words of the model, as they come."""

    text: str


class Calling(Struct, frozen=True, kw_only=True):
    """A tool begins."""

    call: ToolCall


class Called(Struct, frozen=True, kw_only=True):
    """A tool has ended, or was not run: what the model reads of it."""

    call: ToolCall
    text: str
    success: bool


class Warned(Struct, frozen=True, kw_only=True):
    """What hooks tell the user."""

    text: str


class Done(Struct, frozen=True, kw_only=True):
    """The turn is over; nothing comes after it."""

    ended: Ended
    text: str = ""
    """The model's last words."""
    reason: str = ""
    """Why it ended, where the model did not end it by itself."""
    continuations: int = 0
    """How often hooks made it go on."""


Told = Piece | Calling | Called | Warned | Done


def user(text: str, context: Sequence[str] = ()) -> Message:
    return {"role": "user", "text": with_context(text, context)}


def assistant(said: Answer) -> Message:
    calls = [{"id": one.id, "tool": one.tool, "input": _object(one.input)} for one in said.calls]
    message: Message = {"role": "assistant", "text": said.text, "calls": calls}
    return message if said.raw is None else {**message, "raw": said.raw}


def is_object(given: Any) -> bool:
    """Whether it is input at all: a model may give anything."""
    return isinstance(given, Mapping)


def _object(given: Any) -> Any:
    """What a model gets back of its input: an object, for it is told by the result what was wrong."""
    return thawed(given) if is_object(given) else {}


def result(call: ToolCall, text: str, *, success: bool) -> Message:
    sendable = text.encode("utf-8", "replace").decode()  # half a character would break every later request
    return {"role": "tool", "call": call.id, "tool": call.tool, "text": sendable, "success": success}


def with_context(text: str, context: Sequence[str]) -> str:
    """*text* with what hooks want the model to read besides."""
    return "\n\n".join(filter(None, (text, *(f"{CONTEXT} {one}" for one in context))))


def are_messages(given: Any) -> bool:
    """Whether they are what a model can read: hooks may make anything of them."""
    known = given if isinstance(given, list | tuple) else (None,)
    return all(is_object(one) and {type(one.get("role")), type(one.get("text"))} == {str} for one in known)


def without_stale(new: Any, old: Sequence[Message]) -> list[Message]:
    """The *new* messages; where only its words were changed, a message has its raw answer no more."""
    messages: list[Message] = thawed(new)
    for place, message in enumerate(messages):
        before = old[place] if place < len(old) else {}
        said = [name for name in ("text", "calls") if message.get(name) != before.get(name)]
        if said and "raw" in message and message["raw"] == before.get("raw"):
            del message["raw"]
    return messages


def changed(said: Answer, response: Any) -> Answer | None:
    """What was *said* as a hook changed it; None where that is no answer."""
    try:
        calls = tuple(
            ToolCall(id=str(one["id"]), tool=str(one["tool"]), input=one["input"])
            for one in response["calls"]
        )
        fits = all(isinstance(one.input, Mapping) for one in calls) and isinstance(response["text"], str)
    except (KeyError, TypeError):
        return None
    text = response["text"]
    return Answer(text=text, calls=calls, model=said.model, usage=said.usage) if fits else None
