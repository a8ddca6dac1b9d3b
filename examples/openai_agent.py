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
    """Yield text as it arrives, then the complete answer."""
    stream = await CLIENT.chat.completions.create(
        model=NAME,
        messages=[{"role": "system", "content": request.system}, *map(to_message, request.messages)],
        tools=[
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.about,
                    "parameters": thaw(tool.schema),
                },
            }
            for tool in request.tools
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
                add_part(calls.setdefault(part.index, {"id": "", "name": "", "arguments": ""}), part)
    yield Answer(calls=tuple(map(to_tool_call, calls.values())), model=NAME, usage=usage)


def add_part(call: dict[str, str], part: Any) -> None:
    """Add a streamed part to a call: the first has the name, further ones the arguments."""
    call["id"] += part.id or ""
    call["name"] += part.function.name or ""
    call["arguments"] += part.function.arguments or ""


def to_tool_call(call: dict[str, str]) -> ToolCall:
    try:
        arguments: Any = json.loads(call["arguments"] or "{}")
    except ValueError:
        arguments = call["arguments"]  # the loop reports the invalid input to the model
    return ToolCall(id=call["id"], tool=call["name"], input=arguments)


def to_message(message: Message) -> Any:
    """Convert a message to the format of the SDK."""
    if message["role"] == "tool":
        return {"role": "tool", "tool_call_id": message["call"], "content": message["text"]}
    calls = [
        {
            "id": call["id"],
            "type": "function",
            "function": {"name": call["tool"], "arguments": json.dumps(call["input"])},
        }
        for call in message.get("calls", ())
    ]
    converted = {"role": message["role"], "content": message["text"]}
    return {**converted, "tool_calls": calls} if calls else converted


if __name__ == "__main__":
    sys.exit(house.main(model))
