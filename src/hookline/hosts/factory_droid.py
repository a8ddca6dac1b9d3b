"""Factory's Droid: Claude's reply format and tools of its own; exit codes are not used."""

from collections.abc import Mapping
from typing import Any

from hookline.core.events import (
    ALLOW,
    ASK,
    BLOCK,
    INJECT,
    MODIFY,
    Notification,
    PostToolUse,
    PreCompact,
    PreToolUse,
    SessionEnd,
    SessionStart,
    Stop,
    SubagentStop,
    UserPromptSubmit,
)
from hookline.core.host import WHOLE_OUTPUT, Host, Tool, moment, tool
from hookline.core.install_table import InstallEntry, InstallMethod, ObstacleCheck, SettingsFile
from hookline.hosts._claude_codec import encode
from hookline.hosts._claude_entries import read_hooks
from hookline.hosts._obstacles import disabled_by
from hookline.lazy import re

CALL = {"tool": "tool_name", "input": "tool_input"}
AGAIN = {"again": "stop_hook_active"}
FILE = {"path": "file_path"}
EXIT_CODE = re.compile(r"\[Process exited with code (\d+)\]\s*\Z")


def find_failure(payload: Mapping[str, Any]) -> str:
    """Return the exit code at the end of a command's result; Droid reports a failure nowhere else."""
    result = payload.get("tool_response")
    exit_code = (
        EXIT_CODE.search(result)
        if isinstance(result, str) and payload.get("tool_name") == "Execute"
        else None
    )
    return f"exit code {exit_code[1]}" if exit_code and int(exit_code[1]) else ""


def find_tool(name: str) -> Tool | None:
    return tool("mcp", output=WHOLE_OUTPUT) if name.startswith("mcp__") else None


def is_sender(payload: Mapping[str, Any], env: Mapping[str, str]) -> bool:
    """Return whether Droid sent *payload*; its fields are common, but its mode names are its own."""
    own_mode = payload.get("permission_mode") in (None, "off", "spec", "auto-low", "auto-medium", "auto-high")
    return bool(env.get("DROID_PROJECT_DIR")) and own_mode and "prompt_id" not in payload


def make_entry(entry: InstallEntry) -> dict[str, Any]:
    return {"hooks": [{"type": "command", "command": entry.line, "timeout": round(entry.timeout)}]}


HOST = Host(
    name="factory-droid",
    about="Factory's Droid.",
    documented="Factory's page on hooks, and published analyses of version 0.223.0",
    event_key="hook_event_name",
    common_paths={
        "session": "session_id",
        "transcript": "transcript_path",
        "cwd": "cwd",
        "turn": "message_id",
        "mode": "permission_mode",
    },
    moments={
        "SessionStart": moment(SessionStart, INJECT, source="source"),
        "UserPromptSubmit": moment(UserPromptSubmit, BLOCK, INJECT, prompt="prompt"),
        "PreToolUse": moment(PreToolUse, BLOCK, ASK, ALLOW, MODIFY, **CALL),
        "PostToolUse": moment(PostToolUse, BLOCK, INJECT, **CALL, output="tool_response"),
        "PreCompact": moment(PreCompact, trigger="trigger", instructions="custom_instructions"),
        "SubagentStop": moment(SubagentStop, BLOCK, **AGAIN),
        "Notification": moment(Notification, text="message"),
        "Stop": moment(Stop, BLOCK, **AGAIN),
        "SessionEnd": moment(SessionEnd, reason="reason"),
    },
    tools={
        "Execute": tool("shell", command="command", output=WHOLE_OUTPUT),
        "Read": tool("read", **FILE, output=WHOLE_OUTPUT),
        "Create": tool("write", **FILE, content="content"),
        "Edit": tool("edit", **FILE, content="new_str"),
        "MultiEdit": tool("edit", **FILE),
        "ApplyPatch": tool("edit", patch="input"),
        "LS": tool("list", path="directory_path"),
        "Glob": tool("glob", path="folder", pattern="patterns"),
        "Grep": tool("grep", path="path", pattern="pattern", output=WHOLE_OUTPUT),
        "FetchUrl": tool("fetch", path="url", output=WHOLE_OUTPUT),
        "WebSearch": tool("search", pattern="query"),
        "Task": tool("agent", content="prompt"),
    },
    find_tool=find_tool,
    find_error=find_failure,
    encode=encode,
    env_markers=("DROID_PROJECT_DIR",),
    recognises=is_sender,
    project_env="FACTORY_PROJECT_DIR",
    settings=("~/.factory/hooks.json", "~/.factory/settings.json"),
    program="droid",
    folders=("~/.factory", ".factory"),
    install=InstallMethod(
        layout=SettingsFile(
            user="~/.factory/hooks.json",
            project=".factory/hooks.json",
            table_path=(),
            make_entry=make_entry,
            read_entry=read_hooks,
        ),
        checks=(
            ObstacleCheck(
                file="~/.factory/settings.json",
                find_obstacle=disabled_by("hooksDisabled", "allowManagedHooksOnly"),
            ),
        ),
        manual_steps=("restart droid: it reads its hooks only at its start",),
    ),
    headless=("droid", "exec", "{prompt}"),
)
