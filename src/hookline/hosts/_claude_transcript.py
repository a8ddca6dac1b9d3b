"""Claude Code's transcripts, `projects/<folder>/<session>.jsonl`: one line → the calls and results in it.

Helper agents write files of their own (`subagents/agent-*.jsonl`) with the session's id; older versions mixed
their lines into the session's. What `--output-format stream-json` prints has the same messages.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from hookline.hosts._recorded import Call, Entry, Result, text_of, words

SPEAKERS = ("assistant", "user")


def recognises(line: Mapping[str, Any]) -> bool:
    """Whether this line is from a transcript; most kinds of lines there say nothing of calls."""
    return "sessionId" in line or (line.get("type") in SPEAKERS and isinstance(line.get("message"), Mapping))


def read(line: Mapping[str, Any]) -> Iterator[Entry]:
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
