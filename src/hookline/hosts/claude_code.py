"""Claude Code: JSON in, JSON out, exit code 0; with exit code 2 the model would read the command line."""

from __future__ import annotations

from functools import partial
from typing import Any

from hookline.core.events import (
    ALLOW,
    ASK,
    BLOCK,
    INJECT,
    MODIFY,
    Event,
    Notification,
    OnError,
    PermissionRequest,
    PostCompact,
    PostToolUse,
    PreCompact,
    PreToolUse,
    SessionEnd,
    SessionStart,
    Stop,
    SubagentStart,
    SubagentStop,
    TurnStart,
    UserPromptSubmit,
)
from hookline.core.host import WHOLE_OUTPUT, Dialect, Host, Tool, moment, tool
from hookline.core.install_table import InstallEntry, InstallMethod, SettingsFile
from hookline.core.payload import compose
from hookline.hosts import _claude_codec, _claude_transcript, _shared_files
from hookline.hosts._claude_entries import read_hooks

CALL = {"tool": "tool_name", "input": "tool_input", "call": "tool_use_id"}
RAN = {**CALL, "duration_ms": "duration_ms"}
ENDED = {"again": "stop_hook_active", "last_text": "last_assistant_message"}
FILE = {"path": "file_path"}


def find_tool(name: str) -> Tool | None:
    return (
        tool("mcp", output=WHOLE_OUTPUT) if name.startswith("mcp__") else _claude_codec.TODO_TOOLS.get(name)
    )


def compose_payload(event: Event) -> dict[str, Any]:
    tool_failed = isinstance(event, OnError) and event.tool
    return compose(HOST, event, "PostToolUseFailure" if tool_failed else "")


def make_entry(entry: InstallEntry) -> dict[str, Any]:
    return {"hooks": [{"type": "command", "command": entry.line, "timeout": round(entry.timeout)}]}


HOST: Host = Host(
    name="claude-code",
    about="Anthropic's Claude Code.",
    tested_version="2.1.325",
    event_key="hook_event_name",
    common_paths={
        "session": "session_id",
        "transcript": "transcript_path",
        "cwd": "cwd",
        "turn": "prompt_id",
        "mode": "permission_mode",
        "subagent_id": "agent_id",
        "subagent_type": "agent_type",
    },
    moments={
        "SessionStart": moment(SessionStart, INJECT, source="source"),
        "UserPromptSubmit": moment(UserPromptSubmit, BLOCK, INJECT, prompt="prompt")
        .with_timeout(25.0)
        .unless(
            _claude_codec.is_background, moment(TurnStart, BLOCK, INJECT, prompt="prompt").with_timeout(25.0)
        ),
        "PreToolUse": moment(PreToolUse, BLOCK, ASK, ALLOW, INJECT, MODIFY, **CALL),
        "PermissionRequest": moment(PermissionRequest, BLOCK, ALLOW, **CALL),
        "PostToolUse": moment(PostToolUse, BLOCK, INJECT, MODIFY, **RAN, output="tool_response"),
        "PostToolUseFailure": moment(PostToolUse, BLOCK, INJECT, **RAN, error="error").with_values(
            success=False
        ),
        "PreCompact": moment(PreCompact, INJECT, trigger="trigger", instructions="custom_instructions"),
        "PostCompact": moment(PostCompact, trigger="trigger", summary="compact_summary"),
        "SubagentStart": moment(SubagentStart, INJECT),
        "SubagentStop": moment(SubagentStop, BLOCK, **ENDED).unless(_claude_codec.is_untyped, None),
        "Notification": moment(Notification, INJECT, kind="notification_type", text="message"),
        "Stop": moment(Stop, BLOCK, **ENDED),
        "StopFailure": moment(OnError, error="error"),
        "SessionEnd": moment(SessionEnd, reason="reason").with_timeout(1.2),
    },
    tools={
        "Bash": tool("shell", command="command", output="stdout", errors="stderr", timeout_ms="timeout"),
        "PowerShell": tool("powershell", command="command", output="stdout", errors="stderr"),
        "Read": tool("read", **FILE, output="file.content"),
        "Write": tool("write", **FILE, content="content"),
        "Edit": tool("edit", **FILE, content="new_string"),
        "NotebookEdit": tool("edit", path="notebook_path", content="new_source"),
        "Glob": tool("glob", path="path", pattern="pattern"),
        "Grep": tool("grep", path="path", pattern="pattern", output="content"),
        "LS": tool("list", path="path"),
        "WebFetch": tool("fetch", path="url", output="result"),
        "WebSearch": tool("search", pattern="query"),
        **dict.fromkeys(("Agent", "Task"), tool("agent", content="prompt")),
        "StructuredOutput": tool("leave"),
        "AskUserQuestion": tool("question"),
    },
    find_tool=find_tool,
    encode=partial(_claude_codec.encode, terminal=True),
    shows_notices=True,
    dialect=Dialect(
        name="claude",
        keys=_claude_codec.REPLY_KEYS,
        read=_claude_codec.read_reply,
        payload=compose_payload,
        env={"CLAUDE_PROJECT_DIR": "project"},
        host=lambda: HOST,
    ),
    env_markers=("CLAUDECODE", "CLAUDE_CODE_SESSION_ID"),
    recognises=_claude_codec.is_sender,
    run_by=_shared_files.CLAUDE_READERS,
    project_env="CLAUDE_PROJECT_DIR",
    transient_env=("CLAUDE_EFFORT", "CLAUDE_ENV_FILE"),
    settings=("~/.claude/settings.json", "~/.claude.json"),
    repository_switches=(".claude/settings.json", ".claude/settings.local.json"),
    program="claude",
    folders=("~/.claude", ".claude"),
    install=InstallMethod(
        layout=SettingsFile(
            user="~/.claude/settings.json",
            project=".claude/settings.json",
            private_project=".claude/settings.local.json",
            make_entry=make_entry,
            read_entry=read_hooks,
            plugin_files=("hooks/hooks.json", "plugins/*/hooks/hooks.json"),
            plugin_env="CLAUDE_PLUGIN_ROOT",
            default_timeout=600.0,
            variables="env",
        ),
        folder_env="CLAUDE_CONFIG_DIR",
        checks=_claude_codec.CHECKS,
    ),
    usage=_claude_transcript.USAGE,
    headless_env={"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"},
    conversation=_claude_transcript.CONVERSATION,
    run_ending_events=(PreToolUse, PostToolUse),
    headless=("claude", "-p", "--output-format=stream-json", "--verbose", "--model={model}"),
    permission_arguments={"edit": _claude_codec.EDIT_FLAGS, "full": ("--permission-mode=bypassPermissions",)},
)
