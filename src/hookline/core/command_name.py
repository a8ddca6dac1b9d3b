"""Names of tool calls: the program and subcommand that a call runs, by which its errors are grouped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from hookline.core.error_signature import sanitize_name
from hookline.shell import SimpleCommand, read
from hookline.shell.options import word_set

SHELLS: Mapping[str, Literal["bash", "powershell", "cmd"]] = {
    "shell": "bash",
    "powershell": "powershell",
    "cmd": "cmd",
}
_SETUP_PROGRAMS = word_set(
    """cd export set source . true : echo printf pushd popd umask ulimit sleep test [ mkdir env"""
)
_SUBCOMMAND_PROGRAMS = word_set(
    """git npm pnpm yarn npx bun cargo go docker podman kubectl helm pip pip3 uv poetry conda terraform aws
    gcloud az gh brew apt apt-get dotnet mvn gradle bundle rails composer systemctl make just tox nox deno"""
)
_NESTED_SUBCOMMANDS = frozenset(("run", "exec", "compose", "tool"))
_PYTHONS = ("python", "python3", "py")


def find_command(tool_input: Mapping[str, Any]) -> str:
    """Return the command line in a shell tool's input: the value of `command`, else its first string."""
    command = tool_input.get("command")
    return (
        command
        if isinstance(command, str)
        else next((value for value in tool_input.values() if isinstance(value, str)), "")
    )


def name_call(kind: str, tool: str, command: str, cwd: str = "", home: str = "") -> str:
    """Return the program and subcommand that a call runs, or its tool's name if it is not a shell call."""
    if kind not in SHELLS:
        return sanitize_name(tool) or sanitize_name(kind) or "tool"
    commands = read(command, cwd=cwd, home=home, shell=SHELLS[kind]).commands
    wrappers = {via.split()[0] for simple in commands for via in simple.via if via}
    candidates = [
        simple for simple in commands if simple.name and simple.name not in _SETUP_PROGRAMS | wrappers
    ] or commands
    return _name_command(candidates[0]) if candidates else "shell"


def _name_command(command: SimpleCommand) -> str:
    words = [word.text for word in command.words[1:]]
    if command.name in _PYTHONS and words[:1] == ["-m"]:
        return sanitize_name(words[1]) if len(words) > 1 and sanitize_name(words[1]) else "python"
    arguments = [word for word in words if not word.startswith("-")]
    depth = (
        (2 if arguments[:1] and arguments[0] in _NESTED_SUBCOMMANDS else 1)
        if command.name in _SUBCOMMAND_PROGRAMS
        else 0
    )
    return " ".join(filter(None, map(sanitize_name, (command.name, *arguments[:depth])))) or "shell"
