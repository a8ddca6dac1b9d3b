"""What self-protect says about a call: which rule, what was stopped, and what is right instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from msgspec import Struct

Action: TypeAlias = 'Literal["block", "ask"]'
Span = tuple[int, int]
_PERSON = "Only the person you work for does that, in a terminal of their own; ask them if it is needed."
_SAYINGS: Mapping[str, tuple[str, str]] = {
    "command": ("This would change what the guards allow", _PERSON),
    "uninstall": ("This would take the guards away or replace them", _PERSON),
    "switch": ("This sets a switch that turns guards off or moves the end of the budget", _PERSON),
    "write-user": ("This would change the user's own files of hookline", f"Reading them is fine. {_PERSON}"),
    "write-wiring": (
        "This would change the settings that wire the guards into this agent",
        f"Reading them is fine. {_PERSON}",
    ),
    "write-project": (
        "This would change a file of the project that says what guards it",
        "If that is your task, use your file editing tool, so that the person sees and confirms the change.",
    ),
    "hidden": (
        "What this would change cannot be told from how it is written, and it may be what guards you",
        "Write it plainly, with the path spelled out; otherwise the person has to agree.",
    ),
}
RULES = tuple(_SAYINGS)


class Finding(Struct, frozen=True, kw_only=True):
    rule: str
    what: str
    """The path or the command that it is about."""
    span: Span | None = None
    action: Action = "block"

    @property
    def message(self) -> str:
        said, instead = _SAYINGS[self.rule]
        return f"{said}: {self.what}. {instead}"
