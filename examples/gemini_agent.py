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
    """Words as they come, then the whole answer."""
    tools = [
        types.FunctionDeclaration(
            name=one.name, description=one.about, parameters_json_schema=thaw(one.schema)
        )
        for one in request.tools
    ]
    stream = await CLIENT.aio.models.generate_content_stream(
        model=NAME,
        contents=spelled(request.messages),
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
    asked = [part.function_call for part in parts if part.function_call]
    yield Answer(
        calls=tuple(
            ToolCall(
                id=one.id or f"call-{len(request.messages)}-{place}",
                tool=one.name or "",
                input=one.args or {},
            )
            for place, one in enumerate(asked)
        ),
        model=NAME,
        usage=usage,
        raw=[part.model_dump(mode="json", exclude_none=True) for part in parts],
    )


def spelled(messages: Sequence[Message]) -> list[Any]:
    """The conversation in their words: results are a user's parts, and neighbours of one role are one."""
    found: list[Any] = []
    for message in messages:
        role = "model" if message["role"] == "assistant" else "user"
        if not found or found[-1]["role"] != role:
            found.append({"role": role, "parts": []})
        found[-1]["parts"] += parts_of(message)
    return found


def parts_of(message: Message) -> list[Any]:
    if message["role"] == "tool":
        what = "output" if message["success"] else "error"
        return [{"function_response": {"name": message["tool"], "response": {what: message["text"]}}}]
    if "raw" in message:
        return list(message["raw"])
    words = [{"text": message["text"]}] if message["text"] else []
    calls = message.get("calls", ())
    return [*words, *({"function_call": {"name": one["tool"], "args": one["input"]}} for one in calls)]


if __name__ == "__main__":
    sys.exit(house.main(model))
