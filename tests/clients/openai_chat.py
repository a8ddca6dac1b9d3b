"""OpenAI chat completions protocol: a reply as a complete completion, or as a stream of chunks."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from .model import Dialect
from .script import Reply


def usage(reply: Reply) -> dict[str, Any]:
    told = reply.tokens
    read = {"prompt_tokens_details": {"cached_tokens": told.cached}} if told.cached else {}
    whole = {"prompt_tokens": told.input, "completion_tokens": told.output, **read}
    return {**whole, "total_tokens": told.input + told.output}


def whole(reply: Reply, body: Mapping[str, Any], number: int) -> dict[str, Any]:
    choice = {"index": 0, "message": _message(reply, number), "finish_reason": _ending(reply)}
    return _head(body, number) | {"object": "chat.completion", "choices": [choice], "usage": usage(reply)}


def _head(body: Mapping[str, Any], number: int) -> dict[str, Any]:
    return {"id": f"chatcmpl-{number}", "created": number, "model": body["model"]}


def _message(reply: Reply, number: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    calls = [
        {
            "index": place,
            "id": f"call_{number}_{place}",
            "type": "function",
            "function": {"name": call.tool, "arguments": json.dumps(call.input)},
        }
        for place, call in enumerate(reply.calls)
    ]
    return message | {"tool_calls": calls} if calls else message


def _ending(reply: Reply) -> str:
    return "tool_calls" if reply.calls else "stop"


def stream(reply: Reply, body: Mapping[str, Any], number: int) -> Iterator[dict[str, Any]]:
    head = _head(body, number) | {"object": "chat.completion.chunk"}
    ended = {"index": 0, "delta": {}, "finish_reason": _ending(reply)}
    for delta in _deltas(reply, number):
        yield head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield head | {"choices": [ended], "usage": usage(reply)}


def _deltas(reply: Reply, number: int) -> Iterator[dict[str, Any]]:
    """Yield the whole message, or its text in pieces followed by the arguments of each call."""
    message = _message(reply, number)
    if reply.pieces == 1:
        yield message
        return
    yield from ({"role": "assistant", "content": one} for one in reply.cut(reply.text))
    for call in message.get("tool_calls", ()):
        first, *rest = reply.cut(call["function"]["arguments"])
        yield {"tool_calls": [call | {"function": call["function"] | {"arguments": first}}]}
        for one in rest:
            yield {"tool_calls": [{"index": call["index"], "function": {"arguments": one}}]}


def encode(event: Mapping[str, Any]) -> str:
    last = "data: [DONE]\n\n" if event["choices"][0]["finish_reason"] else ""
    return f"data: {json.dumps(event)}\n\n{last}"


DIALECT = Dialect(
    path="/chat/completions",
    streams=lambda path, body: bool(body.get("stream")),
    tools=lambda body: bool(body.get("tools")),
    whole=whole,
    stream=stream,
    encode=encode,
)
