"""Qwen Code: Gemini's tools and Claude Code's protocol; JSON in, JSON out, exit 0."""

from collections.abc import Mapping
from typing import Any

from hookline.core.events import (
    ALLOW,
    ASK,
    BLOCK,
    INJECT,
    MODIFY,
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
    UserPromptSubmit,
)
from hookline.core.host import WHOLE, Host, Tool, moment, tool
from hookline.core.install_table import Entry, Listed, Look, Wiring
from hookline.hosts import _gemini_transcript
from hookline.hosts._claude_entries import hooks
from hookline.hosts._gemini_replies import our_own_words
from hookline.hosts._obstacles import switched, trusted_folder
from hookline.hosts._qwen_replies import encode

# `tool_use_id` is made up by the client, and another one in every moment but those of one call.
CALL = {"tool": "tool_name", "input": "tool_input", "call": "tool_call_id"}
RAN = {**CALL, "duration_ms": "duration_ms"}
ENDED = {"again": "stop_hook_active", "last_text": "last_assistant_message"}
FILE, FOLDER = ({"path": place, "output": WHOLE} for place in ("file_path", "path"))
SAID = moment(UserPromptSubmit, BLOCK, INJECT, prompt="prompt")


def nobodys_words(payload: Mapping[str, Any]) -> bool:
    """A prompt without words is what tools have done; what made a turn go on is told of as a prompt too."""
    return payload.get("prompt") == "" or our_own_words(payload)


def mcp_tool(name: str) -> Tool | None:
    return tool("mcp", output=WHOLE) if name.startswith("mcp__") else None


def sent(payload: Mapping[str, Any], env: Mapping[str, str]) -> bool:
    """What is started inside of it has its marks too; it alone says the prompt and the time."""
    mark = env.get("QWEN_CODE_SESSION_ID")
    own = bool(env.get("QWEN_PROJECT_DIR")) and "timestamp" in payload and "permission_mode" in payload
    return own or (bool(mark) and mark == payload.get("session_id"))


def entry(one: Entry) -> dict[str, Any]:
    """Seconds: from 1,000 on it would take them for milliseconds."""
    seconds = min(round(one.seconds), 999)
    return {"hooks": [{"type": "command", "name": "hookline", "command": one.line, "timeout": seconds}]}


HOST = Host(
    name="qwen-code",
    about="Qwen Code, Alibaba's agent.",
    proved="0.24.4",
    names_event="hook_event_name",
    common={
        "session": "session_id",
        "transcript": "transcript_path",
        "cwd": "cwd",
        "at": "timestamp",
        "turn": "prompt_id",
        "mode": "permission_mode",
        "subagent_id": "agent_id",
        "subagent_type": "agent_type",
    },
    moments={
        "SessionStart": moment(SessionStart, INJECT, source="source"),
        "UserPromptSubmit": SAID.unless(nobodys_words, None),
        "PreToolUse": moment(PreToolUse, BLOCK, ASK, **CALL),
        "PermissionRequest": moment(PermissionRequest, BLOCK, ALLOW, **CALL),
        "PostToolUse": moment(PostToolUse, BLOCK, INJECT, MODIFY, **RAN, output="tool_response"),
        "PostToolUseFailure": moment(PostToolUse, BLOCK, INJECT, **RAN, error="error").saying(success=False),
        "PreCompact": moment(PreCompact, trigger="trigger", instructions="custom_instructions"),
        "PostCompact": moment(PostCompact, trigger="trigger", summary="compact_summary"),
        "SubagentStart": moment(SubagentStart),
        "SubagentStop": moment(SubagentStop, BLOCK, **ENDED),
        "Notification": moment(Notification, kind="notification_type", text="message"),
        "Stop": moment(Stop, BLOCK, **ENDED),
        "StopFailure": moment(OnError, error="error"),
        "SessionEnd": moment(SessionEnd, reason="reason"),
    },
    tools={
        "run_shell_command": tool("shell", command="command", output=WHOLE, timeout_ms="timeout"),
        "read_file": tool("read", **FILE),
        "write_file": tool("write", **FILE, content="content"),
        "edit": tool("edit", **FILE, content="new_string"),
        "notebook_edit": tool("edit", path="notebook_path", content="new_source", output=WHOLE),
        "list_directory": tool("list", **FOLDER),
        "glob": tool("glob", **FOLDER, pattern="pattern"),
        "grep_search": tool("grep", **FOLDER, pattern="pattern"),
        "web_fetch": tool("fetch", path="url", output=WHOLE),
        "web_search": tool("search", pattern="query", output=WHOLE),
        "agent": tool("agent", content="prompt", output=WHOLE),
        "ask_user_question": tool("question"),
        "todo_write": tool("todo", todos="todos", text="content", status="status"),
    },
    tool_kind=mcp_tool,
    encode=encode,
    telltales=("QWEN_CODE", "QWEN_CODE_SESSION_ID", "QWEN_PROJECT_DIR"),
    sent=sent,
    project_env="QWEN_PROJECT_DIR",
    settings=("~/.qwen/settings.json",),
    repository_switches=(".qwen/settings.json", ".qwen/.env"),
    repository_env=(".env",),
    program="qwen",
    folders=("~/.qwen", ".qwen"),
    wiring=Wiring(
        way=Listed(
            user="~/.qwen/settings.json",
            project=".qwen/settings.json",
            entry=entry,
            comments=True,
            read=hooks,
            usual=60.0,
            variables="env",
        ),
        moved_by="QWEN_HOME",
        looks=(
            *(Look(file=f"{at}.qwen/settings.json", said=switched("disableAllHooks")) for at in ("~/", "")),
            Look(
                file="~/.qwen/trustedFolders.json",
                said=trusted_folder("open it with `qwen`", "security.folderTrust.enabled", usually=False),
                also="~/.qwen/settings.json",
            ),
        ),
        needs=("Hooks of a project run only in a folder that you trust: open it with `qwen` and say so.",),
    ),
    usage=_gemini_transcript.QWEN_USAGE,
    talk=_gemini_transcript.QWEN_CONVERSATION,
    headless=("qwen", "--output-format=stream-json", "--model={model}"),
    free={"full": ("--yolo",), "edit": ("--approval-mode=auto-edit",)},
)
