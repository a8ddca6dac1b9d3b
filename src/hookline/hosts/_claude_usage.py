"""What Claude Code's transcripts tell of tokens: the usage of a message stands in each line of it.

Helper agents write files of their own; in older versions their lines are marked, and are not the session's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hookline.hosts._recorded import words
from hookline.usage import Answer, Around, Recording, Spent, Told, Turn, tokens

MADE_UP = "<synthetic>"
"""The model of messages that no model wrote, such as an error."""


def read(line: Mapping[str, Any]) -> Iterator[Told]:
    if line.get("isSidechain") is True or line.get("agentId"):
        return
    kind, message = line.get("type"), line.get("message")
    if kind == "assistant" and isinstance(message, Mapping):
        yield from _answer(line, message)
    elif kind == "user" and isinstance(message, Mapping):
        yield from _turn(line, message)
    elif kind == "system" and line.get("subtype") == "compact_boundary":
        told = line.get("compactMetadata")
        yield Around(used=tokens(told.get("postTokens")) if isinstance(told, Mapping) else 0)


def _answer(line: Mapping[str, Any], message: Mapping[str, Any]) -> Iterator[Told]:
    usage, model = message.get("usage"), words(message.get("model"))
    if not isinstance(usage, Mapping) or model == MADE_UP:
        return
    spent = Spent(
        input=tokens(usage.get("input_tokens")),
        output=tokens(usage.get("output_tokens")),
        cache_read=tokens(usage.get("cache_read_input_tokens")),
        cache_write=tokens(usage.get("cache_creation_input_tokens")),
    )
    name = words(message.get("id")) or words(line.get("uuid"))
    request = words(line.get("requestId"))
    yield Answer(spent, call=f"{name} {request}".strip(), model=model)


def _turn(line: Mapping[str, Any], message: Mapping[str, Any]) -> Iterator[Told]:
    """A prompt has a name that all of its turn share; before there were such, a person's words began one."""
    if line.get("isCompactSummary") is True:  # nobody's words: the turn goes on behind it
        return
    prompt = words(line.get("promptId"))
    if prompt:
        yield Turn(prompt)
    elif line.get("isMeta") is not True and not _results(message.get("content")):
        yield Turn(words(line.get("uuid")))


def _results(content: Any) -> bool:
    blocks = content if isinstance(content, list) else ()
    return any(isinstance(block, Mapping) and block.get("type") == "tool_result" for block in blocks)


RECORDING = Recording(read=read, marks=(b'"usage"', b'"user"', b'"compact_boundary"'), late=True)
