"""Gemini generateContent protocol: a reply as a complete response, or as a stream of responses."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from .model import Dialect
from .script import Reply


def usage(reply: Reply) -> dict[str, int]:
    told = reply.tokens
    read = {"cachedContentTokenCount": told.cached} if told.cached else {}
    whole = {"promptTokenCount": told.input, "candidatesTokenCount": told.output, **read}
    return {**whole, "totalTokenCount": told.input + told.output}


def whole(reply: Reply, body: Mapping[str, Any], number: int) -> dict[str, Any]:
    content = {"role": "model", "parts": list(_parts(reply))}
    return {
        "candidates": [{"index": 0, "finishReason": "STOP", "content": content}],
        "responseId": f"response-{number}",
        "usageMetadata": usage(reply),
    }


def _parts(reply: Reply) -> Iterator[dict[str, Any]]:
    if reply.text:
        yield {"text": reply.text}
    for call in reply.calls:
        yield {"functionCall": {"name": call.tool, "args": call.input}}


def stream(reply: Reply, body: Mapping[str, Any], number: int) -> Iterator[dict[str, Any]]:
    for part in _streamed(reply):
        one = whole(reply, body, number)
        one["candidates"][0]["content"]["parts"] = part
        yield one


def _streamed(reply: Reply) -> Iterator[list[dict[str, Any]]]:
    """Yield all parts at once, or the text in pieces; a call is never split."""
    if reply.pieces == 1:
        yield list(_parts(reply))
        return
    for text in reply.cut(reply.text) if reply.text else ():
        yield [{"text": text}]
    for call in reply.calls:
        yield [{"functionCall": {"name": call.tool, "args": call.input}}]


def encode(event: Mapping[str, Any]) -> str:
    return f"data: {json.dumps(event)}\n\n"


DIALECT = Dialect(
    path=(":generateContent", ":streamGenerateContent"),
    streams=lambda path, body: path.endswith(":streamGenerateContent"),
    tools=lambda body: bool(body.get("tools")),
    whole=whole,
    stream=stream,
    encode=encode,
)
