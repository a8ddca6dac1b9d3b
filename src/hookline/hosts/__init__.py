"""Table of each supported host: one module per host, with the constant `HOST`.

`AGENT_PROGRAMS` contains the arguments and variables with which an agent program starts without its guards or
without asking.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from hookline.core.host import Host
from hookline.core.registry import Registry

__all__ = ["AGENT_PROGRAMS", "FAMILY", "AgentProgram", "load", "names"]

FAMILY = Registry(package=__name__, noun="host", constant="HOST")


def names() -> tuple[str, ...]:
    return FAMILY.names()


def load(name: str) -> Host:
    host: Host = FAMILY.load(name)
    return host


class AgentProgram(Struct, frozen=True, kw_only=True):
    """One agent program; a phrase of several words requires all of them."""

    arguments: tuple[str, ...]
    """Arguments that skip permissions, disable hooks, or select other settings."""
    variables: tuple[str, ...] = ()
    """Variables that select another folder for its settings, besides the home."""


_CLAUDE = AgentProgram(
    arguments=(
        *("--dangerously-skip-permissions", "--allow-dangerously-skip-permissions", "bypassPermissions"),
        *("--settings", "--setting-sources", "--bare", "--safe-mode"),
    ),
    variables=("CLAUDE_CONFIG_DIR", "CLAUDE_CODE_SIMPLE"),
)
_CODEX = AgentProgram(
    arguments=(
        *("--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust", "--yolo"),
        *("--full-auto", "danger-full-access", "--ask-for-approval never", "-a never", "hooks="),
        *("--disable hooks", "--ignore-user-config"),
    ),
    variables=("CODEX_HOME",),
)
_GEMINI = AgentProgram(
    arguments=("--yolo", "-y", "--approval-mode yolo", "--approval-mode=yolo", "enabled=false"),
    variables=("GEMINI_CLI_HOME", "GEMINI_CONFIG_DIR", "GEMINI_CLI_SYSTEM_SETTINGS_PATH", "GEMINI_DIR"),
)
_QWEN = AgentProgram(
    arguments=_GEMINI.arguments, variables=("QWEN_HOME", "QWEN_CONFIG_DIR", "QWEN_CODE_SYSTEM_SETTINGS_PATH")
)
_COPILOT = AgentProgram(
    arguments=("--allow-all-tools", "--allow-all-paths", "--allow-all", "--yolo", "--config-dir"),
    variables=("COPILOT_HOME",),
)
_OPENCODE = AgentProgram(
    arguments=("--pure", "--auto", "--dangerously-skip-permissions"),
    variables=("OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR", "OPENCODE_CONFIG_CONTENT", "OPENCODE_PERMISSION"),
)
AGENT_PROGRAMS: Mapping[str, AgentProgram] = {
    **dict.fromkeys(("claude", "claude-code"), _CLAUDE),
    "codex": _CODEX,
    **dict.fromkeys(("gemini", "gemini-cli"), _GEMINI),
    **dict.fromkeys(("qwen", "qwen-code"), _QWEN),
    "copilot": _COPILOT,
    **dict.fromkeys(("opencode", "opencode-ai"), _OPENCODE),
    "cursor-agent": AgentProgram(arguments=("-f", "--force", "--yolo"), variables=("CURSOR_CONFIG_DIR",)),
    "droid": AgentProgram(arguments=("--skip-permissions-unsafe", "--auto high", "--settings")),
    "cline": AgentProgram(arguments=("-y", "--yolo", "--config", "--no-hooks"), variables=("CLINE_DIR",)),
    "kiro-cli": AgentProgram(arguments=("-a", "--trust-all-tools"), variables=("KIRO_HOME",)),
    "reasonix": AgentProgram(arguments=("--yolo",), variables=("REASONIX_HOME",)),
    "amp": AgentProgram(arguments=("--dangerously-allow-all", "--settings-file")),
}
"""Agent programs by name; packages of a package runner have the name after the slash."""
