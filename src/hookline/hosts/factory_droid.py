"""Factory's Droid: Claude's words in its answers, tools of its own, exit codes that are best left alone."""

import re
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
from hookline.core.host import WHOLE, Host, Tool, moment, tool
from hookline.core.install_table import Entry, Listed, Look, Wiring
from hookline.hosts._claude_entries import hooks
from hookline.hosts._claude_replies import encode
from hookline.hosts._obstacles import switched

CALL = {"tool": "tool_name", "input": "tool_input"}
AGAIN = {"again": "stop_hook_active"}
FILE = {"path": "file_path"}
EXIT = re.compile(r"\[Process exited with code (\d+)\]\s*\Z")


def failure(payload: Mapping[str, Any]) -> str:
    """A command's result ends in its exit code; that it failed is said nowhere else."""
    told = payload.get("tool_response")
    found = EXIT.search(told) if isinstance(told, str) and payload.get("tool_name") == "Execute" else None
    return f"exit code {found[1]}" if found and int(found[1]) else ""


def mcp_tool(name: str) -> Tool | None:
    return tool("mcp", output=WHOLE) if name.startswith("mcp__") else None


def sent(payload: Mapping[str, Any], env: Mapping[str, str]) -> bool:
    """It says little more than others do, but its modes are called otherwise."""
    known = payload.get("permission_mode") in (None, "off", "spec", "auto-low", "auto-medium", "auto-high")
    return bool(env.get("DROID_PROJECT_DIR")) and known and "prompt_id" not in payload


def entry(one: Entry) -> dict[str, Any]:
    return {"hooks": [{"type": "command", "command": one.line, "timeout": round(one.seconds)}]}


HOST = Host(
    name="factory-droid",
    about="Factory's Droid.",
    documented="Factory's page on hooks, and what others read in version 0.223.0",
    names_event="hook_event_name",
    common={
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
        "Execute": tool("shell", command="command", output=WHOLE),
        "Read": tool("read", **FILE, output=WHOLE),
        "Create": tool("write", **FILE, content="content"),
        "Edit": tool("edit", **FILE, content="new_str"),
        "MultiEdit": tool("edit", **FILE),
        "ApplyPatch": tool("edit", patch="input"),
        "LS": tool("list", path="directory_path"),
        "Glob": tool("glob", path="folder", pattern="patterns"),
        "Grep": tool("grep", path="path", pattern="pattern", output=WHOLE),
        "FetchUrl": tool("fetch", path="url", output=WHOLE),
        "WebSearch": tool("search", pattern="query"),
        "Task": tool("agent", content="prompt"),
    },
    tool_kind=mcp_tool,
    failure=failure,
    encode=encode,
    telltales=("DROID_PROJECT_DIR",),
    sent=sent,
    project_env="FACTORY_PROJECT_DIR",
    settings=("~/.factory/hooks.json", "~/.factory/settings.json"),
    program="droid",
    folders=("~/.factory", ".factory"),
    wiring=Wiring(
        way=Listed(
            user="~/.factory/hooks.json", project=".factory/hooks.json", under=(), entry=entry, read=hooks
        ),
        looks=(
            Look(file="~/.factory/settings.json", said=switched("hooksDisabled", "allowManagedHooksOnly")),
        ),
        needs=("start droid anew: it reads its hooks once, when it starts",),
    ),
    headless=("droid", "exec", "{prompt}"),
)
