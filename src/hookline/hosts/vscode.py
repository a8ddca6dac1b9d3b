"""VS Code's agent: Claude's words for what is said, the editor's own for its tools and for stopping."""

import json
from collections.abc import Mapping
from typing import Any

from hookline.core.events import (
    ALLOW,
    ASK,
    BLOCK,
    INJECT,
    MODIFY,
    PostToolUse,
    PreCompact,
    PreToolUse,
    SessionStart,
    Stop,
    SubagentStart,
    SubagentStop,
    UserPromptSubmit,
)
from hookline.core.host import WHOLE, Host, Reply, Said, Tool, moment, tool
from hookline.core.install_table import Entry, Listed, Wiring
from hookline.hosts import _claude_replies, _shared_files

CALL = {"tool": "tool_name", "input": "tool_input", "call": "tool_use_id"}
AGAIN = {"again": "stop_hook_active"}
FILE = {"path": "filePath"}
OTHERS = ("permission_mode", "prompt_id", "cursor_version", "turn_id")
"""Fields that other readers of the same files send, and this one never."""


def encode(said: Said) -> Reply:
    if said.outcome.blocked is None or not isinstance(said.event, Stop | UserPromptSubmit):
        return _claude_replies.encode(said)
    answer: dict[str, Any] = {}
    if said.outcome.warnings:
        answer["systemMessage"] = "\n".join(f"hookline: {warning}" for warning in said.outcome.warnings)
    if isinstance(said.event, UserPromptSubmit):  # which knows only what all moments know
        answer |= {"continue": False, "stopReason": said.outcome.blocked}
    else:
        block = {"decision": "block", "reason": said.outcome.blocked}
        answer["hookSpecificOutput"] = {"hookEventName": said.name, **block}
    return Reply(stdout=json.dumps(answer))


def mcp_tool(name: str) -> Tool | None:
    return tool("mcp", output=WHOLE) if name.startswith("mcp_") else None


def sent(payload: Mapping[str, Any], env: Mapping[str, str]) -> bool:
    """It marks no environment; who reads the same files marks theirs, or sends more."""
    theirs = any(name in env for name in ("COPILOT_CLI", "CLAUDECODE", "CURSOR_VERSION"))
    return not theirs and "timestamp" in payload and not any(field in payload for field in OTHERS)


def entry(one: Entry) -> dict[str, Any]:
    """Without a matcher: it would be read, and ignored."""
    return {"type": "command", "command": one.line, "timeout": round(one.seconds)}


HOST = Host(
    name="vscode",
    about="The agent of Visual Studio Code.",
    documented="the hooks reference of Visual Studio Code, approved 19 August 2026",
    names_event="hook_event_name",
    common={
        "session": "session_id",
        "transcript": "transcript_path",
        "cwd": "cwd",
        "at": "timestamp",
        "subagent_id": "agent_id",
        "subagent_type": "agent_type",
    },
    moments={
        "SessionStart": moment(SessionStart, INJECT, source="source"),
        "UserPromptSubmit": moment(UserPromptSubmit, BLOCK, prompt="prompt"),
        "PreToolUse": moment(PreToolUse, BLOCK, ASK, ALLOW, INJECT, MODIFY, **CALL),
        "PostToolUse": moment(PostToolUse, BLOCK, INJECT, **CALL, output="tool_response"),
        "PreCompact": moment(PreCompact, trigger="trigger"),
        "SubagentStart": moment(SubagentStart, INJECT),
        "SubagentStop": moment(SubagentStop, BLOCK, **AGAIN),
        "Stop": moment(Stop, BLOCK, **AGAIN),
    },
    tools={
        "run_in_terminal": tool("shell", command="command", output=WHOLE),
        "read_file": tool("read", **FILE, output=WHOLE),
        "create_file": tool("write", **FILE, content="content"),
        "replace_string_in_file": tool("edit", **FILE, content="newString"),
        "multi_replace_string_in_file": tool("edit"),
        "insert_edit_into_file": tool("edit", **FILE, content="code"),
        "edit_notebook_file": tool("edit", **FILE, content="newCode"),
        "editFiles": tool("edit"),
        "apply_patch": tool("edit", patch="input"),
        "create_directory": tool("write", path="dirPath"),
        "list_dir": tool("list", path="path"),
        "file_search": tool("glob", pattern="query"),
        "grep_search": tool("grep", pattern="query"),
        "semantic_search": tool("search", pattern="query"),
        "fetch_webpage": tool("fetch", pattern="query", output=WHOLE),
        "runSubagent": tool("agent", content="prompt"),
    },
    tool_kind=mcp_tool,
    encode=encode,
    sent=sent,
    run_by=_shared_files.GITHUBS,
    settings=("~/.copilot/hooks/hookline-vscode.json",),
    program="code",
    runs_hooks_of=(".claude/settings.json", ".claude/settings.local.json", "~/.claude/settings.json"),
    folders=(".vscode", "~/.vscode"),
    wiring=Wiring(
        way=Listed(
            user="~/.copilot/hooks/hookline-vscode.json",
            project=".github/hooks/hookline-vscode.json",
            entry=entry,
        ),
        needs=("trust the workspace in Visual Studio Code: it runs no hooks in others",),
    ),
)
