"""Gemini CLI: JSON in, JSON out, exit 0; any code above 1 would deny, whatever it was meant to say."""

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
from hookline.core.host import WHOLE, Host, Tool, moment, tool
from hookline.core.install_table import Entry, Listed, Look, Wiring
from hookline.hosts import _gemini_transcript
from hookline.hosts._claude_entries import timed_in_ms
from hookline.hosts._gemini_replies import SHELL, encode, failure, our_own_words
from hookline.hosts._obstacles import either, off_by_name, switched, trusted_folder

CALL = {"tool": "tool_name", "input": "tool_input"}
FILE = {"path": "file_path", "output": WHOLE}
FOLDER = {"path": "dir_path", "output": WHOLE}
OFF = either(switched("hooksConfig.enabled", to=False), off_by_name("hooksConfig.disabled"))


def unasked(payload: Mapping[str, Any]) -> bool:
    """It is said before every call of the model; only what a person asked for is a compaction."""
    return payload.get("trigger") == "auto"


def a_piece(payload: Mapping[str, Any]) -> bool:
    """It is said of every piece of a stream; only the last is the model's answer."""
    answer = payload.get("llm_response")
    candidates = answer.get("candidates") if isinstance(answer, Mapping) else None
    return not any(one.get("finishReason") for one in candidates or () if isinstance(one, Mapping))


def none_left_out(old: tuple[Any, ...], new: tuple[Any, ...]) -> bool:
    return len(new) >= len(old)


def mcp_tool(name: str) -> Tool | None:
    return tool("mcp", output=WHOLE) if name.startswith("mcp_") else None


def sent(payload: Mapping[str, Any], env: Mapping[str, str]) -> bool:
    """What is started inside of it has its mark too, with another session's name."""
    mark = env.get("GEMINI_SESSION_ID")
    return bool(mark) and mark == payload.get("session_id")


def entry(one: Entry) -> dict[str, Any]:
    """A program that is missing ends with 127, which would deny every tool and every prompt: so with 1."""
    line = f"{one.guard}{one.command} || {{ [ $? = 2 ] && exit 2; exit 1; }}"
    command = {"type": "command", "name": "hookline", "command": line}
    only = {"matcher": "manual"} if one.moment == "PreCompress" else {}
    return {**only, "hooks": [{**command, "timeout": round(one.seconds * 1000)}]}


HOST = Host(
    name="gemini-cli",
    about="Google's Gemini CLI.",
    proved="0.61.0",
    names_event="hook_event_name",
    common={"session": "session_id", "transcript": "transcript_path", "cwd": "cwd", "at": "timestamp"},
    moments={
        "SessionStart": moment(SessionStart, INJECT, source="source"),
        "BeforeAgent": moment(UserPromptSubmit, BLOCK, INJECT, prompt="prompt").unless(our_own_words, None),
        "PreCompress": moment(PreCompact, trigger="trigger").unless(unasked, None),
        "BeforeModel": moment(
            PreModelCall, BLOCK, INJECT, MODIFY, model="llm_request.model", messages="llm_request.messages"
        ).only_if(none_left_out),
        "AfterModel": moment(
            PostModelCall,
            model="llm_request.model",
            usage="llm_response.usageMetadata",
            response="llm_response",
        ).unless(a_piece, None),
        "BeforeTool": moment(PreToolUse, BLOCK, MODIFY, **CALL),
        "AfterTool": moment(PostToolUse, BLOCK, INJECT, MODIFY, **CALL, output="tool_response"),
        "Notification": moment(Notification, kind="notification_type", text="message"),
        "AfterAgent": moment(Stop, BLOCK, again="stop_hook_active", last_text="prompt_response"),
        "SessionEnd": moment(SessionEnd, reason="reason"),
    },
    tools={
        SHELL: tool("shell", command="command", output=WHOLE),
        "read_file": tool("read", **FILE, first="start_line", last="end_line"),
        "read_many_files": tool("read", output=WHOLE),
        "write_file": tool("write", **FILE, content="content"),
        "replace": tool("edit", **FILE, content="new_string"),
        "list_directory": tool("list", **FOLDER),
        "glob": tool("glob", **FOLDER, pattern="pattern"),
        "grep_search": tool("grep", **FOLDER, pattern="pattern"),
        "search_file_content": tool("grep", **FOLDER, pattern="pattern"),
        "web_fetch": tool("fetch", content="prompt", output=WHOLE),
        "google_web_search": tool("search", pattern="query", output=WHOLE),
        "invoke_agent": tool("agent", content="prompt", output=WHOLE),
        "ask_user": tool("question"),
        "write_todos": tool("todo", todos="todos", text="description", status="status"),
    },
    tool_kind=mcp_tool,
    failure=failure,
    encode=encode,
    telltales=("GEMINI_CLI", "GEMINI_SESSION_ID"),
    sent=sent,
    project_env="GEMINI_PROJECT_DIR",
    settings=("~/.gemini/settings.json",),
    repository_switches=(".gemini/.env",),
    repository_env=(".env",),
    program="gemini",
    folders=("~/.gemini", ".gemini"),
    wiring=Wiring(
        way=Listed(
            user="~/.gemini/settings.json",
            project=".gemini/settings.json",
            entry=entry,
            comments=True,
            read=timed_in_ms,
            usual=60.0,
        ),
        looks=(
            *(Look(file=file, said=OFF) for file in ("~/.gemini/settings.json", ".gemini/settings.json")),
            Look(
                file="~/.gemini/trustedFolders.json",
                said=trusted_folder("open it with `gemini`", "security.folderTrust.enabled", usually=True),
                also="~/.gemini/settings.json",
            ),
        ),
        needs=("Hooks of a project run only in a folder that you trust: open it with `gemini` and say so.",),
    ),
    usage=_gemini_transcript.GEMINI_USAGE,
    talk=_gemini_transcript.GEMINI_CONVERSATION,
    ends=(PreToolUse, PostToolUse),
    headless=(
        "env",
        "GEMINI_CLI_TRUST_WORKSPACE=true",
        "gemini",
        "--output-format=stream-json",
        "--model={model}",
    ),
    free={"full": ("--yolo",), "edit": ("--approval-mode=auto_edit",)},
)
