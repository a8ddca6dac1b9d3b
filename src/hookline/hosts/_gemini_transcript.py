"""Reader of the transcripts of Gemini CLI and Qwen Code: token usage and conversation.

Gemini CLI writes a message again when its tools are done, with their results. Context from hooks is part of
the user's message, in an element of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hookline.core.conversation import Back, Entry, Talk, Use, Words
from hookline.core.frozen import frozen
from hookline.core.usage import Answer, Recording, Spent, Told, Turn, tokens
from hookline.hosts._continuation import GOING_ON
from hookline.hosts._gemini_replies import EXIT_CODE
from hookline.hosts._transcript import words

_GIVEN = re.compile(r"(?s)\A\s*<hook_context>.*?</hook_context>\s*")
_LABEL = re.compile(r"^(?:Output|Error): ?")
_AROUND = (
    *("Command:", "Directory:", "Exit Code:", "Signal:", "Background PIDs:", "Process Group PGID:"),
    *("Output: (empty)", "Error: (none)", "<untrusted_context>", "</untrusted_context>"),
)
"""How lines begin that stand around what a command printed."""


def read_gemini_conversation(line: Mapping[str, Any]) -> Iterator[Entry]:
    tools = _objects(line.get("toolCalls"))
    if line.get("type") == "user":
        yield from _by_person(_text(line.get("content")))
    elif line.get("type") == "gemini" and not tools:
        yield from _by_agent(_text(line.get("content")))
    for one in tools if line.get("type") == "gemini" else ():
        call = words(one.get("id"))
        yield Use(call=call, tool=words(one.get("name")), input=_input(one.get("args")))
        answers = [_answer(part) for part in _objects(one.get("result"))]
        failed = one.get("status") == "error" or any(EXIT_CODE.search(answer) for answer in answers)
        yield Back(call=call, error=_plain("\n".join(answers)) if failed else "")


def read_qwen_conversation(line: Mapping[str, Any]) -> Iterator[Entry]:
    if line.get("agentId") or line.get("isSidechain") is True:
        return
    message = line.get("message")
    parts = _objects(message.get("parts")) if isinstance(message, Mapping) else []
    if line.get("type") == "user":
        yield from _by_person(_text(parts))
    elif line.get("type") == "assistant":
        yield from _by_agent(_text([part for part in parts if part.get("thought") is not True]))
    for part in parts:
        call, back = part.get("functionCall"), part.get("functionResponse")
        if isinstance(call, Mapping):
            name, given = words(call.get("name")), _input(call.get("args"))
            yield Use(call=words(call.get("id")), tool=name, input=given)
        if isinstance(back, Mapping):
            said = back.get("response")
            error = words(said.get("error")) if isinstance(said, Mapping) else ""
            yield Back(call=words(back.get("id")), error=_plain(error))


def _by_person(text: str) -> Iterator[Words]:
    bare = _GIVEN.sub("", text)
    if bare.strip() and not bare.lstrip().startswith("<") and GOING_ON not in bare[:60]:
        yield Words(by="person", text=bare)


def _by_agent(text: str) -> Iterator[Words]:
    if text.strip():
        yield Words(by="agent", text=text)


def _text(content: Any) -> str:
    return words(content) or "\n".join(words(part.get("text")) for part in _objects(content))


def _answer(part: Mapping[str, Any]) -> str:
    back = part.get("functionResponse")
    said = back.get("response") if isinstance(back, Mapping) else None
    told = (said.get("output"), said.get("error")) if isinstance(said, Mapping) else ()
    return "\n".join(filter(None, map(words, told)))


def _plain(error: str) -> str:
    """What a command printed, without what stands around it; its exit code where it printed nothing."""
    lines = [line for line in error.splitlines() if not line.startswith(_AROUND)]
    code = EXIT_CODE.search(error)
    return "\n".join(_LABEL.sub("", line) for line in lines).strip() or (code.group() if code else error)


def _objects(value: Any) -> Sequence[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list | tuple) else []


def _input(value: Any) -> Mapping[str, Any]:
    found: Mapping[str, Any] = frozen(value if isinstance(value, Mapping) else {})
    return found


GEMINI_CONVERSATION = Talk(read=read_gemini_conversation, marks=(b'"user"', b'"gemini"'))
QWEN_CONVERSATION = Talk(read=read_qwen_conversation, marks=(b'"user"', b'"assistant"', b'"tool_result"'))


def read_gemini_usage(line: Mapping[str, Any]) -> Iterator[Told]:
    told, name = line.get("tokens"), words(line.get("id"))
    if line.get("type") == "gemini" and isinstance(told, Mapping):
        prompt, cached, tool = (tokens(told.get(key)) for key in ("input", "cached", "tool"))
        rest = tokens(told.get("output")) + tokens(told.get("thoughts"))
        yield _usage_of(name, line, (prompt, cached, tool), (rest, tokens(told.get("total"))))
    elif line.get("type") == "user" and _words_of_a_person(line.get("content")):
        yield Turn(name)


def read_qwen_usage(line: Mapping[str, Any]) -> Iterator[Told]:
    told, name = line.get("usageMetadata"), words(line.get("uuid"))
    if line.get("agentId") or line.get("isSidechain") is True:
        return
    if line.get("type") == "assistant" and isinstance(told, Mapping):
        keys = ("promptTokenCount", "cachedContentTokenCount", "toolUsePromptTokenCount")
        prompt, cached, tool = (tokens(told.get(key)) for key in keys)
        whole = tokens(told.get("totalTokenCount"))
        rest = tokens(told.get("candidatesTokenCount"))
        yield _usage_of(name, line, (prompt, cached, tool), (rest, whole))
    elif line.get("type") == "user":
        message = line.get("message")
        if isinstance(message, Mapping) and _words_of_a_person(message.get("parts")):
            yield Turn(name)


def _usage_of(
    name: str, line: Mapping[str, Any], read: tuple[int, int, int], wrote: tuple[int, int]
) -> Answer:
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


GEMINI_USAGE = Recording(read=read_gemini_usage, marks=(b'"tokens"', b'"user"'))
QWEN_USAGE = Recording(read=read_qwen_usage, marks=(b'"usageMetadata"', b'"user"'))
