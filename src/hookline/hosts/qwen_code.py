"""Qwen Code: Gemini's tools and Claude Code's protocol; JSON in, JSON out, exit code 0."""

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
from hookline.core.host import WHOLE_OUTPUT, Host, Tool, moment, tool
from hookline.core.install_table import InstallEntry, InstallMethod, ObstacleCheck, SettingsFile
from hookline.hosts import _gemini_transcript
from hookline.hosts._claude_entries import read_hooks
from hookline.hosts._obstacles import disabled_by, untrusted_folder
from hookline.hosts._qwen_codec import add_answers, encode, is_not_by_person, is_sender

# The client invents `tool_use_id`; it is the same only in the moments of one call.
CALL = {"tool": "tool_name", "input": "tool_input", "call": "tool_call_id"}
RAN = {**CALL, "duration_ms": "duration_ms"}
ENDED = {"again": "stop_hook_active", "last_text": "last_assistant_message"}
FILE, FOLDER = ({"path": place, "output": WHOLE_OUTPUT} for place in ("file_path", "path"))
PROMPT_MOMENT = moment(UserPromptSubmit, BLOCK, INJECT, prompt="prompt")


def find_tool(name: str) -> Tool | None:
    return tool("mcp", output=WHOLE_OUTPUT) if name.startswith("mcp__") else None


def make_entry(entry: InstallEntry) -> dict[str, Any]:
    """Return an entry; Qwen Code would read a timeout of 1,000 or more as milliseconds."""
    seconds = min(round(entry.timeout), 999)
    return {"hooks": [{"type": "command", "name": "hookline", "command": entry.line, "timeout": seconds}]}


HOST = Host(
    name="qwen-code",
    about="Qwen Code, Alibaba's agent.",
    tested_version="0.24.4",
    event_key="hook_event_name",
    common_paths={
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
        "UserPromptSubmit": PROMPT_MOMENT.unless(is_not_by_person, None),
        "PreToolUse": moment(PreToolUse, BLOCK, ASK, **CALL),
        "PermissionRequest": moment(PermissionRequest, BLOCK, ALLOW, **CALL),
        "PostToolUse": moment(PostToolUse, BLOCK, INJECT, MODIFY, **RAN, output="tool_response"),
        "PostToolUseFailure": moment(PostToolUse, BLOCK, INJECT, **RAN, error="error").with_values(
            success=False
        ),
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
        "run_shell_command": tool("shell", command="command", output=WHOLE_OUTPUT, timeout_ms="timeout"),
        "read_file": tool("read", **FILE),
        "write_file": tool("write", **FILE, content="content"),
        "edit": tool("edit", **FILE, content="new_string"),
        "notebook_edit": tool("edit", path="notebook_path", content="new_source", output=WHOLE_OUTPUT),
        "list_directory": tool("list", **FOLDER),
        "glob": tool("glob", **FOLDER, pattern="pattern"),
        "grep_search": tool("grep", **FOLDER, pattern="pattern"),
        "web_fetch": tool("fetch", path="url", output=WHOLE_OUTPUT),
        "web_search": tool("search", pattern="query", output=WHOLE_OUTPUT),
        "agent": tool("agent", content="prompt", output=WHOLE_OUTPUT),
        "ask_user_question": tool("question"),
        "todo_write": tool("todo", todos="todos", text="content", status="status"),
    },
    find_tool=find_tool,
    normalize=add_answers,
    encode=encode,
    env_markers=("QWEN_CODE", "QWEN_CODE_SESSION_ID", "QWEN_PROJECT_DIR"),
    recognises=is_sender,
    project_env="QWEN_PROJECT_DIR",
    settings=("~/.qwen/settings.json",),
    repository_switches=(".qwen/settings.json", ".qwen/.env"),
    repository_env=(".env",),
    program="qwen",
    folders=("~/.qwen", ".qwen"),
    install=InstallMethod(
        layout=SettingsFile(
            user="~/.qwen/settings.json",
            project=".qwen/settings.json",
            make_entry=make_entry,
            comments=True,
            read_entry=read_hooks,
            default_timeout=60.0,
            variables="env",
        ),
        folder_env="QWEN_HOME",
        checks=(
            *(
                ObstacleCheck(file=f"{at}.qwen/settings.json", find_obstacle=disabled_by("disableAllHooks"))
                for at in ("~/", "")
            ),
            ObstacleCheck(
                file="~/.qwen/trustedFolders.json",
                find_obstacle=untrusted_folder(
                    "open it with `qwen`", "security.folderTrust.enabled", default=False
                ),
                other_file="~/.qwen/settings.json",
            ),
        ),
        manual_steps=(
            "Hooks of a project run only in a trusted folder: open it with `qwen` and confirm the trust.",
        ),
    ),
    usage=_gemini_transcript.QWEN_USAGE,
    conversation=_gemini_transcript.QWEN_CONVERSATION,
    headless=("qwen", "--output-format=stream-json", "--model={model}"),
    permission_arguments={"full": ("--yolo",), "edit": ("--approval-mode=auto-edit",)},
)
