"""OpenCode, through a plugin in hookline's own format: its hooks cannot start programs."""

import json
from collections.abc import Mapping
from typing import Any

from hookline.core.events import (
    ALLOW,
    BLOCK,
    INJECT,
    MODIFY,
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
    UserPromptSubmit,
)
from hookline.core.host import WHOLE_OUTPUT, Host, Reply, ReplyContext, Tool, moment, tool
from hookline.core.install_table import InstallEntry, InstallMethod, OwnFiles
from hookline.core.response import find_end_reason
from hookline.hosts._opencode_plugin import PLUGIN

CALL = {"tool": "tool", "input": "args", "call": "call"}
TEXT = {"output": WHOLE_OUTPUT}
FILE = {"path": "filePath", **TEXT}


def encode(answer: ReplyContext) -> Reply:
    outcome, reply, context = answer.outcome, dict[str, Any](), answer.outcome.context
    if isinstance(answer.event, PostToolUse):
        # An exception would replace the output by the reason, so the reason is added as context.
        context = context if outcome.blocked is None else (outcome.blocked, *context)
    elif outcome.blocked is not None:
        reply["deny"] = outcome.blocked
    elif outcome.allowed is not None:
        reply["allow"] = True
    if context:
        reply["context"] = "\n".join(context)
    if answer.changed is not None and "deny" not in reply:
        reply["change"] = answer.changed
    if end := find_end_reason(outcome.effects):
        reply["end"] = end
    if outcome.warnings:
        reply["warnings"] = list(outcome.warnings)
    return Reply(stdout=json.dumps(reply) if reply else "")


def find_tool(name: str) -> Tool:
    """Return the row of a tool; MCP tools are named `server_tool`."""
    return tool("mcp" if "_" in name else "other", **TEXT)


def make_files(entries: tuple[InstallEntry, ...]) -> Mapping[str, str]:
    """Return the plugin with its command and its timeout for each moment."""
    command, seconds = entries[0].command, {entry.moment: entry.timeout for entry in entries}
    guards = {entry.moment: entry.guard for entry in entries if entry.guard}
    text = PLUGIN.replace("@COMMAND@", json.dumps(command)).replace("@GUARDS@", json.dumps(guards, indent=2))
    return {"hookline.js": text.replace("@SECONDS@", json.dumps(seconds, indent=2))}


HOST = Host(
    name="opencode",
    about="OpenCode, through a plugin.",
    tested_version="1.18.34",
    event_key="hook",
    common_paths={
        "session": "session",
        "cwd": "directory",
        "subagent_id": "helper",
        "subagent_type": "helperType",
    },
    moments={
        "session.created": moment(SessionStart, INJECT, source="source"),
        "chat.message": moment(UserPromptSubmit, BLOCK, INJECT, prompt="prompt"),
        "experimental.chat.messages.transform": moment(
            PreModelCall, BLOCK, INJECT, MODIFY, model="model", messages="messages"
        ),
        "message.updated": moment(PostModelCall, model="model", usage="usage"),
        "tool.execute.before": moment(PreToolUse, BLOCK, MODIFY, **CALL),
        "permission.asked": moment(PermissionRequest, BLOCK, ALLOW, **CALL),
        "tool.execute.after": moment(
            PostToolUse, BLOCK, INJECT, MODIFY, **CALL, output="output", error="error"
        ),
        "message.part.updated": moment(PostToolUse, **CALL, error="error").with_values(success=False),
        "experimental.session.compacting": moment(PreCompact, INJECT),
        "session.compacted": moment(PostCompact),
        "child.session.created": moment(SubagentStart, INJECT),
        "child.session.idle": moment(SubagentStop, again="again", last_text="last"),
        "session.idle": moment(Stop, BLOCK, again="again", last_text="last"),
        "session.error": moment(OnError, error="error"),
        "dispose": moment(SessionEnd, reason="reason").with_timeout(4.0),
    },
    tools={
        "bash": tool("shell", command="command", timeout_ms="timeout", **TEXT),
        "read": tool("read", **FILE),
        "write": tool("write", **FILE, content="content"),
        "edit": tool("edit", **FILE, content="newString"),
        "multiedit": tool("edit", **FILE),
        "patch": tool("edit", **TEXT, patch="patchText"),
        "apply_patch": tool("edit", **TEXT, patch="patchText"),
        "glob": tool("glob", path="path", pattern="pattern", **TEXT),
        "grep": tool("grep", path="path", pattern="pattern", **TEXT),
        "list": tool("list", path="path", **TEXT),
        "webfetch": tool("fetch", path="url", **TEXT),
        "websearch": tool("search", pattern="query", **TEXT),
        "task": tool("agent", content="prompt", **TEXT),
        "question": tool("question", **TEXT),
        "todowrite": tool("todo", todos="todos", text="content", status="status", **TEXT),
    },
    find_tool=find_tool,
    find_error=lambda payload: str(payload.get("error") or ""),
    encode=encode,
    env_markers=("OPENCODE", "OPENCODE_PID"),
    sequential_hooks=True,
    run_ending_events=(PreToolUse,),
    settings=("~/.config/opencode/plugins/hookline.js", "~/.config/opencode/opencode.json"),
    program="opencode",
    folders=("~/.config/opencode", ".opencode"),
    install=InstallMethod(
        layout=OwnFiles(
            user="~/.config/opencode/plugins", project=".opencode/plugins", make_files=make_files
        ),
        folder_env="XDG_CONFIG_HOME",
        manual_steps=(
            "Restart OpenCode: it reads plugins at its start; the first time it downloads a package.",
        ),
    ),
    headless=("opencode", "run", "--format=json", "--model={model}"),
)
