"""OpenAI's Codex CLI: JSON in, JSON of exactly its schemas out, exit 0."""

from collections.abc import Mapping
from typing import Any

from hookline.core.events import (
    ALLOW,
    BLOCK,
    INJECT,
    MODIFY,
    Notification,
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
    TurnStart,
    UserPromptSubmit,
)
from hookline.core.host import WHOLE, Host, Tool, moment, tool
from hookline.core.install_table import Entry, Listed, Look, Wiring
from hookline.hosts import _codex_transcript
from hookline.hosts._claude_entries import hooks
from hookline.hosts._codex_replies import encode
from hookline.hosts._codex_transcript import failure as recorded
from hookline.hosts._codex_trust import waiting, words
from hookline.hosts._obstacles import switched, trusted_project

CALL = {"tool": "tool_name", "input": "tool_input"}
RAN = {**CALL, "call": "tool_use_id"}
ENDED = {"again": "stop_hook_active", "last_text": "last_assistant_message"}
HURRIED = ("SessionEnd", "Interrupt")
"""Moments for which it waits 1 s, and 3 s at most whatever is set."""
LONGEST_HURRY = 3


def helpers_task(payload: Mapping[str, Any]) -> bool:
    """What the agent tells a helper arrives as if a person had written it."""
    return bool(payload.get("agent_id"))


def failed_request(payload: Mapping[str, Any]) -> bool:
    return payload.get("status") == "failed"


def failure(payload: Mapping[str, Any]) -> str:
    """What a result says of itself; that of a command says nothing, the recording does."""
    response = payload.get("tool_response")
    if isinstance(response, Mapping):
        return "the tool says that it failed" if response.get("isError") is True else ""
    first = str(response).partition("\n")[0] if payload.get("tool_name") == "apply_patch" else ""
    return first if first.startswith("Exit code: ") and first != "Exit code: 0" else ""


def sent(payload: Mapping[str, Any], env: Mapping[str, str]) -> bool:
    """It marks no environment; but it names turns and models, and its recordings in a way of its own."""
    if "prompt_id" in payload:
        return False
    recording = str(payload.get("transcript_path") or "").replace("\\", "/").rpartition("/")[2]
    return {"turn_id", "model"} <= payload.keys() or recording.startswith("rollout-")


def mcp_tool(name: str) -> Tool | None:
    return tool("mcp", output=WHOLE) if name.startswith("mcp__") else None


def entry(one: Entry) -> dict[str, Any]:
    seconds = max(round(one.seconds), 1)
    timeout = min(seconds, LONGEST_HURRY) if one.moment in HURRIED else seconds
    return {"hooks": [{"type": "command", "command": one.line, "timeout": timeout}]}


HOST = Host(
    name="codex",
    about="OpenAI's Codex CLI.",
    proved="0.166.0",
    names_event="hook_event_name",
    common={
        "session": "session_id",
        "transcript": "transcript_path",
        "cwd": "cwd",
        "turn": "turn_id",
        "mode": "permission_mode",
        "subagent_id": "agent_id",
        "subagent_type": "agent_type",
    },
    moments={
        "SessionStart": moment(SessionStart, INJECT, source="source"),
        "UserPromptSubmit": moment(UserPromptSubmit, BLOCK, INJECT, prompt="prompt").unless(
            helpers_task, moment(TurnStart, BLOCK, INJECT, prompt="prompt")
        ),
        "PreModelRequest": moment(PreModelCall, model="model"),
        "PostModelRequest": moment(PostModelCall, model="model", usage="token_usage").unless(
            failed_request, moment(OnError, error="error")
        ),
        "PreToolUse": moment(PreToolUse, BLOCK, INJECT, MODIFY, **RAN),
        "PermissionRequest": moment(PermissionRequest, BLOCK, ALLOW, **CALL),
        "PostToolUse": moment(PostToolUse, BLOCK, INJECT, MODIFY, **RAN, output="tool_response"),
        "PreCompact": moment(PreCompact, trigger="trigger"),
        "PostCompact": moment(PostCompact, trigger="trigger"),
        "SubagentStart": moment(SubagentStart, INJECT),
        "SubagentStop": moment(SubagentStop, BLOCK, **ENDED),
        "Stop": moment(Stop, BLOCK, **ENDED),
        "Interrupt": moment(Notification).saying(kind="interrupt", text="The turn was interrupted.").due(2.0),
        "SessionEnd": moment(SessionEnd, reason="reason").due(2.0),
    },
    tools={
        "Bash": tool("shell", command="command", output=WHOLE),
        "apply_patch": tool("edit", patch="command", output=WHOLE),
        "view_image": tool("read", path="path"),
        "spawn_agent": tool("agent", content="message", output=WHOLE),
    },
    tool_kind=mcp_tool,
    encode=encode,
    failure=failure,
    recorded=recorded,
    telltales=("CODEX_THREAD_ID", "CODEX_TOOL_CALL_ID"),
    sent=sent,
    settings=("~/.codex/hooks.json", "~/.codex/config.toml"),
    program="codex",
    folders=("~/.codex", ".codex"),
    wiring=Wiring(
        way=Listed(
            user="~/.codex/hooks.json", project=".codex/hooks.json", entry=entry, read=hooks, usual=600.0
        ),
        moved_by="CODEX_HOME",
        words=words(entry),
        looks=(
            Look(file="~/.codex/config.toml", said=switched("features.hooks", to=False)),
            Look(file="~/.codex/config.toml", said=trusted_project("start `codex` there, and say so")),
            Look(file="~/.codex/config.toml", said=waiting),
        ),
        needs=(
            "Codex skips hooks, without a word, until a person trusts them: start `codex` and type `/hooks`.",
            "Whenever an entry changes, that is to be done again.",
        ),
    ),
    usage=_codex_transcript.USAGE,
    talk=_codex_transcript.CONVERSATION,
    headless=("codex", "exec", "--json", "--model={model}", "--dangerously-bypass-hook-trust", "-"),
    free={"edit": ("--sandbox=workspace-write",), "full": ("--dangerously-bypass-approvals-and-sandbox",)},
)
