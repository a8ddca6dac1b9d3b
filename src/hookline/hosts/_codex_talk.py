"""What Codex's rollouts tell of what was said and done."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from hookline.hosts._codex_rollout import read as calls
from hookline.hosts._recorded import Call, Result, text_of, words
from hookline.talk import Back, Entry, Talk, Use, Words

_BY_PROGRAMS = ("<", "# AGENTS.md")
"""How texts begin that stand where a person's words do, and are not."""
_FAILED = re.compile(r"(?:Exit code:|exited with code) (?!0\b)-?\d+")


def read(line: Mapping[str, Any]) -> Iterator[Entry]:
    payload = line.get("payload")
    item: Mapping[str, Any] = payload if isinstance(payload, Mapping) else line
    if item.get("type") == "message" and line.get("type") != "event_msg":
        yield from _said(words(item.get("role")), text_of(item.get("content")))
    for one in calls(line):
        if isinstance(one, Call):
            command, path = (words(one.input.get(name)) for name in ("command", "path"))
            yield Use(call=one.id, tool=one.tool, kind=one.kind, input=one.input, command=command, path=path)
        elif isinstance(one, Result):
            yield Back(call=one.id, error=one.error or _failure(one.output))


def _said(role: str, text: str) -> Iterator[Entry]:
    if role == "assistant":
        yield Words(by="agent", text=text)
    elif role == "user" and not text.lstrip().startswith(_BY_PROGRAMS):
        yield Words(by="person", text=text)


def _failure(output: Any) -> str:
    """Newer versions tell only in words that a command failed, before what it printed."""
    text = words(output)
    return text if _FAILED.search(text[:400]) else ""


TALK = Talk(read=read, marks=(b'"message"', b"_call"))
