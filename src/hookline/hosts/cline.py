"""Cline: a program for every moment, an answer only around a tool, and exit codes that mean nothing."""

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
from hookline.core.frozen import thawed
from hookline.core.host import WHOLE, Host, Reply, Said, Tool, moment, tool
from hookline.core.install_table import Entry, Own, Wiring
from hookline.hosts._cline_payloads import COMMANDS, HELPER, failure, unpacked

CALL = {"tool": "tool_call.name", "input": "tool_call.input", "call": "tool_call.id"}
RAN = {
    "tool": "tool_result.name",
    "input": "tool_result.input",
    "call": "tool_result.id",
    "output": "tool_result.output",
    "error": "tool_result.error",
    "duration_ms": "tool_result.durationMs",
}


def encode(said: Said) -> Reply:
    outcome, answer = said.outcome, dict[str, Any]()
    if outcome.blocked is not None:  # which ends the run, and takes no context beside it
        answer = {"cancel": True, "errorMessage": "\n".join((outcome.blocked, *outcome.context))}
    elif outcome.context:
        answer["contextModification"] = "\n".join(outcome.context)
    if said.changed is not None and outcome.blocked is None:
        answer["overrideInput"] = _overriding(thawed(said.changed))
    told = "".join(f"hookline: {warning}\n" for warning in outcome.warnings)
    return Reply(stdout=json.dumps(answer) if answer else "", stderr=told)


def _overriding(new: dict[str, Any]) -> dict[str, Any]:
    if COMMANDS not in new:
        return new
    return {key: value for key, value in new.items() if key != "command"} | {COMMANDS: [new["command"]]}


def mcp_tool(name: str) -> Tool | None:
    return tool("mcp", output=WHOLE) if "__" in name else None


def files(entries: tuple[Entry, ...]) -> dict[str, str]:
    return {one.moment: f"#!/bin/sh\n# Made by hookline.\n{one.guard}exec {one.command}\n" for one in entries}


HOST = Host(
    name="cline",
    about="Cline, the editor's extension and the command line's program.",
    documented="Cline's own sources of 22 August 2026",
    names_event="hookName",
    common={"session": "taskId", "cwd": "cwd", "at": "timestamp", "subagent_id": HELPER},
    moments={
        "TaskStart": moment(SessionStart).saying(source="startup"),
        "TaskResume": moment(SessionStart).saying(source="resume"),
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
    tool_kind=mcp_tool,
    unpacked=unpacked,
    failure=failure,
    encode=encode,
    within=25.0,  # of the 30 s that its older editions give
    one_by_one=True,
    settings=("~/.cline/hooks",),
    program="cline",
    folders=("~/.cline", ".cline", ".clinerules"),
    wiring=Wiring(way=Own(user="~/.cline/hooks", project=".cline/hooks", files=files, executable=True)),
    headless=("cline", "{prompt}"),
)
