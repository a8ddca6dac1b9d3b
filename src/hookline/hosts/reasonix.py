"""Reasonix, through a plugin in Claude's format.

Only plugins may answer permission requests and have a variable in their environment. Hooks in Reasonix's own
settings get the model's reasoning instead, and each failure twice.
"""

import json
from collections.abc import Mapping
from typing import Any

from hookline.core.events import (
    ALLOW,
    BLOCK,
    INJECT,
    Notification,
    OnError,
    PermissionRequest,
    PostToolUse,
    PreCompact,
    PreToolUse,
    SessionEnd,
    SessionStart,
    Stop,
    UserPromptSubmit,
)
from hookline.core.host import WHOLE_OUTPUT, Host, Tool, moment, tool
from hookline.core.install_table import InstallEntry, InstallMethod, OwnFiles, SettingsFile
from hookline.hosts._reasonix_codec import WARNING_CODE, encode
from hookline.lazy import re

CALL = {"tool": "tool_name", "input": "tool_input"}
RAN = {**CALL, "output": "tool_response"}
FILE = {"path": "file_path"}
FOLDER = "~/.reasonix/plugins/hookline"
HOOK_CONTEXT = re.compile(r'\A<hook-context event="SessionStart">.*?</hook-context>\s*', re.DOTALL)


def normalize(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the payload with the user's own prompt, and without an empty result.

    Context from hooks at the session's start precedes the prompt; Reasonix always sends every field.
    """
    payload = {key: value for key, value in payload.items() if (key, value) != ("tool_response", "")}
    prompt = payload.get("prompt")
    return {**payload, "prompt": HOOK_CONTEXT.sub("", prompt)} if isinstance(prompt, str) else payload


def has_failed(payload: Mapping[str, Any]) -> bool:
    """Return whether an error ended the turn; Reasonix reports it again at a moment of its own."""
    return bool(payload.get("error"))


def is_interrupted(payload: Mapping[str, Any]) -> bool:
    """Return whether a person stopped the agent, which is not a failure."""
    return payload.get("is_interrupt") is True


def find_tool(name: str) -> Tool | None:
    return tool("mcp", output=WHOLE_OUTPUT) if name.startswith("mcp__") else None


def is_sender(payload: Mapping[str, Any], env: Mapping[str, str]) -> bool:
    """Return whether Reasonix sent *payload*; it sends every field at every moment."""
    return bool(env.get("REASONIX_PLUGIN_ROOT")) and {"is_interrupt", "tool_name", "source"} <= payload.keys()


def make_files(entries: tuple[InstallEntry, ...]) -> dict[str, str]:
    manifest = {"name": "hookline", "version": "1.0.0", "description": "Calls hookline at every moment."}
    hooks = {
        entry.moment: [
            {"hooks": [{"type": "command", "command": entry.command, "timeout": round(entry.timeout)}]}
        ]
        for entry in entries
    }
    documents = {".claude-plugin/plugin.json": manifest, "hooks/hooks.json": {"hooks": hooks}}
    return {name: json.dumps(document, indent=2) + "\n" for name, document in documents.items()}


def make_registration(entry: InstallEntry) -> dict[str, Any]:
    """Return the plugin's entry; its description has the command, by which hookline finds it again."""
    location = {"source": "plugins/hookline", "root": "plugins/hookline"}  # relative to the file
    manifest = {"version": "1.0.0", "description": entry.command, "manifestKind": "claude", "enabled": True}
    return {"name": "hookline", **location, **manifest}


HOST = Host(
    name="reasonix",
    about="Reasonix, an open agent for many models.",
    tested_version="1.38.11",
    event_key="hook_event_name",
    common_paths={"session": "session_id", "cwd": "cwd"},
    moments={
        "SessionStart": moment(SessionStart, INJECT, source="source"),
        "UserPromptSubmit": moment(UserPromptSubmit, BLOCK, prompt="prompt"),
        "PreToolUse": moment(PreToolUse, BLOCK, **CALL),
        "PermissionRequest": moment(PermissionRequest, BLOCK, ALLOW, **CALL),
        "PostToolUse": moment(PostToolUse, **RAN),
        "PostToolUseFailure": moment(PostToolUse, **RAN, error="error").with_values(success=False),
        "PreCompact": moment(PreCompact, INJECT, trigger="trigger"),
        "Notification": moment(Notification, kind="notification_type", text="message"),
        "Stop": moment(Stop, last_text="last_assistant_message").unless(has_failed, None),
        "StopFailure": moment(OnError, error="error").unless(is_interrupted, None),
        "SessionEnd": moment(SessionEnd, reason="reason"),
    },
    tools={
        "Bash": tool("shell", command="command", output="stdout", errors="stderr"),
        "Read": tool("read", **FILE, output=WHOLE_OUTPUT),
        "Write": tool("write", **FILE, content="content"),
        "Edit": tool("edit", **FILE, content="new_string"),
        "MultiEdit": tool("edit", **FILE),
        "NotebookEdit": tool("edit", path="notebook_path", content="new_source"),
        "Glob": tool("glob", path="path", pattern="pattern"),
        "Grep": tool("grep", path="path", pattern="pattern", output=WHOLE_OUTPUT),
        "LS": tool("list", path="path"),
        "WebFetch": tool("fetch", path="url", output=WHOLE_OUTPUT),
        "WebSearch": tool("search", pattern="query"),
        "Agent": tool("agent", content="prompt"),
        "Skill": tool("agent", content="args"),
        "AskUserQuestion": tool("question"),
    },
    find_tool=find_tool,
    normalize=normalize,
    encode=encode,
    warning_code=WARNING_CODE,
    timeout=25.0,  # a hook that times out blocks the call
    env_markers=("REASONIX_PLUGIN_ROOT",),
    recognises=is_sender,
    sequential_hooks=True,
    project_env="REASONIX_WORKSPACE_ROOT",
    settings=("~/.reasonix/settings.json", "~/.reasonix/plugin-packages.json", FOLDER),
    program="reasonix",
    folders=("~/.reasonix", ".reasonix"),
    install=InstallMethod(
        layout=OwnFiles(
            user=FOLDER,
            make_files=make_files,
            registered=SettingsFile(
                user="~/.reasonix/plugin-packages.json",
                table_path=(),
                initial_content={"version": 1},
                make_entry=make_registration,
            ),
            registered_as="plugins",
        ),
        folder_env="REASONIX_HOME",
        manual_steps=("start a new session: plugins are read at its start",),
    ),
    headless=("reasonix", "run"),
)
