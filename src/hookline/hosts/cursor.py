"""Cursor, in the editor and on the command line."""

from typing import Any

from hookline.core.events import (
    ALLOW,
    ASK,
    BLOCK,
    INJECT,
    MODIFY,
    OnError,
    PostToolUse,
    PreCompact,
    PreToolUse,
    SessionEnd,
    SessionStart,
    Stop,
    SubagentStart,
    SubagentStop,
    UserPromptSubmit,
)
from hookline.core.host import WHOLE_OUTPUT, Host, Tool, moment, tool
from hookline.core.install_table import InstallEntry, InstallMethod, SettingsFile
from hookline.hosts._cursor_codec import (
    AGAIN,
    EMPTY_REPLY,
    MCP,
    SHELL,
    encode,
    has_failed,
    is_mcp_call,
    is_shell_call,
    is_unfinished,
    normalize,
    was_denied,
)

CALL = {"tool": "tool_name", "input": "tool_input", "call": "tool_use_id"}
RAN = {**CALL, "duration_ms": "duration"}
FILE = {"path": "file_path"}


def find_tool(name: str) -> Tool | None:
    return tool("mcp", output=WHOLE_OUTPUT) if name.startswith(MCP) else None


def make_entry(entry: InstallEntry) -> dict[str, Any]:
    """Return an entry without a matcher and without `//`.

    An invalid matcher voids the whole file, and Cursor reads `//` as a comment even inside a string.
    """
    command = entry.line
    while "//" in command:
        command = command.replace("//", "/")
    return {"command": command, "timeout": round(entry.timeout)}


HOST = Host(
    name="cursor",
    about="Cursor, in the editor and on the command line.",
    documented="Cursor's page on hooks of October 2026, and published analyses of version 2026.09.18",
    event_key="hook_event_name",
    common_paths={
        "session": "conversation_id",
        "transcript": "transcript_path",
        "cwd": "cwd",
        "turn": "generation_id",
        "subagent_id": "subagent_id",
        "subagent_type": "subagent_type",
    },
    moments={
        "sessionStart": moment(SessionStart, INJECT),
        "beforeSubmitPrompt": moment(UserPromptSubmit, BLOCK, prompt="prompt"),
        "preToolUse": moment(PreToolUse, BLOCK, ALLOW, MODIFY, **CALL).unless(is_shell_call, None),
        "beforeShellExecution": moment(PreToolUse, BLOCK, ASK, ALLOW, input="tool_input").with_values(
            tool=SHELL
        ),
        "postToolUse": moment(PostToolUse, INJECT, **RAN, output="tool_output").unless(
            is_mcp_call, moment(PostToolUse, INJECT, MODIFY, **RAN, output="tool_output")
        ),
        "postToolUseFailure": moment(PostToolUse, **RAN, error="error_message")
        .with_values(success=False)
        .unless(was_denied, None),
        "preCompact": moment(PreCompact, trigger="trigger"),
        "subagentStart": moment(SubagentStart),
        "subagentStop": moment(SubagentStop, BLOCK, again=AGAIN, last_text="summary").unless(
            is_unfinished, moment(SubagentStop, again=AGAIN, last_text="summary")
        ),
        "stop": moment(Stop, BLOCK, again=AGAIN).unless(
            is_unfinished, moment(Stop, again=AGAIN).unless(has_failed, moment(OnError, error="status"))
        ),
        "sessionEnd": moment(SessionEnd, reason="reason"),
    },
    tools={
        SHELL: tool("shell", command="command", output="output"),
        "Read": tool("read", **FILE),
        "Write": tool("write", **FILE, content="content"),
        "Delete": tool("edit", **FILE),
        "Grep": tool("grep", path="path", pattern="pattern"),
        "Glob": tool("glob", path="path", pattern="pattern"),
        "Task": tool("agent", content="prompt"),
    },
    find_tool=find_tool,
    normalize=normalize,
    encode=encode,
    encode_empty_reply=lambda name: EMPTY_REPLY,
    continuations=4,  # Cursor's own limit is 5
    env_markers=("CURSOR_VERSION",),
    recognises=lambda payload, env: "cursor_version" in payload,
    project_env="CURSOR_PROJECT_DIR",
    settings=("~/.cursor/hooks.json",),
    program="cursor-agent",
    runs_hooks_of=(".claude/settings.json", ".claude/settings.local.json"),
    folders=("~/.cursor", ".cursor"),
    install=InstallMethod(
        layout=SettingsFile(
            user="~/.cursor/hooks.json",
            project=".cursor/hooks.json",
            initial_content={"version": 1},
            make_entry=make_entry,
        ),
        manual_steps=(
            "trust the workspace in Cursor: it runs the hooks of a project only in trusted workspaces",
        ),
    ),
    headless=("cursor-agent", "-p", "{prompt}"),
)
