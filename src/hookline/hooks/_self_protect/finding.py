"""A finding of self-protect: the rule, the path or command that was stopped, and the safe alternative."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from msgspec import Struct

from hookline.shell import UNKNOWN

Action: TypeAlias = 'Literal["block", "ask"]'
Span = tuple[int, int]
_PERSON = "Only the user may do that, in their own terminal; ask them if it is needed."
_MESSAGES: Mapping[str, tuple[str, str]] = {
    "command": ("This would change what the guards allow", _PERSON),
    "uninstall": ("This would remove or replace the guards", _PERSON),
    "switch": ("This sets a variable that turns guards off or changes the end of the budget", _PERSON),
    "agent": (
        "This would start an agent without guards, or one that asks nobody",
        "Start it with its usual settings, or let the user agree.",
    ),
    "secret": ("This would read a secret of hookline", _PERSON),
    "write-user": ("This would change the user's hookline files", f"Reading them is fine. {_PERSON}"),
    "write-wiring": (
        "This would change the settings that install the guards in this agent",
        f"Reading them is fine. {_PERSON}",
    ),
    "write-project": (
        "This would change a project file that configures its guards",
        "If that is your task, use your file editing tool; the user then sees and confirms the change.",
    ),
    "hidden": (
        "The target of this change is hidden, and it may be a guard",
        "Write it as a plain command with the full path; otherwise the user has to agree.",
    ),
    "too-long": (
        "This command is too long to be checked",
        "Write it as several shorter commands, or as a script file.",
    ),
}
RULES = tuple(_MESSAGES)


class Finding(Struct, frozen=True, kw_only=True):
    rule: str
    what: str
    """The path or the command that breaks the rule."""
    span: Span | None = None
    action: Action = "block"

    @property
    def message(self) -> str:
        problem, alternative = _MESSAGES[self.rule]
        return f"{problem}: {self.what}. {alternative}"


def quote(text: str) -> str:
    """Return a path or command for a message, with its unknown parts as dots."""
    return f"`{text.replace(UNKNOWN, '…')[:200]}`"
