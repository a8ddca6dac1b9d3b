"""VS Code's agent: Claude's payloads and replies, the editor's own tools and way to stop."""

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
from hookline.core.host import WHOLE_OUTPUT, Host, Reply, ReplyContext, Tool, moment, tool
from hookline.core.install_table import InstallEntry, InstallMethod, SettingsFile
from hookline.hosts import _claude_codec, _shared_files

CALL = {"tool": "tool_name", "input": "tool_input", "call": "tool_use_id"}
AGAIN = {"again": "stop_hook_active"}
FILE = {"path": "filePath"}
FOREIGN_FIELDS = ("permission_mode", "prompt_id", "cursor_version", "turn_id")
"""Fields that only other hosts with the same hook files send."""


def encode(answer: ReplyContext) -> Reply:
    if answer.outcome.blocked is None or not isinstance(answer.event, Stop | UserPromptSubmit):
        return _claude_codec.encode(answer)
    reply: dict[str, Any] = {}
    if answer.outcome.warnings:
        reply["systemMessage"] = "\n".join(f"hookline: {warning}" for warning in answer.outcome.warnings)
    if isinstance(answer.event, UserPromptSubmit):  # accepts only the fields common to all moments
        reply |= {"continue": False, "stopReason": answer.outcome.blocked}
    else:
        block = {"decision": "block", "reason": answer.outcome.blocked}
        reply["hookSpecificOutput"] = {"hookEventName": answer.name, **block}
    return Reply(stdout=json.dumps(reply))


def find_tool(name: str) -> Tool | None:
    return tool("mcp", output=WHOLE_OUTPUT) if name.startswith("mcp_") else None


def is_sender(payload: Mapping[str, Any], env: Mapping[str, str]) -> bool:
    """Return whether VS Code sent *payload*; other readers of the same files mark it or send more fields."""
    foreign = any(name in env for name in ("COPILOT_CLI", "CLAUDECODE", "CURSOR_VERSION"))
    return not foreign and "timestamp" in payload and not any(field in payload for field in FOREIGN_FIELDS)


def make_entry(entry: InstallEntry) -> dict[str, Any]:
    """Return an entry without a matcher, which VS Code would ignore."""
    return {"type": "command", "command": entry.line, "timeout": round(entry.timeout)}


HOST = Host(
    name="vscode",
    about="The agent of Visual Studio Code.",
    documented="the hooks reference of Visual Studio Code, approved 19 August 2026",
    event_key="hook_event_name",
    common_paths={
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
        "run_in_terminal": tool("shell", command="command", output=WHOLE_OUTPUT),
        "read_file": tool("read", **FILE, output=WHOLE_OUTPUT),
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
        "fetch_webpage": tool("fetch", pattern="query", output=WHOLE_OUTPUT),
        "runSubagent": tool("agent", content="prompt"),
    },
    find_tool=find_tool,
    encode=encode,
    recognises=is_sender,
    run_by=_shared_files.GITHUB_READERS,
    settings=("~/.copilot/hooks/hookline-vscode.json",),
    program="code",
    runs_hooks_of=(".claude/settings.json", ".claude/settings.local.json", "~/.claude/settings.json"),
    folders=(".vscode", "~/.vscode"),
    install=InstallMethod(
        layout=SettingsFile(
            user="~/.copilot/hooks/hookline-vscode.json",
            project=".github/hooks/hookline-vscode.json",
            make_entry=make_entry,
        ),
        manual_steps=("trust the workspace in Visual Studio Code: it runs hooks only in trusted workspaces",),
    ),
)
