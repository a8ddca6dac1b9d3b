"""Reasonix, through a plugin in Claude's format.

Only a plugin may answer permission requests and has a mark in its environment; hooks of its own settings
see the model's reasoning instead, and hear of one failure twice.
"""

import json
import re
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
from hookline.core.host import WHOLE, Host, Tool, moment, tool
from hookline.core.install_table import Entry, Listed, Own, Wiring
from hookline.hosts._reasonix_replies import SHOWN, encode

CALL = {"tool": "tool_name", "input": "tool_input"}
RAN = {**CALL, "output": "tool_response"}
FILE = {"path": "file_path"}
FOLDER = "~/.reasonix/plugins/hookline"
OURS = re.compile(r'\A<hook-context event="SessionStart">.*?</hook-context>\s*', re.DOTALL)


def unpacked(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """A prompt without the context that hooks gave at the start, which stands before the person's words;
    and no result where there is none, since every field is always sent."""
    payload = {key: value for key, value in payload.items() if (key, value) != ("tool_response", "")}
    prompt = payload.get("prompt")
    return {**payload, "prompt": OURS.sub("", prompt)} if isinstance(prompt, str) else payload


def failed(payload: Mapping[str, Any]) -> bool:
    """An error that ended the turn is told of at a moment of its own, and then once more."""
    return bool(payload.get("error"))


def interrupted(payload: Mapping[str, Any]) -> bool:
    """A person who stops the agent has not seen it fail."""
    return payload.get("is_interrupt") is True


def mcp_tool(name: str) -> Tool | None:
    return tool("mcp", output=WHOLE) if name.startswith("mcp__") else None


def sent(payload: Mapping[str, Any], env: Mapping[str, str]) -> bool:
    """Every field is always sent, whatever the moment."""
    return bool(env.get("REASONIX_PLUGIN_ROOT")) and {"is_interrupt", "tool_name", "source"} <= payload.keys()


def files(entries: tuple[Entry, ...]) -> dict[str, str]:
    about = {"name": "hookline", "version": "1.0.0", "description": "Calls hookline at every moment."}
    hooks = {
        one.moment: [{"hooks": [{"type": "command", "command": one.command, "timeout": round(one.seconds)}]}]
        for one in entries
    }
    texts = {".claude-plugin/plugin.json": about, "hooks/hooks.json": {"hooks": hooks}}
    return {name: json.dumps(text, indent=2) + "\n" for name, text in texts.items()}


def registration(one: Entry) -> dict[str, Any]:
    """The folder is meant from the file on; the command stands in the description to be found again."""
    where = {"source": "plugins/hookline", "root": "plugins/hookline"}
    about = {"version": "1.0.0", "description": one.command, "manifestKind": "claude", "enabled": True}
    return {"name": "hookline", **where, **about}


HOST = Host(
    name="reasonix",
    about="Reasonix, an open agent for many models.",
    proved="1.38.11",
    names_event="hook_event_name",
    common={"session": "session_id", "cwd": "cwd"},
    moments={
        "SessionStart": moment(SessionStart, INJECT, source="source"),
        "UserPromptSubmit": moment(UserPromptSubmit, BLOCK, prompt="prompt"),
        "PreToolUse": moment(PreToolUse, BLOCK, **CALL),
        "PermissionRequest": moment(PermissionRequest, BLOCK, ALLOW, **CALL),
        "PostToolUse": moment(PostToolUse, **RAN),
        "PostToolUseFailure": moment(PostToolUse, **RAN, error="error").saying(success=False),
        "PreCompact": moment(PreCompact, INJECT, trigger="trigger"),
        "Notification": moment(Notification, kind="notification_type", text="message"),
        "Stop": moment(Stop, last_text="last_assistant_message").unless(failed, None),
        "StopFailure": moment(OnError, error="error").unless(interrupted, None),
        "SessionEnd": moment(SessionEnd, reason="reason"),
    },
    tools={
        "Bash": tool("shell", command="command", output="stdout", errors="stderr"),
        "Read": tool("read", **FILE, output=WHOLE),
        "Write": tool("write", **FILE, content="content"),
        "Edit": tool("edit", **FILE, content="new_string"),
        "MultiEdit": tool("edit", **FILE),
        "NotebookEdit": tool("edit", path="notebook_path", content="new_source"),
        "Glob": tool("glob", path="path", pattern="pattern"),
        "Grep": tool("grep", path="path", pattern="pattern", output=WHOLE),
        "LS": tool("list", path="path"),
        "WebFetch": tool("fetch", path="url", output=WHOLE),
        "WebSearch": tool("search", pattern="query"),
        "Agent": tool("agent", content="prompt"),
        "Skill": tool("agent", content="args"),
        "AskUserQuestion": tool("question"),
    },
    tool_kind=mcp_tool,
    unpacked=unpacked,
    encode=encode,
    warning_code=SHOWN,
    within=25.0,  # a hook that overruns blocks the call
    telltales=("REASONIX_PLUGIN_ROOT",),
    sent=sent,
    one_by_one=True,
    project_env="REASONIX_WORKSPACE_ROOT",
    settings=("~/.reasonix/settings.json", "~/.reasonix/plugin-packages.json", FOLDER),
    program="reasonix",
    folders=("~/.reasonix", ".reasonix"),
    wiring=Wiring(
        way=Own(
            user=FOLDER,
            files=files,
            registered=Listed(
                user="~/.reasonix/plugin-packages.json", under=(), start={"version": 1}, entry=registration
            ),
            registered_as="plugins",
        ),
        moved_by="REASONIX_HOME",
        needs=("open a new session: plugins are read when one starts",),
    ),
    headless=("reasonix", "run"),
)
