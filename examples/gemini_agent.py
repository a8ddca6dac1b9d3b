"""A small agent on Google's SDK: `GEMINI_API_KEY=... python examples/gemini_agent.py PROMPT`."""

import os
import sys
from collections.abc import AsyncIterator, Sequence
from typing import Any

import house
from google import genai
from google.genai import types

from hookline.core.frozen import thaw
from hookline.loop import Answer, Message, Request, ToolCall

NAME = os.environ.get("MODEL", "gemini-3-pro")
CLIENT = genai.Client()


async def model(request: Request) -> AsyncIterator[str | Answer]:
    """Yield text as it arrives, then the complete answer."""
    tools = [
        types.FunctionDeclaration(
            name=tool.name, description=tool.about, parameters_json_schema=thaw(tool.schema)
        )
        for tool in request.tools
    ]
    stream = await CLIENT.aio.models.generate_content_stream(
        model=NAME,
        contents=to_contents(request.messages),
        config=types.GenerateContentConfig(
            system_instruction=request.system, tools=[types.Tool(function_declarations=tools)]
        ),
    )
    parts: list[types.Part] = []
    usage: dict[str, Any] = {}
    async for chunk in stream:
        if chunk.usage_metadata:
            usage = chunk.usage_metadata.model_dump(mode="json", by_alias=True)
        for part in chunk.parts or ():
            parts.append(part)
            if part.text and not part.thought:
                yield part.text
    calls = [part.function_call for part in parts if part.function_call]
    yield Answer(
        calls=tuple(
            ToolCall(
                id=call.id or f"call-{len(request.messages)}-{index}",
                tool=call.name or "",
                input=call.args or {},
            )
            for index, call in enumerate(calls)
        ),
        model=NAME,
        usage=usage,
        raw=[part.model_dump(mode="json", exclude_none=True) for part in parts],
    )


def to_contents(messages: Sequence[Message]) -> list[Any]:
    """Convert the conversation: tool results become user parts; messages in a row of one role are merged."""
    contents: list[Any] = []
    for message in messages:
        role = "model" if message["role"] == "assistant" else "user"
        if not contents or contents[-1]["role"] != role:
            contents.append({"role": role, "parts": []})
        contents[-1]["parts"] += to_parts(message)
    return contents


def to_parts(message: Message) -> list[Any]:
    if message["role"] == "tool":
        key = "output" if message["success"] else "error"
        return [{"function_response": {"name": message["tool"], "response": {key: message["text"]}}}]
    if "raw" in message:
        return list(message["raw"])
    texts = [{"text": message["text"]}] if message["text"] else []
    calls = message.get("calls", ())
    return [*texts, *({"function_call": {"name": call["tool"], "args": call["input"]}} for call in calls)]


if __name__ == "__main__":
    sys.exit(house.main(model))
