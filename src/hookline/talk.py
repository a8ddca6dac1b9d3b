"""What a host's recording tells of a session besides tokens: what was said, what was run, what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from hookline.frozen import NOTHING
from hookline.record import field, record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal


@record
class Words:
    """What somebody said."""

    by: Literal["person", "agent"]
    text: str


@record
class Use:
    """A tool that the agent used."""

    call: str
    """The host's own name of the call."""
    tool: str
    kind: str = ""
    """Empty where the host's table of tools has to tell."""
    input: Mapping[str, Any] = field(default=NOTHING)
    command: str = ""
    path: str = ""


@record
class Back:
    """What came back from a call."""

    call: str
    error: str = ""
    """Empty where it worked."""


Entry = Words | Use | Back


@record
class Talk:
    """How the recordings of a host are read."""

    read: Callable[[Mapping[str, Any]], Iterable[Entry]]
    """From one line, as the object that it holds, to what it tells."""
    marks: tuple[bytes, ...]
    """A line without any of these tells nothing, and need not be read."""
