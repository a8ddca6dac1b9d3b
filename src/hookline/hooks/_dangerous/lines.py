"""The command line of a call: of a shell, and of tools of others that take one."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    from hookline.events import PreToolUse

SHELLS: Mapping[str, Literal["bash", "powershell", "cmd"]] = {
    "shell": "bash",
    "powershell": "powershell",
    "cmd": "cmd",
}
_COMMANDS = ("command", "cmd", "shell_command", "command_line")
"""Where tools of others have a command line, or its words."""


def commanded(event: PreToolUse) -> str:
    """The command line of a shell, or of a tool of others that takes one."""
    if event.kind in SHELLS or event.kind not in ("mcp", "other"):
        return (event.command or "") if event.kind in SHELLS else ""
    given = next((event.input[key] for key in _COMMANDS if key in event.input), "")
    return given if isinstance(given, str) else _joined(given)


def _joined(words: Any) -> str:
    from shlex import join  # noqa: PLC0415 -- few tools take a list

    return join(one for one in words if isinstance(one, str)) if isinstance(words, tuple) else ""
