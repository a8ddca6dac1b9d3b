"""OpenCode: no hooks that start a program, so a plugin of ours asks, and sends it in our own words."""

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
from hookline.core.host import WHOLE, Host, Reply, Said, Tool, moment, tool
from hookline.core.install_table import Entry, Own, Wiring
from hookline.core.response import ending
from hookline.hosts._opencode_plugin import PLUGIN

CALL = {"tool": "tool", "input": "args", "call": "call"}
TEXT = {"output": WHOLE}
FILE = {"path": "filePath", **TEXT}


def encode(said: Said) -> Reply:
    outcome, answer, context = said.outcome, dict[str, Any](), said.outcome.context
    if isinstance(said.event, PostToolUse):
        # To throw would put the reason in place of the output; it stands beside it instead.
        context = context if outcome.blocked is None else (outcome.blocked, *context)
    elif outcome.blocked is not None:
        answer["deny"] = outcome.blocked
    elif outcome.allowed is not None:
        answer["allow"] = True
    if context:
        answer["context"] = "\n".join(context)
    if said.changed is not None and "deny" not in answer:
        answer["change"] = said.changed
    if end := ending(outcome.effects):
        answer["end"] = end
    if outcome.warnings:
        answer["warnings"] = list(outcome.warnings)
    return Reply(stdout=json.dumps(answer) if answer else "")


def other_tool(name: str) -> Tool:
    """Tools of MCP servers are `server_tool`."""
    return tool("mcp" if "_" in name else "other", **TEXT)


def files(entries: tuple[Entry, ...]) -> Mapping[str, str]:
    """The plugin, with what it starts, and how long it waits at each moment."""
    command, seconds = entries[0].command, {one.moment: one.seconds for one in entries}
    guards = {one.moment: one.guard for one in entries if one.guard}
    text = PLUGIN.replace("@COMMAND@", json.dumps(command)).replace("@GUARDS@", json.dumps(guards, indent=2))
    return {"hookline.js": text.replace("@SECONDS@", json.dumps(seconds, indent=2))}


HOST = Host(
    name="opencode",
    about="OpenCode, through a plugin.",
    proved="1.18.34",
    names_event="hook",
    common={
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
        "message.part.updated": moment(PostToolUse, **CALL, error="error").saying(success=False),
        "experimental.session.compacting": moment(PreCompact, INJECT),
        "session.compacted": moment(PostCompact),
        "child.session.created": moment(SubagentStart, INJECT),
        "child.session.idle": moment(SubagentStop, again="again", last_text="last"),
        "session.idle": moment(Stop, BLOCK, again="again", last_text="last"),
        "session.error": moment(OnError, error="error"),
        "dispose": moment(SessionEnd, reason="reason").due(4.0),
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
    tool_kind=other_tool,
    failure=lambda payload: str(payload.get("error") or ""),
    encode=encode,
    telltales=("OPENCODE", "OPENCODE_PID"),
    one_by_one=True,
    ends=(PreToolUse,),
    settings=("~/.config/opencode/plugins/hookline.js", "~/.config/opencode/opencode.json"),
    program="opencode",
    folders=("~/.config/opencode", ".opencode"),
    wiring=Wiring(
        way=Own(user="~/.config/opencode/plugins", project=".opencode/plugins", files=files),
        moved_by="XDG_CONFIG_HOME",
        needs=("OpenCode reads plugins when it starts, and fetches its plugin package the first time.",),
    ),
    headless=("opencode", "run", "--format=json", "--model={model}"),
)
