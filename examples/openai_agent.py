"""A small agent on OpenAI's SDK: `OPENAI_API_KEY=... python examples/openai_agent.py PROMPT`."""

import json
import os
import sys
from collections.abc import AsyncIterator
from typing import Any

import house
from openai import AsyncOpenAI

from hookline.core.frozen import thaw
from hookline.loop import Answer, Message, Request, ToolCall

NAME = os.environ.get("MODEL", "gpt-5.5")
CLIENT = AsyncOpenAI()


async def model(request: Request) -> AsyncIterator[str | Answer]:
    """Words as they come, then the whole answer."""
    stream = await CLIENT.chat.completions.create(
        model=NAME,
        messages=[{"role": "system", "content": request.system}, *map(spelled, request.messages)],
        tools=[
            {
                "type": "function",
                "function": {
                    "name": one.name,
                    "description": one.about,
                    "parameters": thaw(one.schema),
                },
            }
            for one in request.tools
        ],
        stream=True,
        stream_options={"include_usage": True},
    )
    calls: dict[int, dict[str, str]] = {}
    usage: dict[str, Any] = {}
    async for chunk in stream:
        if chunk.usage:
            usage = chunk.usage.model_dump(mode="json")
        for choice in chunk.choices:
            if choice.delta.content:
                yield choice.delta.content
            for part in choice.delta.tool_calls or ():
                gather(calls.setdefault(part.index, {"id": "", "name": "", "arguments": ""}), part)
    yield Answer(calls=tuple(map(called, calls.values())), model=NAME, usage=usage)


def gather(call: dict[str, str], part: Any) -> None:
    """A call comes in pieces: its name in the first, its arguments bit by bit."""
    call["id"] += part.id or ""
    call["name"] += part.function.name or ""
    call["arguments"] += part.function.arguments or ""


def called(call: dict[str, str]) -> ToolCall:
    try:
        given: Any = json.loads(call["arguments"] or "{}")
    except ValueError:
        given = call["arguments"]  # which the model is told is no input
    return ToolCall(id=call["id"], tool=call["name"], input=given)


def spelled(message: Message) -> Any:
    """A message in their words."""
    if message["role"] == "tool":
        return {"role": "tool", "tool_call_id": message["call"], "content": message["text"]}
    calls = [
        {
            "id": one["id"],
            "type": "function",
            "function": {"name": one["tool"], "arguments": json.dumps(one["input"])},
        }
        for one in message.get("calls", ())
    ]
    said = {"role": message["role"], "content": message["text"]}
    return {**said, "tool_calls": calls} if calls else said


if __name__ == "__main__":
    sys.exit(house.main(model))
