"""What Claude Code's transcripts tell of what was said and done; those of helper agents are not its own."""

from collections.abc import Iterator, Mapping
from typing import Any

from hookline.hosts._claude_transcript import SPEAKERS
from hookline.hosts._claude_transcript import read as calls
from hookline.hosts._recorded import Call, Result, words
from hookline.talk import Back, Entry, Talk, Use, Words

_BY_PROGRAMS = ("<", "Caveat:", "[Request interrupted", "This session is being continued")
"""How texts begin that stand where a person's words do, and are not."""


def read(line: Mapping[str, Any]) -> Iterator[Entry]:
    message = line.get("message")
    aside = line.get("isSidechain") is True or line.get("agentId") or line.get("isMeta") is True
    if aside or line.get("type") not in SPEAKERS or not isinstance(message, Mapping):
        return
    for text in _texts(message.get("content")):
        if line.get("type") == "assistant":
            yield Words(by="agent", text=text)
        elif not text.lstrip().startswith(_BY_PROGRAMS) and not _comes_back(message):
            yield Words(by="person", text=text)
    for one in calls(line):
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


TALK = Talk(read=read, marks=(b'"user"', b'"assistant"'))
