"""Anthropic Messages protocol: a reply as a complete message, or as a stream of events."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from hookline.cli._demo._client import Protocol, Reply

SHELL = "Bash"
"""Name of the shell tool in the requests of Claude Code."""
USAGE = {"input_tokens": 10, "output_tokens": 5}


def encode(body: Mapping[str, Any], reply: Reply) -> tuple[str, str]:
    """Return the content type and the body of *reply*."""
    message = _build_message(body, reply)
    if not body.get("stream"):
        return "application/json", json.dumps(message)
    events = (f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in _stream(message))
    return "text/event-stream", "".join(events)


def _build_message(body: Mapping[str, Any], reply: Reply) -> dict[str, Any]:
    turn = len(body["messages"])
    call = {"command": reply.command, "description": "Publish the work"}
    tool = {"type": "tool_use", "id": f"toolu_{turn}", "name": SHELL, "input": call}
    return {
        "id": f"msg_{turn}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [tool if reply.command else {"type": "text", "text": reply.text}],
        "stop_reason": "tool_use" if reply.command else "end_turn",
        "stop_sequence": None,
        "usage": USAGE,
    }


def _stream(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    (block,) = message["content"]
    key, empty = ("text", "") if block["type"] == "text" else ("input", {})
    text = {"type": "text_delta", "text": block.get("text")}
    call = {"type": "input_json_delta", "partial_json": json.dumps(block.get("input"))}
    yield {"type": "content_block_start", "index": 0, "content_block": {**block, key: empty}}
    yield {"type": "content_block_delta", "index": 0, "delta": text if key == "text" else call}
    yield {"type": "content_block_stop", "index": 0}
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ending, "usage": message["usage"]}
    yield {"type": "message_stop"}


def read_result(body: Mapping[str, Any]) -> str:
    """Return the text of the last tool result in a request; empty if there is none."""
    contents = [message["content"] for message in body["messages"] if isinstance(message["content"], list)]
    results = [block["content"] for part in contents for block in part if block["type"] == "tool_result"]
    last = results[-1] if results else ""
    return last if isinstance(last, str) else "\n".join(part.get("text", "") for part in last)


PROTOCOL = Protocol(
    path="/v1/messages",
    has_tools=lambda body: bool(body.get("tools")),
    read_result=read_result,
    encode=encode,
)
