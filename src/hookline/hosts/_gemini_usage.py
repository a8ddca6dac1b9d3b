"""What the recordings of Gemini CLI, and of Qwen Code, tell of tokens: with each message of the model.

Cached tokens are part of the prompt's. A message is told of again when its tools are done.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hookline.hosts._going_on import GOING_ON
from hookline.hosts._recorded import words
from hookline.usage import Answer, Recording, Spent, Told, Turn, tokens


def gemini(line: Mapping[str, Any]) -> Iterator[Told]:
    told, name = line.get("tokens"), words(line.get("id"))
    if line.get("type") == "gemini" and isinstance(told, Mapping):
        prompt, cached, tool = (tokens(told.get(key)) for key in ("input", "cached", "tool"))
        rest = tokens(told.get("output")) + tokens(told.get("thoughts"))
        yield _answer(name, line, (prompt, cached, tool), (rest, tokens(told.get("total"))))
    elif line.get("type") == "user" and _words_of_a_person(line.get("content")):
        yield Turn(name)


def qwen(line: Mapping[str, Any]) -> Iterator[Told]:
    told, name = line.get("usageMetadata"), words(line.get("uuid"))
    if line.get("agentId") or line.get("isSidechain") is True:
        return
    if line.get("type") == "assistant" and isinstance(told, Mapping):
        keys = ("promptTokenCount", "cachedContentTokenCount", "toolUsePromptTokenCount")
        prompt, cached, tool = (tokens(told.get(key)) for key in keys)
        whole = tokens(told.get("totalTokenCount"))
        rest = tokens(told.get("candidatesTokenCount"))
        yield _answer(name, line, (prompt, cached, tool), (rest, whole))
    elif line.get("type") == "user":
        message = line.get("message")
        if isinstance(message, Mapping) and _words_of_a_person(message.get("parts")):
            yield Turn(name)


def _answer(name: str, line: Mapping[str, Any], read: tuple[int, int, int], wrote: tuple[int, int]) -> Answer:
    """What was written is the whole less what was read: thoughts are counted apart, or not."""
    (prompt, cached, tool), (rest, whole) = read, wrote
    output = max(whole - prompt - tool, 0) if whole else rest
    spent = Spent(input=max(prompt - cached, 0) + tool, output=output, cache_read=min(cached, prompt))
    return Answer(spent, call=name, model=words(line.get("model")), used=whole or spent.whole)


def _words_of_a_person(content: Any) -> bool:
    """What tools gave back, and what made a turn go on, is told of as a person's words."""
    parts = [part for part in content if isinstance(part, Mapping)] if isinstance(content, list) else []
    text = words(content) or "".join(words(part.get("text")) for part in parts)
    return bool(text) and not any("functionResponse" in part for part in parts) and GOING_ON not in text[:60]


GEMINI = Recording(read=gemini, marks=(b'"tokens"', b'"user"'))
QWEN = Recording(read=qwen, marks=(b'"usageMetadata"', b'"user"'))
