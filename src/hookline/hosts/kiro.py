"""Kiro, with both of its engines: replies are text and exit codes; exit code 1 is more than a warning."""

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
from hookline.core.host import WHOLE_OUTPUT, Host, Reply, ReplyContext, Tool, moment, tool
from hookline.core.install_table import InstallEntry, InstallMethod, OwnFiles

CALL = {"tool": "tool_name", "input": "tool_input"}
RAN = {**CALL, "output": "tool_response"}
ENDED = {"last_text": "assistant_response"}
EMPTY_MESSAGE = "hookline: nothing to add"
MOMENT_NAMES = {
    "agentSpawn": "SessionStart",
    "userPromptSubmit": "UserPromptSubmit",
    "preToolUse": "PreToolUse",
    "postToolUse": "PostToolUse",
    "stop": "Stop",
}
"""Moment names of the older engine, which is still the default, and those of the newer one."""
OLDER_ENGINE = "hookline_older"
MESSAGE_MOMENTS = ("SessionStart", "UserPromptSubmit")
"""Moments at which the newer engine turns any output, even none, into a message."""
MANUAL_STEP = (
    "start the command line with `kiro-cli --v3`: its older engine does not read this file. "
    'For the older engine, add {"command": "hookline hook kiro", "timeout_ms": 30000} to the file of your '
    "agent, in the hooks of agentSpawn, userPromptSubmit, preToolUse, postToolUse and stop"
)


def normalize(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the payload with the newer name, and a mark if the older engine, which can do less, sent it."""
    name = MOMENT_NAMES.get(str(payload.get("hook_event_name")))
    return {**payload, "hook_event_name": name, OLDER_ENGINE: True} if name else payload


def is_older_engine(payload: Mapping[str, Any]) -> bool:
    return OLDER_ENGINE in payload


def empty_reply(name: str) -> str:
    return EMPTY_MESSAGE if name in MESSAGE_MOMENTS else ""


def find_failure(payload: Mapping[str, Any]) -> str:
    """Return the error that the older engine reports in the result; the newer one reports none."""
    result = payload.get("tool_response")
    failed = isinstance(result, Mapping) and result.get("success") is False
    return "the tool reported a failure" if failed else ""


def encode(answer: ReplyContext) -> Reply:
    outcome = answer.outcome
    warnings = "".join(f"hookline: {warning}\n" for warning in outcome.warnings)
    if outcome.blocked is not None and not isinstance(answer.event, Stop):
        return Reply(stderr="\n".join((outcome.blocked, *outcome.context, warnings)), code=2)
    if outcome.blocked is not None:
        return Reply(stdout=json.dumps({"decision": "block", "reason": outcome.blocked}), stderr=warnings)
    if outcome.asked is not None:
        decision = {"permissionDecision": "ask", "permissionDecisionReason": outcome.asked}
        reply = {"hookSpecificOutput": {"hookEventName": answer.name, **decision}}
        return Reply(stdout=json.dumps(reply), stderr=warnings)
    default = "" if is_older_engine(answer.event.native) else empty_reply(answer.name)
    return Reply(stdout="\n".join(outcome.context) or default, stderr=warnings)


def find_tool(name: str) -> Tool | None:
    return tool("mcp", output=WHOLE_OUTPUT) if name.startswith(("@", "mcp_")) else None


def make_files(entries: tuple[InstallEntry, ...]) -> dict[str, str]:
    hooks = [
        {
            "name": f"hookline-{entry.moment}",
            "trigger": entry.moment,
            "timeout": round(entry.timeout),
            "action": {"type": "command", "command": entry.line},
        }
        for entry in entries
    ]
    return {"hookline.json": json.dumps({"version": "v1", "hooks": hooks}, indent=2) + "\n"}


HOST = Host(
    name="kiro",
    about="Kiro, in the editor and on the command line.",
    documented="Kiro's pages on hooks, and published analyses of version 2.22.1",
    event_key="hook_event_name",
    common_paths={"session": "session_id", "cwd": "cwd"},
    moments={
        "SessionStart": moment(SessionStart, INJECT),
        "UserPromptSubmit": moment(UserPromptSubmit, BLOCK, INJECT, prompt="prompt").unless(
            is_older_engine, moment(UserPromptSubmit, INJECT, prompt="prompt")
        ),
        "PreToolUse": moment(PreToolUse, BLOCK, ASK, **CALL).unless(
            is_older_engine, moment(PreToolUse, BLOCK, **CALL)
        ),
        "PostToolUse": moment(PostToolUse, **RAN),
        "Stop": moment(Stop, BLOCK, **ENDED).unless(is_older_engine, moment(Stop, **ENDED)),
    },
    tools={
        "shell": tool("shell", command="command", output=WHOLE_OUTPUT),
        "execute_bash": tool("shell", command="command", output=WHOLE_OUTPUT),
        "read": tool("read", path="path", output=WHOLE_OUTPUT),
        "fs_read": tool("read", path="path", output=WHOLE_OUTPUT),
        "write": tool("write", path="path", content="content"),
        "fs_write": tool("write", path="path", content="file_text"),
        "str_replace": tool("edit", path="path", content="new_str"),
        "glob": tool("glob", path="path", pattern="pattern"),
        "grep": tool("grep", path="path", pattern="pattern", output=WHOLE_OUTPUT),
        "web_fetch": tool("fetch", path="url", output=WHOLE_OUTPUT),
        "web_search": tool("search", pattern="query"),
        "subagent": tool("agent", content="prompt"),
    },
    find_tool=find_tool,
    normalize=normalize,
    find_error=find_failure,
    encode=encode,
    encode_empty_reply=empty_reply,
    timeout=25.0,
    context_cap=2_900,  # longer output is cut at 3,000
    settings=("~/.kiro/hooks/hookline.json",),
    program="kiro-cli",
    folders=("~/.kiro", ".kiro"),
    install=InstallMethod(
        # KIRO_HOME moves the older engine's folders only, and those have no such files.
        layout=OwnFiles(user="~/.kiro/hooks", project=".kiro/hooks", make_files=make_files),
        manual_steps=(MANUAL_STEP,),
    ),
    headless=("kiro-cli", "chat", "--no-interactive", "--v3", "{prompt}"),
)
