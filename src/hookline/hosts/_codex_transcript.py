"""Reader of Codex's transcripts, `sessions/<date>/rollout-*.jsonl`: calls, token usage and conversation.

A line is an envelope with `type` and `payload`; the oldest versions write the items without one. A patch
becomes one call per file, because guards judge files.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hookline.core import conversation, patch
from hookline.core.conversation import Back, Talk, Use, Words
from hookline.core.usage import Around, Recording, Spent, Told, Total, Turn, tokens
from hookline.hosts import _transcript
from hookline.hosts._transcript import Call, Place, Result, text_of, words

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


def read_calls(line: Mapping[str, Any]) -> Iterator[_transcript.Entry]:
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


def _ran(item: Mapping[str, Any]) -> Iterator[_transcript.Entry]:
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


def read_usage(line: Mapping[str, Any]) -> Iterator[Told]:
    payload = line.get("payload")
    if not isinstance(payload, Mapping):
        return
    kind = line.get("type")
    if kind == "turn_context":
        yield Around(model=words(payload.get("model")))
        yield from _turn(payload)
    elif kind == "token_usage_record":
        yield from _turn(payload)
        yield from _total(payload.get("thread_token_usage"), payload.get("usage"))
    elif kind == "event_msg" and payload.get("type") == "task_started":
        yield from _turn(payload)
        yield from _window(payload)
    elif kind == "event_msg" and payload.get("type") == "token_count":
        info = payload.get("info")
        if isinstance(info, Mapping):
            yield from _total(info.get("total_token_usage"), info.get("last_token_usage"))
            yield from _window(info)


def _turn(payload: Mapping[str, Any]) -> Iterator[Told]:
    name = words(payload.get("turn_id"))
    if name:
        yield Turn(name)


def _window(told: Mapping[str, Any]) -> Iterator[Told]:
    window = tokens(told.get("model_context_window"))
    if window:
        yield Around(window=window)


def _total(total: Any, last: Any) -> Iterator[Told]:
    if not isinstance(total, Mapping):
        return
    cached, written = tokens(total.get("cached_input_tokens")), tokens(total.get("cache_write_input_tokens"))
    spent = Spent(
        input=max(tokens(total.get("input_tokens")) - cached - written, 0),
        output=tokens(total.get("output_tokens")),
        cache_read=cached,
        cache_write=written,
    )
    used = tokens(last.get("total_tokens")) if isinstance(last, Mapping) else None
    yield Total(spent, used)


USAGE = Recording(
    read=read_usage, marks=(b'"token_usage_record"', b'"token_count"', b'"turn_context"', b'"task_started"')
)


_BY_PROGRAMS = ("<", "# AGENTS.md")
"""How texts begin that stand where a person's words do, and are not."""
_FAILED = re.compile(r"(?:Exit code:|exited with code) (?!0\b)-?\d+")


def read_conversation(line: Mapping[str, Any]) -> Iterator[conversation.Entry]:
    payload = line.get("payload")
    item: Mapping[str, Any] = payload if isinstance(payload, Mapping) else line
    if item.get("type") == "message" and line.get("type") != "event_msg":
        yield from _said(words(item.get("role")), text_of(item.get("content")))
    for one in read_calls(line):
        if isinstance(one, Call):
            command, path = (words(one.input.get(name)) for name in ("command", "path"))
            yield Use(call=one.id, tool=one.tool, kind=one.kind, input=one.input, command=command, path=path)
        elif isinstance(one, Result):
            yield Back(call=one.id, error=one.error or _failure(one.output))


def _said(role: str, text: str) -> Iterator[conversation.Entry]:
    if role == "assistant":
        yield Words(by="agent", text=text)
    elif role == "user" and not text.lstrip().startswith(_BY_PROGRAMS):
        yield Words(by="person", text=text)


def _failure(output: Any) -> str:
    """Newer versions tell only in words that a command failed, before what it printed."""
    text = words(output)
    return text if _FAILED.search(text[:400]) else ""


CONVERSATION = Talk(read=read_conversation, marks=(b'"message"', b"_call"))
