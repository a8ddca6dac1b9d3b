"""OpenAI's Codex CLI: JSON in, JSON by its exact schemas out, exit code 0."""

from typing import Any

from hookline.core.events import (
    ALLOW,
    BLOCK,
    INJECT,
    MODIFY,
    Notification,
    OnError,
    PermissionRequest,
    PostCompact,
    PostModelCall,
    PostToolUse,
    PreCompact,
    PreModelCall,
    PreToolUse,
    SessionEnd,
    SessionStart,
    Stop,
    SubagentStart,
    SubagentStop,
    TurnStart,
    UserPromptSubmit,
)
from hookline.core.host import WHOLE_OUTPUT, Host, Tool, moment, tool
from hookline.core.install_table import InstallEntry, InstallMethod, ObstacleCheck, SettingsFile
from hookline.hosts import _codex_transcript
from hookline.hosts._claude_entries import read_hooks
from hookline.hosts._codex_codec import encode, find_failure, is_failed_request, is_sender, is_subagent_task
from hookline.hosts._codex_transcript import find_recorded_failure
from hookline.hosts._codex_trust import count_untrusted, make_options
from hookline.hosts._obstacles import disabled_by, untrusted_project

CALL = {"tool": "tool_name", "input": "tool_input"}
RAN = {**CALL, "call": "tool_use_id"}
ENDED = {"again": "stop_hook_active", "last_text": "last_assistant_message"}
SHORT_MOMENTS = ("SessionEnd", "Interrupt")
"""Moments at which Codex waits 1 s by default and 3 s at most."""
MAX_SHORT_SECONDS = 3


def find_tool(name: str) -> Tool | None:
    return tool("mcp", output=WHOLE_OUTPUT) if name.startswith("mcp__") else None


def make_entry(entry: InstallEntry) -> dict[str, Any]:
    seconds = max(round(entry.timeout), 1)
    timeout = min(seconds, MAX_SHORT_SECONDS) if entry.moment in SHORT_MOMENTS else seconds
    return {"hooks": [{"type": "command", "command": entry.line, "timeout": timeout}]}


HOST = Host(
    name="codex",
    about="OpenAI's Codex CLI.",
    tested_version="0.166.0",
    event_key="hook_event_name",
    common_paths={
        "session": "session_id",
        "transcript": "transcript_path",
        "cwd": "cwd",
        "turn": "turn_id",
        "mode": "permission_mode",
        "subagent_id": "agent_id",
        "subagent_type": "agent_type",
    },
    moments={
        "SessionStart": moment(SessionStart, INJECT, source="source"),
        "UserPromptSubmit": moment(UserPromptSubmit, BLOCK, INJECT, prompt="prompt").unless(
            is_subagent_task, moment(TurnStart, BLOCK, INJECT, prompt="prompt")
        ),
        "PreModelRequest": moment(PreModelCall, model="model"),
        "PostModelRequest": moment(PostModelCall, model="model", usage="token_usage").unless(
            is_failed_request, moment(OnError, error="error")
        ),
        "PreToolUse": moment(PreToolUse, BLOCK, INJECT, MODIFY, **RAN),
        "PermissionRequest": moment(PermissionRequest, BLOCK, ALLOW, **CALL),
        "PostToolUse": moment(PostToolUse, BLOCK, INJECT, MODIFY, **RAN, output="tool_response"),
        "PreCompact": moment(PreCompact, trigger="trigger"),
        "PostCompact": moment(PostCompact, trigger="trigger"),
        "SubagentStart": moment(SubagentStart, INJECT),
        "SubagentStop": moment(SubagentStop, BLOCK, **ENDED),
        "Stop": moment(Stop, BLOCK, **ENDED),
        "Interrupt": moment(Notification)
        .with_values(kind="interrupt", text="The turn was interrupted.")
        .with_timeout(2.0),
        "SessionEnd": moment(SessionEnd, reason="reason").with_timeout(2.0),
    },
    tools={
        "Bash": tool("shell", command="command", output=WHOLE_OUTPUT),
        "apply_patch": tool("edit", patch="command", output=WHOLE_OUTPUT),
        "view_image": tool("read", path="path"),
        "spawn_agent": tool("agent", content="message", output=WHOLE_OUTPUT),
    },
    find_tool=find_tool,
    encode=encode,
    find_error=find_failure,
    find_recorded_error=find_recorded_failure,
    env_markers=("CODEX_THREAD_ID", "CODEX_TOOL_CALL_ID"),
    recognises=is_sender,
    settings=("~/.codex/hooks.json", "~/.codex/config.toml"),
    program="codex",
    folders=("~/.codex", ".codex"),
    install=InstallMethod(
        layout=SettingsFile(
            user="~/.codex/hooks.json",
            project=".codex/hooks.json",
            make_entry=make_entry,
            read_entry=read_hooks,
            default_timeout=600.0,
        ),
        folder_env="CODEX_HOME",
        make_arguments=make_options(make_entry),
        checks=(
            ObstacleCheck(file="~/.codex/config.toml", find_obstacle=disabled_by("features.hooks", to=False)),
            ObstacleCheck(
                file="~/.codex/config.toml",
                find_obstacle=untrusted_project("start `codex` there and confirm the trust"),
            ),
            ObstacleCheck(file="~/.codex/config.toml", find_obstacle=count_untrusted),
        ),
        manual_steps=(
            "Codex skips hooks until you trust them: start `codex`, type `/hooks`; repeat after changes.",
        ),
    ),
    silent_mark='"source":"exec"',
    usage=_codex_transcript.USAGE,
    conversation=_codex_transcript.CONVERSATION,
    headless=("codex", "exec", "--json", "--model={model}", "--dangerously-bypass-hook-trust", "-"),
    permission_arguments={
        "edit": ("--sandbox=workspace-write",),
        "full": ("--dangerously-bypass-approvals-and-sandbox",),
    },
)
