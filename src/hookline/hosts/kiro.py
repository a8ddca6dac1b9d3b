"""Kiro, in both of its engines: answers are plain text and exit codes, and 1 is no mere warning there."""

import json
from collections.abc import Mapping
from typing import Any

from hookline.core.events import (
    ASK,
    BLOCK,
    INJECT,
    PostToolUse,
    PreToolUse,
    SessionStart,
    Stop,
    UserPromptSubmit,
)
from hookline.core.host import WHOLE, Host, Reply, Said, Tool, moment, tool
from hookline.core.install_table import Entry, Own, Wiring

CALL = {"tool": "tool_name", "input": "tool_input"}
RAN = {**CALL, "output": "tool_response"}
ENDED = {"last_text": "assistant_response"}
NOTHING = "hookline: nothing to add"
NAMES = {
    "agentSpawn": "SessionStart",
    "userPromptSubmit": "UserPromptSubmit",
    "preToolUse": "PreToolUse",
    "postToolUse": "PostToolUse",
    "stop": "Stop",
}
"""What the older engine, still the usual one, calls the same moments."""
OLDER = "hookline_older"
TALKS = ("SessionStart", "UserPromptSubmit")
"""Where the newer engine makes a message of whatever was printed, even of nothing."""
NEEDS = (
    "start the command line with `kiro-cli --v3`: its older engine reads no such file. For that one put "
    '{"command": "hookline hook kiro", "timeout_ms": 30000} into your agent\'s own file, in the hooks of '
    "agentSpawn, userPromptSubmit, preToolUse, postToolUse and stop"
)


def unpacked(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """The payload under the newer name, marked where it is the older engine's, which can do less."""
    name = NAMES.get(str(payload.get("hook_event_name")))
    return {**payload, "hook_event_name": name, OLDER: True} if name else payload


def older(payload: Mapping[str, Any]) -> bool:
    return OLDER in payload


def silence(name: str) -> str:
    return NOTHING if name in TALKS else ""


def failure(payload: Mapping[str, Any]) -> str:
    """The older engine says it in the result; the newer one not at all."""
    told = payload.get("tool_response")
    failed = isinstance(told, Mapping) and told.get("success") is False
    return "the tool says that it failed" if failed else ""


def encode(said: Said) -> Reply:
    outcome = said.outcome
    told = "".join(f"hookline: {warning}\n" for warning in outcome.warnings)
    if outcome.blocked is not None and not isinstance(said.event, Stop):
        return Reply(stderr="\n".join((outcome.blocked, *outcome.context, told)), code=2)
    if outcome.blocked is not None:
        return Reply(stdout=json.dumps({"decision": "block", "reason": outcome.blocked}), stderr=told)
    if outcome.asked is not None:
        asked = {"permissionDecision": "ask", "permissionDecisionReason": outcome.asked}
        answer = {"hookSpecificOutput": {"hookEventName": said.name, **asked}}
        return Reply(stdout=json.dumps(answer), stderr=told)
    nothing = "" if older(said.event.native) else silence(said.name)
    return Reply(stdout="\n".join(outcome.context) or nothing, stderr=told)


def mcp_tool(name: str) -> Tool | None:
    return tool("mcp", output=WHOLE) if name.startswith(("@", "mcp_")) else None


def files(entries: tuple[Entry, ...]) -> dict[str, str]:
    hooks = [
        {
            "name": f"hookline-{one.moment}",
            "trigger": one.moment,
            "timeout": round(one.seconds),
            "action": {"type": "command", "command": one.line},
        }
        for one in entries
    ]
    return {"hookline.json": json.dumps({"version": "v1", "hooks": hooks}, indent=2) + "\n"}


HOST = Host(
    name="kiro",
    about="Kiro, the editor and the command line.",
    documented="Kiro's pages on hooks, and what others read in version 2.22.1",
    names_event="hook_event_name",
    common={"session": "session_id", "cwd": "cwd"},
    moments={
        "SessionStart": moment(SessionStart, INJECT),
        "UserPromptSubmit": moment(UserPromptSubmit, BLOCK, INJECT, prompt="prompt").unless(
            older, moment(UserPromptSubmit, INJECT, prompt="prompt")
        ),
        "PreToolUse": moment(PreToolUse, BLOCK, ASK, **CALL).unless(older, moment(PreToolUse, BLOCK, **CALL)),
        "PostToolUse": moment(PostToolUse, **RAN),
        "Stop": moment(Stop, BLOCK, **ENDED).unless(older, moment(Stop, **ENDED)),
    },
    tools={
        "shell": tool("shell", command="command", output=WHOLE),
        "execute_bash": tool("shell", command="command", output=WHOLE),
        "read": tool("read", path="path", output=WHOLE),
        "fs_read": tool("read", path="path", output=WHOLE),
        "write": tool("write", path="path", content="content"),
        "fs_write": tool("write", path="path", content="file_text"),
        "str_replace": tool("edit", path="path", content="new_str"),
        "glob": tool("glob", path="path", pattern="pattern"),
        "grep": tool("grep", path="path", pattern="pattern", output=WHOLE),
        "web_fetch": tool("fetch", path="url", output=WHOLE),
        "web_search": tool("search", pattern="query"),
        "subagent": tool("agent", content="prompt"),
    },
    tool_kind=mcp_tool,
    unpacked=unpacked,
    failure=failure,
    encode=encode,
    silence=silence,
    within=25.0,
    context_cap=2_900,  # longer output is cut at 3,000
    settings=("~/.kiro/hooks/hookline.json",),
    program="kiro-cli",
    folders=("~/.kiro", ".kiro"),
    wiring=Wiring(
        # KIRO_HOME moves the older engine's folders only, and those have no such files.
        way=Own(user="~/.kiro/hooks", project=".kiro/hooks", files=files),
        needs=(NEEDS,),
    ),
    headless=("kiro-cli", "chat", "--no-interactive", "--v3", "{prompt}"),
)
