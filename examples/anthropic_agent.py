"""A small agent on Anthropic's SDK: `ANTHROPIC_API_KEY=... python examples/anthropic_agent.py PROMPT`."""

import os
import sys
from collections.abc import AsyncIterator, Sequence
from typing import Any

import house
from anthropic import AsyncAnthropic

from hookline.core.frozen import thaw
from hookline.loop import Answer, Message, Request, ToolCall

NAME = os.environ.get("MODEL", "claude-sonnet-5")
CLIENT = AsyncAnthropic()


async def model(request: Request) -> AsyncIterator[str | Answer]:
    """Words as they come, then the whole answer."""
    async with CLIENT.messages.stream(
        model=NAME,
        max_tokens=8_192,
        system=request.system,
        messages=spelled(request.messages),
        tools=[
            {"name": one.name, "description": one.about, "input_schema": thaw(one.schema)}
            for one in request.tools
        ],
    ) as stream:
        async for text in stream.text_stream:
            yield text
        said = await stream.get_final_message()
    calls = (one for one in said.content if one.type == "tool_use")
    yield Answer(
        text="".join(one.text for one in said.content if one.type == "text"),
        calls=tuple(ToolCall(id=one.id, tool=one.name, input=one.input) for one in calls),
        model=said.model,
        usage=said.usage.model_dump(mode="json"),
        raw=[one.model_dump(mode="json", exclude_none=True) for one in said.content],
    )


def spelled(messages: Sequence[Message]) -> list[Any]:
    """The conversation in their words: results are a user's blocks, and neighbours of one role are one."""
    found: list[Any] = []
    for message in messages:
        role = "assistant" if message["role"] == "assistant" else "user"
        if not found or found[-1]["role"] != role:
            found.append({"role": role, "content": []})
        found[-1]["content"] += blocks(message)
    return found


def blocks(message: Message) -> list[Any]:
    if message["role"] == "tool":
        result = {"type": "tool_result", "tool_use_id": message["call"], "content": message["text"]}
        return [{**result, "is_error": not message["success"]}]
    if "raw" in message:
        return list(message["raw"])
    words = [{"type": "text", "text": message["text"]}] if message["text"] else []
    calls = message.get("calls", ())
    used = (
        {"type": "tool_use", "id": one["id"], "name": one["tool"], "input": one["input"]} for one in calls
    )
    return [*words, *used]


if __name__ == "__main__":
    sys.exit(house.main(model))
