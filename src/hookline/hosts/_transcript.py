"""What a host's recording of a session comes to: where it was, what was called, what came back."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from hookline.core.frozen import NOTHING


class Place(Struct, frozen=True, kw_only=True):
    """Where the lines from here on belong; what is empty stays as it was."""

    session: str = ""
    cwd: str = ""


class Call(Struct, frozen=True, kw_only=True):
    """A tool call that the agent wanted."""

    id: str
    """The host's own name of the call; empty where it has none, and then its result cannot be found."""
    tool: str
    kind: str = "other"
    """In our words, for hosts whose table of tools is not at hand."""
    input: Mapping[str, Any] = NOTHING
    session: str = ""
    cwd: str = ""
    host: str = ""
    """Who made the call, where a recording holds those of several hosts."""
    helper: str = ""
    """The helper agent that wanted it, if any."""
    partial: bool = False
    """Whether only the beginning of its input was kept."""


class Result(Struct, frozen=True, kw_only=True):
    """What came back from a call."""

    id: str
    output: Any = None
    error: str = ""
    """What the agent was told where the call failed; empty where it worked."""


Entry = Place | Call | Result


def words(value: Any) -> str:
    """*value* if it is text; a recording is other people's data, and a field may be anything."""
    return value if isinstance(value, str) else ""


def text_of(content: Any) -> str:
    """The text of an answer that is a string, or a list of blocks of which some have text."""
    if isinstance(content, list):
        return "\n".join(words(block.get("text")) for block in content if isinstance(block, Mapping))
    return words(content)
