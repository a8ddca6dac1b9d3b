"""Reader of the transcripts of Gemini CLI and Qwen Code: token usage and conversation.

Gemini CLI writes a message again when its tools are done, with their results. Context from hooks is part of
the user's message, in its own element.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hookline.core.conversation import ConversationReader, Message, ToolResult, ToolUse, TranscriptEntry
from hookline.core.frozen import freeze
from hookline.core.usage import ModelCall, TokenCounts, Turn, UsageEntry, UsageReader, parse_tokens
from hookline.hosts._continuation import PREFIX
from hookline.hosts._gemini_codec import EXIT_CODE
from hookline.hosts._transcript import text_or_empty
from hookline.lazy import re

_HOOK_CONTEXT = re.compile(r"(?s)\A\s*<hook_context>.*?</hook_context>\s*")
_REFERENCED_FILES = "--- Content from referenced files ---"
"""Line after which a user's message has the content of the files that it mentions."""
_PROGRAM_PREFIXES = ("<", "I ran the following shell command:")
"""Prefixes of user messages that were written by programs."""
_LABEL = re.compile(r"^(?:Output|Error): ?")
_FRAME_PREFIXES = (
    *("Command:", "Directory:", "Exit Code:", "Signal:", "Background PIDs:", "Process Group PGID:"),
    *("Output: (empty)", "Error: (none)", "<untrusted_context>", "</untrusted_context>"),
)
"""Prefixes of lines that the host adds around the output of a command."""


def read_gemini_conversation(line: Mapping[str, Any]) -> Iterator[TranscriptEntry]:
    tool_calls = _filter_objects(line.get("toolCalls"))
    if line.get("type") == "user":
        yield from _person_messages(_join_texts(line.get("content")))
    elif line.get("type") == "gemini" and not tool_calls:
        yield from _agent_messages(_join_texts(line.get("content")))
    for tool_call in tool_calls if line.get("type") == "gemini" else ():
        call = text_or_empty(tool_call.get("id"))
        yield ToolUse(
            call=call, tool=text_or_empty(tool_call.get("name")), input=_freeze_input(tool_call.get("args"))
        )
        responses = [_response_text(part) for part in _filter_objects(tool_call.get("result"))]
        failed = tool_call.get("status") == "error" or any(
            EXIT_CODE.search(response) for response in responses
        )
        yield ToolResult(call=call, error=_strip_frame("\n".join(responses)) if failed else "")


def read_qwen_conversation(line: Mapping[str, Any]) -> Iterator[TranscriptEntry]:
    if line.get("agentId") or line.get("isSidechain") is True:
        return
    message = line.get("message")
    parts = _filter_objects(message.get("parts")) if isinstance(message, Mapping) else []
    if line.get("type") == "user":
        yield from _person_messages(_join_texts(parts))
    elif line.get("type") == "assistant":
        yield from _agent_messages(_join_texts([part for part in parts if part.get("thought") is not True]))
    for part in parts:
        call, result = part.get("functionCall"), part.get("functionResponse")
        if isinstance(call, Mapping):
            name, arguments = text_or_empty(call.get("name")), _freeze_input(call.get("args"))
            yield ToolUse(call=text_or_empty(call.get("id")), tool=name, input=arguments)
        if isinstance(result, Mapping):
            response = result.get("response")
            error = text_or_empty(response.get("error")) if isinstance(response, Mapping) else ""
            yield ToolResult(call=text_or_empty(result.get("id")), error=_strip_frame(error))


def _person_messages(text: str) -> Iterator[Message]:
    message = _HOOK_CONTEXT.sub("", text).partition(_REFERENCED_FILES)[0].strip()
    if message and not message.startswith(_PROGRAM_PREFIXES) and PREFIX not in message[:60]:
        yield Message(by="person", text=message)


def _agent_messages(text: str) -> Iterator[Message]:
    if text.strip():
        yield Message(by="agent", text=text)


def _join_texts(content: Any) -> str:
    return text_or_empty(content) or "\n".join(
        text_or_empty(part.get("text")) for part in _filter_objects(content)
    )


def _response_text(part: Mapping[str, Any]) -> str:
    result = part.get("functionResponse")
    response = result.get("response") if isinstance(result, Mapping) else None
    texts = (response.get("output"), response.get("error")) if isinstance(response, Mapping) else ()
    return "\n".join(filter(None, map(text_or_empty, texts)))


def _strip_frame(error: str) -> str:
    """Return the output of a command without the host's frame, or its exit code if it printed nothing."""
    lines = [line for line in error.splitlines() if not line.startswith(_FRAME_PREFIXES)]
    code = EXIT_CODE.search(error)
    return "\n".join(_LABEL.sub("", line) for line in lines).strip() or (code.group() if code else error)


def _filter_objects(value: Any) -> Sequence[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list | tuple) else []


def _freeze_input(value: Any) -> Mapping[str, Any]:
    arguments: Mapping[str, Any] = freeze(value if isinstance(value, Mapping) else {})
    return arguments


GEMINI_CONVERSATION = ConversationReader(read=read_gemini_conversation, line_markers=(b'"user"', b'"gemini"'))
QWEN_CONVERSATION = ConversationReader(
    read=read_qwen_conversation, line_markers=(b'"user"', b'"assistant"', b'"tool_result"')
)


def read_gemini_usage(line: Mapping[str, Any]) -> Iterator[UsageEntry]:
    usage, name = line.get("tokens"), text_or_empty(line.get("id"))
    if line.get("type") == "gemini" and isinstance(usage, Mapping):
        prompt, cached, tool = (parse_tokens(usage.get(key)) for key in ("input", "cached", "tool"))
        written = parse_tokens(usage.get("output")) + parse_tokens(usage.get("thoughts"))
        yield _make_usage(name, line, (prompt, cached, tool), (written, parse_tokens(usage.get("total"))))
    elif line.get("type") == "user" and _is_by_person(line.get("content")):
        yield Turn(name)


def read_qwen_usage(line: Mapping[str, Any]) -> Iterator[UsageEntry]:
    usage, name = line.get("usageMetadata"), text_or_empty(line.get("uuid"))
    if line.get("agentId") or line.get("isSidechain") is True:
        return
    if line.get("type") == "assistant" and isinstance(usage, Mapping):
        keys = ("promptTokenCount", "cachedContentTokenCount", "toolUsePromptTokenCount")
        prompt, cached, tool = (parse_tokens(usage.get(key)) for key in keys)
        total = parse_tokens(usage.get("totalTokenCount"))
        written = parse_tokens(usage.get("candidatesTokenCount"))
        yield _make_usage(name, line, (prompt, cached, tool), (written, total))
    elif line.get("type") == "user":
        message = line.get("message")
        if isinstance(message, Mapping) and _is_by_person(message.get("parts")):
            yield Turn(name)


def _make_usage(
    name: str, line: Mapping[str, Any], input_counts: tuple[int, int, int], output_counts: tuple[int, int]
) -> ModelCall:
    """Return the usage; output is the total less the input, because thoughts may be counted separately."""
    (prompt, cached, tool), (written, total) = input_counts, output_counts
    output = max(total - prompt - tool, 0) if total else written
    spent = TokenCounts(input=max(prompt - cached, 0) + tool, output=output, cache_read=min(cached, prompt))
    return ModelCall(spent, call=name, model=text_or_empty(line.get("model")), used=total or spent.total)


def _is_by_person(content: Any) -> bool:
    """Return whether a person wrote *content*; tool results and continuations are user messages too."""
    parts = [part for part in content if isinstance(part, Mapping)] if isinstance(content, list) else []
    text = text_or_empty(content) or "".join(text_or_empty(part.get("text")) for part in parts)
    return bool(text) and not any("functionResponse" in part for part in parts) and PREFIX not in text[:60]


def read_gemini_answer(line: Mapping[str, Any]) -> str:
    return _join_answer(line.get("content")) if line.get("type") == "gemini" else ""


def read_qwen_answer(line: Mapping[str, Any]) -> str:
    message = line.get("message")
    is_own = (
        line.get("type") == "assistant" and not line.get("agentId") and line.get("isSidechain") is not True
    )
    return _join_answer(message.get("parts")) if is_own and isinstance(message, Mapping) else ""


def _join_answer(content: Any) -> str:
    return text_or_empty(content) or "".join(
        text_or_empty(part.get("text"))
        for part in _filter_objects(content)
        if part.get("thought") is not True
    )


GEMINI_USAGE = UsageReader(
    read=read_gemini_usage, line_markers=(b'"tokens"', b'"user"'), read_answer=read_gemini_answer
)
QWEN_USAGE = UsageReader(
    read=read_qwen_usage, line_markers=(b'"usageMetadata"', b'"user"'), read_answer=read_qwen_answer
)
