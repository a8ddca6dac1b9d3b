"""Claude Code: JSON in, JSON out, exit 0; exit 2 would spend our command line on the model."""

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
from hookline.core.host import WHOLE, Dialect, Host, Tool, moment, tool
from hookline.core.install_table import Entry, Listed, Wiring
from hookline.core.payload import compose
from hookline.hosts import _claude_transcript, _shared_files
from hookline.hosts._claude_detect import EDITS, LOOKS, TODOS, background_result, sent, untyped
from hookline.hosts._claude_entries import hooks
from hookline.hosts._claude_replies import KEYS, encode, read

CALL = {"tool": "tool_name", "input": "tool_input", "call": "tool_use_id"}
RAN = {**CALL, "duration_ms": "duration_ms"}
ENDED = {"again": "stop_hook_active", "last_text": "last_assistant_message"}
FILE = {"path": "file_path"}


def mcp_tool(name: str) -> Tool | None:
    return tool("mcp", output=WHOLE) if name.startswith("mcp__") else TODOS.get(name)


def payload(event: Event) -> dict[str, Any]:
    tool_failed = isinstance(event, OnError) and event.tool
    return compose(HOST, event, "PostToolUseFailure" if tool_failed else "")


def entry(one: Entry) -> dict[str, Any]:
    return {"hooks": [{"type": "command", "command": one.line, "timeout": round(one.seconds)}]}


HOST: Host = Host(
    name="claude-code",
    about="Anthropic's Claude Code.",
    proved="2.1.325",
    names_event="hook_event_name",
    common={
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
        .due(25.0)
        .unless(background_result, moment(TurnStart, BLOCK, INJECT, prompt="prompt").due(25.0)),
        "PreToolUse": moment(PreToolUse, BLOCK, ASK, ALLOW, INJECT, MODIFY, **CALL),
        "PermissionRequest": moment(PermissionRequest, BLOCK, ALLOW, **CALL),
        "PostToolUse": moment(PostToolUse, BLOCK, INJECT, MODIFY, **RAN, output="tool_response"),
        "PostToolUseFailure": moment(PostToolUse, BLOCK, INJECT, **RAN, error="error").saying(success=False),
        "PreCompact": moment(PreCompact, INJECT, trigger="trigger", instructions="custom_instructions"),
        "PostCompact": moment(PostCompact, trigger="trigger", summary="compact_summary"),
        "SubagentStart": moment(SubagentStart, INJECT),
        "SubagentStop": moment(SubagentStop, BLOCK, **ENDED).unless(untyped, None),
        "Notification": moment(Notification, INJECT, kind="notification_type", text="message"),
        "Stop": moment(Stop, BLOCK, **ENDED),
        "StopFailure": moment(OnError, error="error"),
        "SessionEnd": moment(SessionEnd, reason="reason").due(1.2),
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
    tool_kind=mcp_tool,
    encode=partial(encode, terminal=True),
    shows_notices=True,
    dialect=Dialect(
        name="claude",
        keys=KEYS,
        read=read,
        payload=payload,
        env={"CLAUDE_PROJECT_DIR": "project"},
        host=lambda: HOST,
    ),
    telltales=("CLAUDECODE", "CLAUDE_CODE_SESSION_ID"),
    sent=sent,
    run_by=_shared_files.CLAUDES,
    project_env="CLAUDE_PROJECT_DIR",
    passing=("CLAUDE_EFFORT", "CLAUDE_ENV_FILE"),
    settings=("~/.claude/settings.json", "~/.claude.json"),
    repository_switches=(".claude/settings.json", ".claude/settings.local.json"),
    program="claude",
    folders=("~/.claude", ".claude"),
    wiring=Wiring(
        way=Listed(
            user="~/.claude/settings.json",
            project=".claude/settings.json",
            beside=".claude/settings.local.json",
            entry=entry,
            read=hooks,
            usual=600.0,
            variables="env",
        ),
        moved_by="CLAUDE_CONFIG_DIR",
        looks=LOOKS,
    ),
    usage=_claude_transcript.USAGE,
    headless_env={"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"},
    talk=_claude_transcript.CONVERSATION,
    ends=(PreToolUse, PostToolUse),
    headless=("claude", "-p", "--output-format=stream-json", "--verbose", "--model={model}"),
    free={"edit": EDITS, "full": ("--permission-mode=bypassPermissions",)},
)
