"""Entries of a session's transcript: messages, tool calls and their results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from msgspec import Struct

from hookline.core.frozen import EMPTY


class Message(Struct, frozen=True, kw_only=True):
    """A message of the person or of the agent."""

    by: Literal["person", "agent"]
    text: str


class ToolUse(Struct, frozen=True, kw_only=True):
    """A tool call of the agent."""

    call: str
    """The host's id of the call."""
    tool: str
    kind: str = ""
    """Our kind of tool; if empty, the host's table of tools has it."""
    input: Mapping[str, Any] = EMPTY
    command: str = ""
    path: str = ""


class ToolResult(Struct, frozen=True, kw_only=True):
    """The result of a tool call."""

    call: str
    error: str = ""
    """Empty if the call succeeded."""


TranscriptEntry = Message | ToolUse | ToolResult


class ConversationReader(Struct, frozen=True, kw_only=True):
    """The reader of messages and tool calls in the transcripts of a host."""

    read: Callable[[Mapping[str, Any]], Iterable[TranscriptEntry]]
    """Returns the entries in one line of the transcript, which is passed as the decoded object."""
    line_markers: tuple[bytes, ...]
    """Substrings, of which every line with entries contains at least one; other lines are skipped."""
