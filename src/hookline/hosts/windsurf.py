"""Windsurf's Cascade: only exit code 2 before an action has an effect; the agent reads stderr."""

from collections.abc import Mapping
from typing import Any

from hookline.core.events import BLOCK, PostToolUse, PreToolUse, Stop, UserPromptSubmit
from hookline.core.host import Host, Moment, Reply, ReplyContext, moment, tool
from hookline.core.install_table import InstallEntry, InstallMethod, SettingsFile

MCP_FIELDS = {"tool": "tool_info.mcp_tool_name", "input": "tool_info.mcp_tool_arguments"}


def pre_tool_moment(name: str) -> Moment:
    """Return the moment before one of Windsurf's own tools, which only the moment names."""
    return moment(PreToolUse, BLOCK, cwd="tool_info.cwd", input="tool_info").with_values(tool=name)


def post_tool_moment(name: str) -> Moment:
    """Return the moment after a tool; Windsurf reports neither its output nor whether it succeeded."""
    return moment(PostToolUse, cwd="tool_info.cwd", input="tool_info").with_values(tool=name)


def normalize(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the payload with the new text of all edits joined as its content."""
    info = payload.get("tool_info")
    edits = info.get("edits") if isinstance(info, Mapping) else None
    if not isinstance(info, Mapping) or not isinstance(edits, list | tuple) or "content" in info:
        return payload
    texts = [str(edit.get("new_string", "")) for edit in edits if isinstance(edit, Mapping)]
    return {**payload, "tool_info": {**info, "content": "\n".join(texts)}}


def encode(answer: ReplyContext) -> Reply:
    warnings = "".join(f"hookline: {warning}\n" for warning in answer.outcome.warnings)
    if answer.outcome.blocked is not None:
        return Reply(stderr=f"{answer.outcome.blocked}\n{warnings}", code=2)
    return Reply(stderr=warnings)


def make_entry(entry: InstallEntry) -> dict[str, Any]:
    """Return an entry; it has no timeout, and shows its output, which is only warnings."""
    return {"command": entry.line, "show_output": True}


HOST = Host(
    name="windsurf",
    about="Cascade, the agent of the Windsurf editor.",
    documented="Windsurf's page on Cascade hooks",
    event_key="agent_action_name",
    common_paths={"session": "trajectory_id", "turn": "execution_id", "at": "timestamp"},
    moments={
        "pre_user_prompt": moment(UserPromptSubmit, BLOCK, prompt="tool_info.user_prompt"),
        "pre_read_code": pre_tool_moment("read_code"),
        "pre_write_code": pre_tool_moment("write_code"),
        "pre_run_command": pre_tool_moment("run_command"),
        "pre_mcp_tool_use": moment(PreToolUse, BLOCK, **MCP_FIELDS).with_values(kind="mcp"),
        "post_read_code": post_tool_moment("read_code"),
        "post_write_code": post_tool_moment("write_code"),
        "post_run_command": post_tool_moment("run_command"),
        "post_mcp_tool_use": moment(PostToolUse, **MCP_FIELDS, output="tool_info.mcp_result").with_values(
            kind="mcp"
        ),
        "post_cascade_response": moment(Stop, last_text="tool_info.response"),
    },
    tools={
        "run_command": tool("shell", command="command_line"),
        "read_code": tool("read", path="file_path"),
        "write_code": tool("edit", path="file_path", content="content"),
    },
    normalize=normalize,
    encode=encode,
    timeout=25.0,
    sequential_hooks=True,
    settings=("~/.codeium/windsurf/hooks.json", "~/.codeium/hooks.json"),
    program="windsurf",
    folders=("~/.codeium/windsurf", ".windsurf"),
    install=InstallMethod(
        layout=SettingsFile(
            user="~/.codeium/windsurf/hooks.json", project=".windsurf/hooks.json", make_entry=make_entry
        )
    ),
)
