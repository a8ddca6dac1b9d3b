"""Cline: one program per moment; replies are read only around a tool, and exit codes are ignored."""

import json
from typing import Any

from hookline.core.events import (
    BLOCK,
    INJECT,
    MODIFY,
    OnError,
    PostToolUse,
    PreToolUse,
    SessionEnd,
    SessionStart,
    Stop,
    UserPromptSubmit,
)
from hookline.core.frozen import thaw
from hookline.core.host import WHOLE_OUTPUT, Host, Reply, ReplyContext, Tool, moment, tool
from hookline.core.install_table import InstallEntry, InstallMethod, OwnFiles
from hookline.hosts._cline_payloads import COMMANDS, HELPER, find_failure, normalize

CALL = {"tool": "tool_call.name", "input": "tool_call.input", "call": "tool_call.id"}
RAN = {
    "tool": "tool_result.name",
    "input": "tool_result.input",
    "call": "tool_result.id",
    "output": "tool_result.output",
    "error": "tool_result.error",
    "duration_ms": "tool_result.durationMs",
}


def encode(answer: ReplyContext) -> Reply:
    outcome, reply = answer.outcome, dict[str, Any]()
    if outcome.blocked is not None:  # ends the run, and accepts no context beside the reason
        reply = {"cancel": True, "errorMessage": "\n".join((outcome.blocked, *outcome.context))}
    elif outcome.context:
        reply["contextModification"] = "\n".join(outcome.context)
    if answer.changed is not None and outcome.blocked is None:
        reply["overrideInput"] = _override_input(thaw(answer.changed))
    warnings = "".join(f"hookline: {warning}\n" for warning in outcome.warnings)
    return Reply(stdout=json.dumps(reply) if reply else "", stderr=warnings)


def _override_input(new: dict[str, Any]) -> dict[str, Any]:
    if COMMANDS not in new:
        return new
    return {key: value for key, value in new.items() if key != "command"} | {COMMANDS: [new["command"]]}


def find_tool(name: str) -> Tool | None:
    return tool("mcp", output=WHOLE_OUTPUT) if "__" in name else None


def make_files(entries: tuple[InstallEntry, ...]) -> dict[str, str]:
    return {
        entry.moment: f"#!/bin/sh\n# Made by hookline.\n{entry.guard}exec {entry.command}\n"
        for entry in entries
    }


HOST = Host(
    name="cline",
    about="Cline, as an editor extension and on the command line.",
    documented="the source code of Cline, 22 August 2026",
    event_key="hookName",
    common_paths={"session": "taskId", "cwd": "cwd", "at": "timestamp", "subagent_id": HELPER},
    moments={
        "TaskStart": moment(SessionStart).with_values(source="startup"),
        "TaskResume": moment(SessionStart).with_values(source="resume"),
        "UserPromptSubmit": moment(UserPromptSubmit, prompt="userPromptSubmit.prompt"),
        "PreToolUse": moment(PreToolUse, BLOCK, INJECT, MODIFY, **CALL),
        "PostToolUse": moment(PostToolUse, INJECT, **RAN),
        "TaskComplete": moment(Stop, last_text="turn.outputText"),
        "TaskError": moment(OnError, error="error.message"),
        "SessionShutdown": moment(SessionEnd, reason="reason"),
    },
    tools={
        "run_commands": tool("shell", command="command"),
        "bash": tool("shell", command="command"),
        "execute_command": tool("shell", command="command"),
        "read_files": tool("read"),
        "editor": tool("edit", path="path", content="new_text"),
        "apply_patch": tool("edit", patch="input"),
        "search_codebase": tool("search"),
        "fetch_web_content": tool("fetch"),
        "skills": tool("agent", content="args"),
        "ask_question": tool("question"),
    },
    find_tool=find_tool,
    normalize=normalize,
    find_error=find_failure,
    encode=encode,
    timeout=25.0,  # older versions wait 30 s
    sequential_hooks=True,
    settings=("~/.cline/hooks",),
    program="cline",
    folders=("~/.cline", ".cline", ".clinerules"),
    install=InstallMethod(
        layout=OwnFiles(user="~/.cline/hooks", project=".cline/hooks", make_files=make_files, executable=True)
    ),
    headless=("cline", "{prompt}"),
)
