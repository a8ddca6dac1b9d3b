"""Reader of Claude Code's transcripts (`projects/<folder>/<session>.jsonl`): calls, usage and conversation.

Subagents write files of their own (`subagents/agent-*.jsonl`) with the session's id; older versions mixed
their lines into the session's file. `--output-format stream-json` prints the same messages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hookline.core import conversation
from hookline.core.conversation import Back, Talk, Use, Words
from hookline.core.usage import Answer, Around, Recording, Spent, Told, Turn, tokens
from hookline.hosts import _transcript
from hookline.hosts._transcript import Call, Result, text_of, words

SPEAKERS = ("assistant", "user")


def recognises(line: Mapping[str, Any]) -> bool:
    """Whether this line is from a transcript; most kinds of lines there say nothing of calls."""
    return "sessionId" in line or (line.get("type") in SPEAKERS and isinstance(line.get("message"), Mapping))


def read_calls(line: Mapping[str, Any]) -> Iterator[_transcript.Entry]:
    message = line.get("message")
    if line.get("type") not in SPEAKERS or not isinstance(message, Mapping):
        return
    content = message.get("content")
    blocks = [block for block in content if isinstance(block, Mapping)] if isinstance(content, list) else []
    for block in blocks:
        if block.get("type") == "tool_use":
            yield _call(line, block)
        elif block.get("type") == "tool_result":
            yield _result(line, block, alone=len(blocks) == 1)


def _call(line: Mapping[str, Any], block: Mapping[str, Any]) -> Call:
    given = block.get("input")
    return Call(
        id=words(block.get("id")),
        tool=words(block.get("name")),
        input=given if isinstance(given, Mapping) else {},
        session=words(line.get("sessionId")) or words(line.get("session_id")),
        cwd=words(line.get("cwd")),
        helper=words(line.get("agentId")) or ("sidechain" if line.get("isSidechain") is True else ""),
    )


def _result(line: Mapping[str, Any], block: Mapping[str, Any], *, alone: bool) -> Result:
    """What hooks are handed stands beside the message, whole; in it is what the model was told."""
    told = text_of(block.get("content"))
    if block.get("is_error") is True:
        return Result(id=words(block.get("tool_use_id")), error=told or "it failed")
    whole = line.get("toolUseResult") if alone else None
    return Result(id=words(block.get("tool_use_id")), output=told if whole is None else whole)


MADE_UP = "<synthetic>"
"""The model of messages that no model wrote, such as an error."""


def read_usage(line: Mapping[str, Any]) -> Iterator[Told]:
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


USAGE = Recording(read=read_usage, marks=(b'"usage"', b'"user"', b'"compact_boundary"'), late=True)


_BY_PROGRAMS = ("<", "Caveat:", "[Request interrupted", "This session is being continued")
"""How texts begin that stand where a person's words do, and are not."""


def read_conversation(line: Mapping[str, Any]) -> Iterator[conversation.Entry]:
    message = line.get("message")
    aside = line.get("isSidechain") is True or line.get("agentId") or line.get("isMeta") is True
    if aside or line.get("type") not in SPEAKERS or not isinstance(message, Mapping):
        return
    for text in _texts(message.get("content")):
        if line.get("type") == "assistant":
            yield Words(by="agent", text=text)
        elif not text.lstrip().startswith(_BY_PROGRAMS) and not _comes_back(message):
            yield Words(by="person", text=text)
    for one in read_calls(line):
        if isinstance(one, Call):
            yield Use(call=one.id, tool=one.tool, input=one.input)
        elif isinstance(one, Result):
            yield Back(call=one.id, error=one.error)


def _comes_back(message: Mapping[str, Any]) -> bool:
    """Whether a tool's result is in it: what stands beside one is a program's, for people write apart."""
    content = message.get("content")
    blocks = content if isinstance(content, list) else ()
    return any(isinstance(block, Mapping) and block.get("type") == "tool_result" for block in blocks)


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for block in content if isinstance(content, list) else ():
        if isinstance(block, Mapping) and block.get("type") == "text":
            yield words(block.get("text"))


CONVERSATION = Talk(read=read_conversation, marks=(b'"user"', b'"assistant"'))
