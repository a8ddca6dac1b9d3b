"""Gemini CLI: JSON in, JSON out, exit code 0; every exit code above 1 denies."""

from collections.abc import Mapping
from typing import Any

from hookline.core.events import (
    BLOCK,
    INJECT,
    MODIFY,
    Notification,
    PostModelCall,
    PostToolUse,
    PreCompact,
    PreModelCall,
    PreToolUse,
    SessionEnd,
    SessionStart,
    Stop,
    UserPromptSubmit,
)
from hookline.core.host import WHOLE_OUTPUT, Host, Tool, moment, tool
from hookline.core.install_table import InstallEntry, InstallMethod, ObstacleCheck, SettingsFile
from hookline.hosts import _gemini_transcript
from hookline.hosts._claude_entries import read_hooks_in_ms
from hookline.hosts._gemini_codec import (
    SHELL,
    add_answers,
    encode,
    find_failure,
    is_automatic,
    is_continuation,
    is_partial,
    keeps_all,
)
from hookline.hosts._obstacles import any_of, disabled_by, disabled_by_name, untrusted_folder

CALL = {"tool": "tool_name", "input": "tool_input"}
FILE, FOLDER = ({"path": place, "output": WHOLE_OUTPUT} for place in ("file_path", "dir_path"))
find_switch = any_of(disabled_by("hooksConfig.enabled", to=False), disabled_by_name("hooksConfig.disabled"))


def find_tool(name: str) -> Tool | None:
    return tool("mcp", output=WHOLE_OUTPUT) if name.startswith("mcp_") else None


def is_sender(payload: Mapping[str, Any], env: Mapping[str, str]) -> bool:
    """Return whether Gemini CLI sent *payload*; programs inside it inherit another session's variable."""
    session = env.get("GEMINI_SESSION_ID")
    return bool(session) and session == payload.get("session_id")


def make_entry(entry: InstallEntry) -> dict[str, Any]:
    """Return an entry that exits with 1 if the program is missing; 127 would deny every tool and prompt."""
    line = f"{entry.guard}{entry.command} || {{ [ $? = 2 ] && exit 2; exit 1; }}"
    hook = {"type": "command", "name": "hookline", "command": line, "timeout": round(entry.timeout * 1000)}
    return {**({"matcher": "manual"} if entry.moment == "PreCompress" else {}), "hooks": [hook]}


HOST = Host(
    name="gemini-cli",
    about="Google's Gemini CLI.",
    tested_version="0.61.0",
    event_key="hook_event_name",
    common_paths={"session": "session_id", "transcript": "transcript_path", "cwd": "cwd", "at": "timestamp"},
    moments={
        "SessionStart": moment(SessionStart, INJECT, source="source"),
        "BeforeAgent": moment(UserPromptSubmit, BLOCK, INJECT, prompt="prompt").unless(is_continuation, None),
        "PreCompress": moment(PreCompact, trigger="trigger").unless(is_automatic, None),
        "BeforeModel": moment(
            PreModelCall, BLOCK, INJECT, MODIFY, model="llm_request.model", messages="llm_request.messages"
        ).only_if(keeps_all),
        "AfterModel": moment(
            PostModelCall,
            model="llm_request.model",
            usage="llm_response.usageMetadata",
            response="llm_response",
        ).unless(is_partial, None),
        "BeforeTool": moment(PreToolUse, BLOCK, MODIFY, **CALL),
        "AfterTool": moment(PostToolUse, BLOCK, INJECT, MODIFY, **CALL, output="tool_response"),
        "Notification": moment(Notification, kind="notification_type", text="message"),
        "AfterAgent": moment(Stop, BLOCK, again="stop_hook_active", last_text="prompt_response"),
        "SessionEnd": moment(SessionEnd, reason="reason"),
    },
    tools={
        SHELL: tool("shell", command="command", output=WHOLE_OUTPUT),
        "read_file": tool("read", **FILE, first="start_line", last="end_line"),
        "read_many_files": tool("read", output=WHOLE_OUTPUT),
        "write_file": tool("write", **FILE, content="content"),
        "replace": tool("edit", **FILE, content="new_string"),
        "list_directory": tool("list", **FOLDER),
        "glob": tool("glob", **FOLDER, pattern="pattern"),
        "grep_search": tool("grep", **FOLDER, pattern="pattern"),
        "search_file_content": tool("grep", **FOLDER, pattern="pattern"),
        "web_fetch": tool("fetch", content="prompt", output=WHOLE_OUTPUT),
        "google_web_search": tool("search", pattern="query", output=WHOLE_OUTPUT),
        "invoke_agent": tool("agent", content="prompt", output=WHOLE_OUTPUT),
        "ask_user": tool("question"),
        "write_todos": tool("todo", todos="todos", text="description", status="status"),
    },
    find_tool=find_tool,
    find_error=find_failure,
    normalize=add_answers,
    encode=encode,
    env_markers=("GEMINI_CLI", "GEMINI_SESSION_ID"),
    recognises=is_sender,
    project_env="GEMINI_PROJECT_DIR",
    settings=("~/.gemini/settings.json",),
    repository_switches=(".gemini/.env",),
    repository_env=(".env",),
    program="gemini",
    folders=("~/.gemini", ".gemini"),
    install=InstallMethod(
        layout=SettingsFile(
            user="~/.gemini/settings.json",
            project=".gemini/settings.json",
            make_entry=make_entry,
            comments=True,
            read_entry=read_hooks_in_ms,
            matches_part=True,
            default_timeout=60.0,
        ),
        checks=(
            *(
                ObstacleCheck(file=file, find_obstacle=find_switch)
                for file in ("~/.gemini/settings.json", ".gemini/settings.json")
            ),
            ObstacleCheck(
                file="~/.gemini/trustedFolders.json",
                find_obstacle=untrusted_folder(
                    "open it with `gemini`", "security.folderTrust.enabled", default=True
                ),
                other_file="~/.gemini/settings.json",
            ),
        ),
        manual_steps=(
            "Hooks of a project run only in a trusted folder: open it with `gemini` and confirm the trust.",
        ),
    ),
    usage=_gemini_transcript.GEMINI_USAGE,
    conversation=_gemini_transcript.GEMINI_CONVERSATION,
    run_ending_events=(PreToolUse, PostToolUse),
    headless=(
        "env",
        "GEMINI_CLI_TRUST_WORKSPACE=true",
        "gemini",
        "--output-format=stream-json",
        "--model={model}",
    ),
    permission_arguments={"full": ("--yolo",), "edit": ("--approval-mode=auto_edit",)},
)
