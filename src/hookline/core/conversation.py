"""What a host's recording tells of a session besides tokens: what was said, what was run, what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from msgspec import Struct

from hookline.core.frozen import NOTHING


class Words(Struct, frozen=True, kw_only=True):
    """What somebody said."""

    by: Literal["person", "agent"]
    text: str


class Use(Struct, frozen=True, kw_only=True):
    """A tool that the agent used."""

    call: str
    """The host's own name of the call."""
    tool: str
    kind: str = ""
    """Empty where the host's table of tools has to tell."""
    input: Mapping[str, Any] = NOTHING
    command: str = ""
    path: str = ""


class Back(Struct, frozen=True, kw_only=True):
    """What came back from a call."""

    call: str
    error: str = ""
    """Empty where it worked."""


Entry = Words | Use | Back


class Talk(Struct, frozen=True, kw_only=True):
    """How the recordings of a host are read."""

    read: Callable[[Mapping[str, Any]], Iterable[Entry]]
    """From one line, as the object that it holds, to what it tells."""
    marks: tuple[bytes, ...]
    """A line without any of these tells nothing, and need not be read."""
