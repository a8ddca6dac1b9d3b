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
    """Yield text as it arrives, then the complete answer."""
    async with CLIENT.messages.stream(
        model=NAME,
        max_tokens=8_192,
        system=request.system,
        messages=to_messages(request.messages),
        tools=[
            {"name": tool.name, "description": tool.about, "input_schema": thaw(tool.schema)}
            for tool in request.tools
        ],
    ) as stream:
        async for text in stream.text_stream:
            yield text
        message = await stream.get_final_message()
    calls = (block for block in message.content if block.type == "tool_use")
    yield Answer(
        text="".join(block.text for block in message.content if block.type == "text"),
        calls=tuple(ToolCall(id=call.id, tool=call.name, input=call.input) for call in calls),
        model=message.model,
        usage=message.usage.model_dump(mode="json"),
        raw=[block.model_dump(mode="json", exclude_none=True) for block in message.content],
    )


def to_messages(messages: Sequence[Message]) -> list[Any]:
    """Convert the conversation: tool results become user blocks; messages in a row of one role are merged."""
    converted: list[Any] = []
    for message in messages:
        role = "assistant" if message["role"] == "assistant" else "user"
        if not converted or converted[-1]["role"] != role:
            converted.append({"role": role, "content": []})
        converted[-1]["content"] += to_blocks(message)
    return converted


def to_blocks(message: Message) -> list[Any]:
    if message["role"] == "tool":
        result = {"type": "tool_result", "tool_use_id": message["call"], "content": message["text"]}
        return [{**result, "is_error": not message["success"]}]
    if "raw" in message:
        return list(message["raw"])
    texts = [{"type": "text", "text": message["text"]}] if message["text"] else []
    calls = (
        {"type": "tool_use", "id": call["id"], "name": call["tool"], "input": call["input"]}
        for call in message.get("calls", ())
    )
    return [*texts, *calls]


if __name__ == "__main__":
    sys.exit(house.main(model))
