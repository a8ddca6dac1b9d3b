"""Normalization of Cline's payloads: one name per moment, one script per call."""

import shlex
from collections.abc import Mapping
from typing import Any

MOMENT_NAMES = {
    "agent_start": "TaskStart",
    "agent_resume": "TaskResume",
    "agent_end": "TaskComplete",
    "agent_error": "TaskError",
    "agent_abort": "TaskCancel",
    "tool_call": "PreToolUse",
    "tool_result": "PostToolUse",
    "prompt_submit": "UserPromptSubmit",
    "session_shutdown": "SessionShutdown",
}
"""Moment names in payloads, and the names of the hook files, which hookline uses."""
COMMANDS, HELPER = "commands", "hookline_helper"


def normalize(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the payload with the hook file's name, the project folder and one script per call."""
    name, roots = payload.get("hookName"), payload.get("workspaceRoots")
    new = {**payload, "hookName": MOMENT_NAMES.get(str(name), name)}
    if isinstance(roots, list | tuple) and roots:
        new.setdefault("cwd", roots[0])
    if payload.get("parent_agent_id"):  # every agent has an id, only a subagent has a parent
        new.setdefault(HELPER, payload.get("agent_id"))
    for part in ("tool_call", "tool_result"):
        if isinstance(payload.get(part), Mapping):
            new[part] = _join_commands(payload[part])
    return new


def _join_commands(call: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return *call* with its input as an object; a model may send one command, a list, or objects."""
    arguments = call.get("input")
    if call.get("name") != "run_commands":
        return call if isinstance(arguments, Mapping) else {**call, "input": {_input_field(call): arguments}}
    if (
        isinstance(arguments, Mapping)
        and "command" in arguments
        and (COMMANDS in arguments or "args" not in arguments)
    ):
        return call
    commands = (
        arguments.get(COMMANDS, arguments.get("cmd", arguments))
        if isinstance(arguments, Mapping)
        else arguments
    )
    command_list = commands if isinstance(commands, list | tuple) else [commands]
    return {**call, "input": {COMMANDS: command_list, "command": "\n".join(map(_command_line, command_list))}}


def _input_field(call: Mapping[str, Any]) -> str:
    """Return the field that holds an input which is not an object."""
    return "files" if call.get("name") == "read_files" else "input"


def _command_line(command: Any) -> str:
    if not isinstance(command, Mapping):
        return str(command)
    arguments = command.get("args")
    options = shlex.join(map(str, arguments)) if isinstance(arguments, list | tuple) else ""
    return f"{command.get('command', '')} {options}".rstrip()


def find_failure(payload: Mapping[str, Any]) -> str:
    """Return the error of the tool, or of any of its commands, which the output lists separately."""
    result = payload.get("tool_result")
    if not isinstance(result, Mapping):
        return ""
    output = result.get("output")
    rows = [row for row in output if isinstance(row, Mapping)] if isinstance(output, list | tuple) else []
    failed = [str(row.get("error") or "a command failed") for row in rows if row.get("success") is False]
    return str(result.get("error") or "") or "\n".join(failed)
