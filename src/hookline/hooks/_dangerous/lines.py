"""The command line of a call, of a shell or of a tool of others that takes one, and where it runs."""

from __future__ import annotations

from collections.abc import Mapping
from shlex import join
from typing import Any, Literal

from hookline.events import PreToolUse
from hookline.hooks._dangerous.finding import Place
from hookline.state import State

SHELLS: Mapping[str, Literal["bash", "powershell", "cmd"]] = {
    "shell": "bash",
    "powershell": "powershell",
    "cmd": "cmd",
}
_SOMEWHERE = "/here"
"""Stands for a working folder that nobody told us, so that `.` still means that folder."""
_COMMANDS = ("command", "cmd", "shell_command", "command_line")
"""Where tools of others have a command line, or its words."""


def commanded(event: PreToolUse) -> str:
    """The command line of a shell, or of a tool of others that takes one."""
    if event.kind in SHELLS or event.kind not in ("mcp", "other"):
        return (event.command or "") if event.kind in SHELLS else ""
    given = next((event.input[key] for key in _COMMANDS if key in event.input), "")
    return given if isinstance(given, str) else _joined(given)


def _joined(words: Any) -> str:
    return join(one for one in words if isinstance(one, str)) if isinstance(words, tuple) else ""


def whereabouts(
    event: PreToolUse, state: State, protected: tuple[str, ...], lease: Literal["warn", "block"]
) -> Place:
    cwd, home, root = event.cwd or state.root or _SOMEWHERE, state.home, state.root
    return Place(cwd=cwd, home=home, root=root, protected=protected, lease=lease)
