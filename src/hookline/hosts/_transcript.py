"""Records that hookline reads from a host's transcript: session, tool calls and their results."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from hookline.core.frozen import EMPTY


class SessionInfo(Struct, frozen=True, kw_only=True):
    """Session and working directory of the lines that follow; an empty field leaves the value unchanged."""

    session: str = ""
    cwd: str = ""


class Call(Struct, frozen=True, kw_only=True):
    """A tool call that the agent requested."""

    id: str
    """The host's id of the call; a call without one cannot be matched with its result."""
    tool: str
    kind: str = "other"
    """Hookline's kind of the tool, for hosts whose table of tools is not available."""
    input: Mapping[str, Any] = EMPTY
    session: str = ""
    cwd: str = ""
    host: str = ""
    """The host that made the call, if a transcript contains calls of several hosts."""
    helper: str = ""
    """The subagent that requested the call, if any."""
    partial: bool = False
    """True if the recorded input is truncated."""


class Result(Struct, frozen=True, kw_only=True):
    """The result of a tool call."""

    id: str
    output: Any = None
    error: str = ""
    """The error message that the agent received; empty if the call succeeded."""


Entry = SessionInfo | Call | Result


def text_or_empty(value: Any) -> str:
    """Return *value* if it is text, else "": a field of a transcript may have any type."""
    return value if isinstance(value, str) else ""


def join_text(content: Any) -> str:
    """Return the text of *content*, which is a string or a list of blocks, some with text."""
    if isinstance(content, list):
        return "\n".join(text_or_empty(block.get("text")) for block in content if isinstance(block, Mapping))
    return text_or_empty(content)
