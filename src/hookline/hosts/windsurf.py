"""Windsurf's Cascade: only exit code 2 before an action does anything, and the agent reads stderr."""

from collections.abc import Mapping
from typing import Any

from hookline.core.events import BLOCK, PostToolUse, PreToolUse, Stop, UserPromptSubmit
from hookline.core.host import Host, Moment, Reply, Said, moment, tool
from hookline.core.install_table import Entry, Listed, Wiring

MCP = {"tool": "tool_info.mcp_tool_name", "input": "tool_info.mcp_tool_arguments"}


def before(name: str) -> Moment:
    """One of its own tools, which is named by the moment alone."""
    return moment(PreToolUse, BLOCK, cwd="tool_info.cwd", input="tool_info").saying(tool=name)


def after(name: str) -> Moment:
    """It tells neither what came out nor whether it worked."""
    return moment(PostToolUse, cwd="tool_info.cwd", input="tool_info").saying(tool=name)


def unpacked(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is written, in one piece: an edit has a list of them."""
    told = payload.get("tool_info")
    edits = told.get("edits") if isinstance(told, Mapping) else None
    if not isinstance(told, Mapping) or not isinstance(edits, list | tuple) or "content" in told:
        return payload
    new = [str(edit.get("new_string", "")) for edit in edits if isinstance(edit, Mapping)]
    return {**payload, "tool_info": {**told, "content": "\n".join(new)}}


def encode(said: Said) -> Reply:
    told = "".join(f"hookline: {warning}\n" for warning in said.outcome.warnings)
    if said.outcome.blocked is not None:
        return Reply(stderr=f"{said.outcome.blocked}\n{told}", code=2)
    return Reply(stderr=told)


def entry(one: Entry) -> dict[str, Any]:
    """It knows no time limit; what we print are only warnings, so they are shown."""
    return {"command": one.line, "show_output": True}


HOST = Host(
    name="windsurf",
    about="Cascade, the agent of the Windsurf editor.",
    documented="Windsurf's page on Cascade hooks",
    names_event="agent_action_name",
    common={"session": "trajectory_id", "turn": "execution_id", "at": "timestamp"},
    moments={
        "pre_user_prompt": moment(UserPromptSubmit, BLOCK, prompt="tool_info.user_prompt"),
        "pre_read_code": before("read_code"),
        "pre_write_code": before("write_code"),
        "pre_run_command": before("run_command"),
        "pre_mcp_tool_use": moment(PreToolUse, BLOCK, **MCP).saying(kind="mcp"),
        "post_read_code": after("read_code"),
        "post_write_code": after("write_code"),
        "post_run_command": after("run_command"),
        "post_mcp_tool_use": moment(PostToolUse, **MCP, output="tool_info.mcp_result").saying(kind="mcp"),
        "post_cascade_response": moment(Stop, last_text="tool_info.response"),
    },
    tools={
        "run_command": tool("shell", command="command_line"),
        "read_code": tool("read", path="file_path"),
        "write_code": tool("edit", path="file_path", content="content"),
    },
    unpacked=unpacked,
    encode=encode,
    within=25.0,
    one_by_one=True,
    settings=("~/.codeium/windsurf/hooks.json", "~/.codeium/hooks.json"),
    program="windsurf",
    folders=("~/.codeium/windsurf", ".windsurf"),
    wiring=Wiring(
        way=Listed(user="~/.codeium/windsurf/hooks.json", project=".windsurf/hooks.json", entry=entry)
    ),
)
