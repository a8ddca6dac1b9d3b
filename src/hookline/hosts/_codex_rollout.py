"""Codex's rollouts, `sessions/<date>/rollout-*.jsonl`: one line → the calls and results in it, in our words.

A line is an envelope with `type` and `payload`; the oldest have the items bare. A patch is a call for each
file that it touches, because that is what a guard has to see.
"""

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hookline import patch
from hookline.hosts._recorded import Call, Entry, Place, Result, text_of, words

ENVELOPES = ("session_meta", "turn_context", "response_item", "event_msg", "compacted")
CALLS = ("function_call", "custom_tool_call", "local_shell_call")
OUTPUTS = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")
ENDED = "item_completed"
SHELLS = ("bash", "sh", "zsh", "dash", "ksh")
POWERSHELLS = ("pwsh", "powershell")
TOOLS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "shell": ("shell", {"command": "command"}),
    "container.exec": ("shell", {"command": "command"}),
    "local_shell": ("shell", {"command": "command"}),
    "shell_command": ("shell", {"command": "command"}),
    "exec_command": ("shell", {"command": "cmd"}),
    "unified_exec": ("shell", {"command": "input"}),
    "view_image": ("read", {"path": "path"}),
    "read_file": ("read", {"path": "file_path"}),
    "list_dir": ("list", {"path": "dir_path"}),
    "grep_files": ("grep", {"path": "path", "pattern": "pattern"}),
    "spawn_agent": ("agent", {"content": "message"}),
}
"""Our kind of each tool, and where our words for its input lie."""


def recognises(line: Mapping[str, Any]) -> bool:
    if isinstance(line.get("payload"), Mapping):
        return line.get("type") in ENVELOPES
    return line.get("type") in (*CALLS, *OUTPUTS) or {"id", "timestamp", "instructions"} <= line.keys()


def read(line: Mapping[str, Any]) -> Iterator[Entry]:
    payload = line.get("payload")
    item: Mapping[str, Any] = payload if isinstance(payload, Mapping) else line
    kind = words(item.get("type"))
    if kind in CALLS:
        yield from _calls(kind, item)
    elif kind in OUTPUTS:
        yield _result(item)
    elif kind == "exec_command_end":
        yield from _ran(item)
    elif line.get("type") not in ("response_item", "event_msg"):
        session = "" if line.get("type") == "turn_context" else words(item.get("id"))
        yield Place(session=session, cwd=words(item.get("cwd")))


def _calls(kind: str, item: Mapping[str, Any]) -> Iterator[Call]:
    name, call = words(item.get("name")), words(item.get("call_id"))
    if kind == "local_shell_call":
        yield _call(call, "local_shell", _object(item.get("action")))
    elif name == "apply_patch":
        yield from _patched(call, _patch(item))
    else:
        given = _object(item.get("arguments", item.get("input")))
        yield _call(call, _whole_name(item, name), given or {"content": words(item.get("input"))})


def _whole_name(item: Mapping[str, Any], name: str) -> str:
    """Tools of MCP servers have the server in a field of its own by now."""
    space = words(item.get("namespace"))
    return f"{space.rstrip('_')}__{name}" if space.startswith("mcp__") else name


def _call(call: str, tool: str, given: Mapping[str, Any]) -> Call:
    kind, places = TOOLS.get(tool, ("mcp" if tool.startswith("mcp__") else "other", {}))
    found = {ours: given[theirs] for ours, theirs in places.items() if theirs in given}
    if "command" in found:
        found["command"], kind = _command(found["command"], kind)
    cwd = words(given.get("workdir")) or words(given.get("working_directory"))
    return Call(id=call, tool=tool, kind=kind, input={**given, **found}, cwd=cwd)


def _command(command: Any, kind: str) -> tuple[Any, str]:
    """The command line, and the kind of shell it is for."""
    if not isinstance(command, Sequence) or isinstance(command, str):
        return command, kind
    argv = [str(word) for word in command]
    program = argv[0].replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe") if argv else ""
    if program in SHELLS and len(argv) == 3 and argv[1] in ("-c", "-lc"):  # noqa: PLR2004 -- shell, option, script
        return argv[2], kind
    if program in POWERSHELLS and argv[-2:-1] and argv[-2].lower() in ("-command", "-c"):
        return argv[-1], "powershell"
    return shlex.join(argv), kind


def _patch(item: Mapping[str, Any]) -> str:
    given = _object(item.get("arguments"))
    return words(given.get("input")) or words(given.get("patch")) or words(item.get("input"))


def _patched(call: str, text: str) -> Iterator[Call]:
    parts = patch.parts(text)
    for number, one in enumerate(parts):
        part = f"{call}/{number}" if number and call else call
        given = {"path": one.path, "content": one.content}
        yield Call(id=part, tool="apply_patch", kind=one.kind, input=given)
    if not parts:
        yield Call(id=call, tool="apply_patch", kind="edit", input={"content": text})


def _result(item: Mapping[str, Any]) -> Result:
    output, call = item.get("output"), words(item.get("call_id"))
    whole = _object(output)
    if isinstance(output, str) and not {"output", "metadata"} <= whole.keys():
        return Result(id=call, output=output)  # what a command printed may well be JSON itself
    told = words(whole.get("output")) or text_of(whole.get("content")) or text_of(output)
    failed = whole.get("success") is False or _object(whole.get("metadata")).get("exit_code", 0) != 0
    return Result(id=call, error=told or "it failed") if failed else Result(id=call, output=told)


def _ran(item: Mapping[str, Any]) -> Iterator[Entry]:
    """A command that ended: news only where the model ran it from code, so that it has no call of its own."""
    call = words(item.get("call_id"))
    yield _call(call, "exec_command", {"cmd": item.get("command"), "workdir": item.get("cwd")})
    told = words(item.get("aggregated_output")) or words(item.get("stdout"))
    yield Result(id=call, output=told)


def failure(lines: str, call: str) -> str:
    """How a command failed, by the last *lines* of a rollout; empty where it did not, or they do not tell."""
    for line in reversed(lines.split("\n")):
        if ENDED in line and call in line:
            item = _object(_object(_object(line).get("payload")).get("item"))
            if words(item.get("id")) == call and item.get("type") == "CommandExecution":
                code = item.get("exit_code")
                return f"exit code {code}" if code not in (0, None) or item.get("status") == "failed" else ""
    return ""


def _object(value: Any) -> Mapping[str, Any]:
    """An object, or text that holds one in JSON."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, Mapping) else {}
