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
from hookline.core.host import WHOLE, Host, Tool, moment, tool
from hookline.core.install_table import Entry, Listed, Wiring
from hookline.hosts._cursor_codec import (
    AGAIN,
    MCP,
    SHELL,
    SILENCE,
    denied,
    encode,
    failed,
    of_mcp,
    of_shell,
    unfinished,
    unpacked,
)

CALL = {"tool": "tool_name", "input": "tool_input", "call": "tool_use_id"}
RAN = {**CALL, "duration_ms": "duration"}
FILE = {"path": "file_path"}


def mcp_tool(name: str) -> Tool | None:
    return tool("mcp", output=WHOLE) if name.startswith(MCP) else None


def entry(one: Entry) -> dict[str, Any]:
    """Without a matcher, which voids the whole file where it is wrong, and with no `//`, which is read as the
    beginning of a comment even inside of text."""
    command = one.line
    while "//" in command:
        command = command.replace("//", "/")
    return {"command": command, "timeout": round(one.seconds)}


HOST = Host(
    name="cursor",
    about="Cursor, the editor's agent and the command line's.",
    documented="Cursor's page on hooks of October 2026, and what others read in version 2026.09.18",
    names_event="hook_event_name",
    common={
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
        "preToolUse": moment(PreToolUse, BLOCK, ALLOW, MODIFY, **CALL).unless(of_shell, None),
        "beforeShellExecution": moment(PreToolUse, BLOCK, ASK, ALLOW, input="tool_input").saying(tool=SHELL),
        "postToolUse": moment(PostToolUse, INJECT, **RAN, output="tool_output").unless(
            of_mcp, moment(PostToolUse, INJECT, MODIFY, **RAN, output="tool_output")
        ),
        "postToolUseFailure": moment(PostToolUse, **RAN, error="error_message")
        .saying(success=False)
        .unless(denied, None),
        "preCompact": moment(PreCompact, trigger="trigger"),
        "subagentStart": moment(SubagentStart),
        "subagentStop": moment(SubagentStop, BLOCK, again=AGAIN, last_text="summary").unless(
            unfinished, moment(SubagentStop, again=AGAIN, last_text="summary")
        ),
        "stop": moment(Stop, BLOCK, again=AGAIN).unless(
            unfinished, moment(Stop, again=AGAIN).unless(failed, moment(OnError, error="status"))
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
    tool_kind=mcp_tool,
    unpacked=unpacked,
    encode=encode,
    silence=lambda name: SILENCE,
    continuations=4,  # below its own limit of 5
    telltales=("CURSOR_VERSION",),
    sent=lambda payload, env: "cursor_version" in payload,
    project_env="CURSOR_PROJECT_DIR",
    settings=("~/.cursor/hooks.json",),
    program="cursor-agent",
    runs_hooks_of=(".claude/settings.json", ".claude/settings.local.json"),
    folders=("~/.cursor", ".cursor"),
    wiring=Wiring(
        way=Listed(
            user="~/.cursor/hooks.json", project=".cursor/hooks.json", start={"version": 1}, entry=entry
        ),
        needs=("trust the workspace in Cursor: it runs a project's hooks in no other",),
    ),
    headless=("cursor-agent", "-p", "{prompt}"),
)
