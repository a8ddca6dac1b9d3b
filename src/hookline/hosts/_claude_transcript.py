"""Reader of Claude Code's transcripts (`projects/<folder>/<session>.jsonl`): calls, usage and conversation.

Subagents write files of their own (`subagents/agent-*.jsonl`) with the session's id; older versions mixed
their lines into the session's file. `--output-format stream-json` prints the same messages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hookline.core import conversation
from hookline.core.conversation import ConversationReader, Message, ToolResult, ToolUse
from hookline.core.usage import (
    ContextUpdate,
    ModelCall,
    TokenCounts,
    Turn,
    UsageEntry,
    UsageReader,
    parse_tokens,
)
from hookline.hosts import _transcript
from hookline.hosts._transcript import Call, Result, join_text, text_or_empty

MESSAGE_TYPES = ("assistant", "user")


def recognises(line: Mapping[str, Any]) -> bool:
    """Return whether *line* is from a transcript; most kinds of lines there contain no calls."""
    return "sessionId" in line or (
        line.get("type") in MESSAGE_TYPES and isinstance(line.get("message"), Mapping)
    )


def read_calls(line: Mapping[str, Any]) -> Iterator[_transcript.Entry]:
    message = line.get("message")
    if line.get("type") not in MESSAGE_TYPES or not isinstance(message, Mapping):
        return
    content = message.get("content")
    blocks = [block for block in content if isinstance(block, Mapping)] if isinstance(content, list) else []
    for block in blocks:
        if block.get("type") == "tool_use":
            yield _read_call(line, block)
        elif block.get("type") == "tool_result":
            yield _read_result(line, block, alone=len(blocks) == 1)


def _read_call(line: Mapping[str, Any], block: Mapping[str, Any]) -> Call:
    arguments = block.get("input")
    return Call(
        id=text_or_empty(block.get("id")),
        tool=text_or_empty(block.get("name")),
        input=arguments if isinstance(arguments, Mapping) else {},
        session=text_or_empty(line.get("sessionId")) or text_or_empty(line.get("session_id")),
        cwd=text_or_empty(line.get("cwd")),
        helper=text_or_empty(line.get("agentId")) or ("sidechain" if line.get("isSidechain") is True else ""),
    )


def _read_result(line: Mapping[str, Any], block: Mapping[str, Any], *, alone: bool) -> Result:
    """Return the result: hooks get the full result beside the message, the model only the text in it."""
    text = join_text(block.get("content"))
    if block.get("is_error") is True:
        return Result(id=text_or_empty(block.get("tool_use_id")), error=text or "it failed")
    full_result = line.get("toolUseResult") if alone else None
    return Result(
        id=text_or_empty(block.get("tool_use_id")), output=text if full_result is None else full_result
    )


SYNTHETIC_MODEL = "<synthetic>"
"""Model name of messages that no model wrote, such as errors."""


def read_usage(line: Mapping[str, Any]) -> Iterator[UsageEntry]:
    if line.get("isSidechain") is True or line.get("agentId"):
        return
    kind, message = line.get("type"), line.get("message")
    if kind == "assistant" and isinstance(message, Mapping):
        yield from _read_answer(line, message)
    elif kind == "user" and isinstance(message, Mapping):
        yield from _read_turn(line, message)
    elif kind == "system" and line.get("subtype") == "compact_boundary":
        metadata = line.get("compactMetadata")
        yield ContextUpdate(
            used=parse_tokens(metadata.get("postTokens")) if isinstance(metadata, Mapping) else 0
        )


def _read_answer(line: Mapping[str, Any], message: Mapping[str, Any]) -> Iterator[UsageEntry]:
    usage, model = message.get("usage"), text_or_empty(message.get("model"))
    if not isinstance(usage, Mapping) or model == SYNTHETIC_MODEL:
        return
    spent = TokenCounts(
        input=parse_tokens(usage.get("input_tokens")),
        output=parse_tokens(usage.get("output_tokens")),
        cache_read=parse_tokens(usage.get("cache_read_input_tokens")),
        cache_write=parse_tokens(usage.get("cache_creation_input_tokens")),
    )
    name = text_or_empty(message.get("id")) or text_or_empty(line.get("uuid"))
    request = text_or_empty(line.get("requestId"))
    yield ModelCall(spent, call=f"{name} {request}".strip(), model=model)


def _read_turn(line: Mapping[str, Any], message: Mapping[str, Any]) -> Iterator[UsageEntry]:
    """Yield the turn that a prompt belongs to.

    All lines of a turn share a prompt id; in older versions, each prompt by a person starts a turn.
    """
    if line.get("isCompactSummary") is True:  # not written by a user: the same turn continues after it
        return
    prompt = text_or_empty(line.get("promptId"))
    if prompt:
        yield Turn(prompt)
    elif line.get("isMeta") is not True and not _has_result_block(message):
        yield Turn(text_or_empty(line.get("uuid")))


def read_answer(line: Mapping[str, Any]) -> str:
    message = line.get("message")
    is_own = (
        line.get("type") == "assistant" and line.get("isSidechain") is not True and not line.get("agentId")
    )
    return "\n".join(_read_texts(message.get("content"))) if is_own and isinstance(message, Mapping) else ""


USAGE = UsageReader(
    read=read_usage, line_markers=(b'"usage"', b'"user"', b'"compact_boundary"'), read_answer=read_answer
)


_PROGRAM_PREFIXES = ("<", "Caveat:", "[Request interrupted", "This session is being continued")
"""Prefixes of texts in user messages that were written by programs."""


def read_conversation(line: Mapping[str, Any]) -> Iterator[conversation.TranscriptEntry]:
    message = line.get("message")
    marked = any(line.get(name) is True for name in ("isSidechain", "isMeta", "isCompactSummary"))
    if (
        marked
        or line.get("agentId")
        or line.get("type") not in MESSAGE_TYPES
        or not isinstance(message, Mapping)
    ):
        return
    for text in _read_texts(message.get("content")):
        if line.get("type") == "assistant":
            yield Message(by="agent", text=text)
        elif not text.lstrip().startswith(_PROGRAM_PREFIXES) and not _has_result_block(message):
            yield Message(by="person", text=text)
    for entry in read_calls(line):
        if isinstance(entry, Call):
            yield ToolUse(call=entry.id, tool=entry.tool, input=entry.input)
        elif isinstance(entry, Result):
            yield ToolResult(call=entry.id, error=entry.error)


def _has_result_block(message: Mapping[str, Any]) -> bool:
    """Return whether *message* contains a tool result; texts beside one are written by programs."""
    content = message.get("content")
    blocks = content if isinstance(content, list) else ()
    return any(isinstance(block, Mapping) and block.get("type") == "tool_result" for block in blocks)


def _read_texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for block in content if isinstance(content, list) else ():
        if isinstance(block, Mapping) and block.get("type") == "text":
            yield text_or_empty(block.get("text"))


CONVERSATION = ConversationReader(read=read_conversation, line_markers=(b'"user"', b'"assistant"'))
