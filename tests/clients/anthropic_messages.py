"""Anthropic Messages protocol: a reply as a complete message, or as a stream of events."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from .model import Dialect
from .script import Reply


def usage(reply: Reply) -> dict[str, int]:
    """Return the token counts of *reply*; `input_tokens` excludes cached tokens."""
    told = reply.tokens
    read = {"cache_read_input_tokens": told.cached} if told.cached else {}
    return {"input_tokens": told.input - told.cached, "output_tokens": told.output, **read}


def whole(reply: Reply, body: Mapping[str, Any], number: int) -> dict[str, Any]:
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": list(_blocks(reply, number)),
        "stop_reason": "tool_use" if reply.calls else "end_turn",
        "stop_sequence": None,
        "usage": usage(reply),
    }


def _blocks(reply: Reply, number: int) -> Iterator[dict[str, Any]]:
    if reply.text:
        yield {"type": "text", "text": reply.text}
    for place, call in enumerate(reply.calls):
        yield {"type": "tool_use", "id": f"toolu_{number}_{place}", "name": call.tool, "input": call.input}


def stream(reply: Reply, body: Mapping[str, Any], number: int) -> Iterator[dict[str, Any]]:
    message = whole(reply, body, number)
    yield {"type": "message_start", "message": message | {"content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        opening, deltas = _parts(reply, block)
        yield {"type": "content_block_start", "index": index, "content_block": opening}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ending, "usage": message["usage"]}
    yield {"type": "message_stop"}


def _parts(reply: Reply, block: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    if block["type"] == "text":
        pieces = reply.cut(block["text"])
        return block | {"text": ""}, [{"type": "text_delta", "text": one} for one in pieces]
    pieces = reply.cut(json.dumps(block["input"]))
    return block | {"input": {}}, [{"type": "input_json_delta", "partial_json": one} for one in pieces]


def encode(event: Mapping[str, Any]) -> str:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"


DIALECT = Dialect(
    path="/v1/messages",
    streams=lambda path, body: bool(body.get("stream")),
    tools=lambda body: bool(body.get("tools")),
    whole=whole,
    stream=stream,
    encode=encode,
)
