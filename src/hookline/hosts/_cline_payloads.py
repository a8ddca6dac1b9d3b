"""What Cline sends, as its table means it: one name for a moment, one script for a call."""

import shlex
from collections.abc import Mapping
from typing import Any

NAMES = {
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
"""A moment has one name in the payload and another as a file; ours is the file's."""
COMMANDS, HELPER = "commands", "hookline_helper"


def unpacked(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """The payload under the file's name, in the project's folder, with a call's commands as one script."""
    name, roots = payload.get("hookName"), payload.get("workspaceRoots")
    new = {**payload, "hookName": NAMES.get(str(name), name)}
    if isinstance(roots, list | tuple) and roots:
        new.setdefault("cwd", roots[0])
    if payload.get("parent_agent_id"):  # every agent has an id, only a helper has a parent
        new.setdefault(HELPER, payload.get("agent_id"))
    for part in ("tool_call", "tool_result"):
        if isinstance(payload.get(part), Mapping):
            new[part] = _scripted(payload[part])
    return new


def _scripted(call: Mapping[str, Any]) -> Mapping[str, Any]:
    """A model may give one command, a list of them, or each as an object with arguments; likewise files."""
    given = call.get("input")
    if call.get("name") != "run_commands":
        return call if isinstance(given, Mapping) else {**call, "input": {_only(call): given}}
    if isinstance(given, Mapping) and "command" in given and (COMMANDS in given or "args" not in given):
        return call
    commands = given.get(COMMANDS, given.get("cmd", given)) if isinstance(given, Mapping) else given
    every = commands if isinstance(commands, list | tuple) else [commands]
    return {**call, "input": {COMMANDS: every, "command": "\n".join(map(_line, every))}}


def _only(call: Mapping[str, Any]) -> str:
    """The field that a tool takes for its whole input."""
    return "files" if call.get("name") == "read_files" else "input"


def _line(command: Any) -> str:
    if not isinstance(command, Mapping):
        return str(command)
    arguments = command.get("args")
    more = shlex.join(map(str, arguments)) if isinstance(arguments, list | tuple) else ""
    return f"{command.get('command', '')} {more}".rstrip()


def failure(payload: Mapping[str, Any]) -> str:
    """An error of the tool; or of any one of its commands, which are told apart in its output."""
    result = payload.get("tool_result")
    if not isinstance(result, Mapping):
        return ""
    output = result.get("output")
    rows = [row for row in output if isinstance(row, Mapping)] if isinstance(output, list | tuple) else []
    failed = [str(row.get("error") or "a command failed") for row in rows if row.get("success") is False]
    return str(result.get("error") or "") or "\n".join(failed)
