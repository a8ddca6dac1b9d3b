"""OpenAI Responses protocol: a reply as a complete response, or as a stream of events."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from .model import Dialect
from .script import Call, Reply


def usage(reply: Reply) -> dict[str, Any]:
    told = reply.tokens
    return {
        "input_tokens": told.input,
        "input_tokens_details": {"cached_tokens": told.cached},
        "output_tokens": told.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": told.input + told.output,
    }


def whole(reply: Reply, body: Mapping[str, Any], number: int) -> dict[str, Any]:
    return {
        "id": f"resp_{number}",
        "object": "response",
        "status": "completed",
        "model": body["model"],
        "output": list(_items(reply, body, number)),
        "usage": usage(reply),
    }


def _items(reply: Reply, body: Mapping[str, Any], number: int) -> Iterator[dict[str, Any]]:
    free = {tool.get("name") for tool in body.get("tools", ()) if tool.get("type") == "custom"}
    if reply.text:
        content = {"type": "output_text", "text": reply.text, "annotations": []}
        yield {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": [content]}
    for place, call in enumerate(reply.calls):
        said = _freely(call) if call.tool in free else _exactly(call)
        yield {"id": f"item_{number}_{place}", "call_id": f"call_{number}_{place}", **said}


def _freely(call: Call) -> dict[str, Any]:
    """Return a call of a tool that takes plain text instead of JSON; the text is its only argument."""
    (text,) = call.input.values()
    return {"type": "custom_tool_call", "name": call.tool, "input": text}


def _exactly(call: Call) -> dict[str, Any]:
    space, _, name = call.tool.rpartition("__")
    said = {"type": "function_call", "name": name, "arguments": json.dumps(call.input)}
    return said | {"namespace": space} if space else said


def stream(reply: Reply, body: Mapping[str, Any], number: int) -> Iterator[dict[str, Any]]:
    response = whole(reply, body, number)
    yield {"type": "response.created", "response": response | {"status": "in_progress", "output": []}}
    for index, item in enumerate(response["output"]):
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": "response.completed", "response": response}


def encode(event: Mapping[str, Any]) -> str:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"


DIALECT = Dialect(
    path="/v1/responses",
    streams=lambda path, body: bool(body.get("stream")),
    tools=lambda body: bool(body.get("tools")),
    whole=whole,
    stream=stream,
    encode=encode,
)
