"""Reader of Codex's transcripts, `sessions/<date>/rollout-*.jsonl`: calls, token usage and conversation.

A line is an envelope with `type` and `payload`; the oldest versions write the items without one. A patch
becomes one call per file, because guards judge files.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hookline.core import conversation, patch
from hookline.core.conversation import ConversationReader, Message, ToolResult, ToolUse
from hookline.core.usage import ContextUpdate, TokenCounts, Total, Turn, UsageEntry, UsageReader, parse_tokens
from hookline.hosts import _transcript
from hookline.hosts._transcript import Call, Result, SessionInfo, join_text, text_or_empty
from hookline.lazy import re

ENVELOPE_TYPES = ("session_meta", "turn_context", "response_item", "event_msg", "compacted")
CALL_TYPES = ("function_call", "custom_tool_call", "local_shell_call")
OUTPUT_TYPES = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")
COMPLETED = "item_completed"
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
"""Hookline's kind of each tool, and the input field for each of hookline's names."""


def recognises(line: Mapping[str, Any]) -> bool:
    if isinstance(line.get("payload"), Mapping):
        return line.get("type") in ENVELOPE_TYPES
    return (
        line.get("type") in (*CALL_TYPES, *OUTPUT_TYPES) or {"id", "timestamp", "instructions"} <= line.keys()
    )


def read_calls(line: Mapping[str, Any]) -> Iterator[_transcript.Entry]:
    payload = line.get("payload")
    item: Mapping[str, Any] = payload if isinstance(payload, Mapping) else line
    kind = text_or_empty(item.get("type"))
    if kind in CALL_TYPES:
        yield from _read_tool_calls(kind, item)
    elif kind in OUTPUT_TYPES:
        yield _read_result(item)
    elif kind == "exec_command_end":
        yield from _read_command_end(item)
    elif line.get("type") not in ("response_item", "event_msg"):
        session = "" if line.get("type") == "turn_context" else text_or_empty(item.get("id"))
        yield SessionInfo(session=session, cwd=text_or_empty(item.get("cwd")))


def _read_tool_calls(kind: str, item: Mapping[str, Any]) -> Iterator[Call]:
    name, call = text_or_empty(item.get("name")), text_or_empty(item.get("call_id"))
    if kind == "local_shell_call":
        yield _make_call(call, "local_shell", _parse_object(item.get("action")))
    elif name == "apply_patch":
        yield from _split_patch(call, _read_patch(item))
    else:
        arguments = _parse_object(item.get("arguments", item.get("input")))
        yield _make_call(
            call, _full_tool_name(item, name), arguments or {"content": text_or_empty(item.get("input"))}
        )


def _full_tool_name(item: Mapping[str, Any], name: str) -> str:
    """Return the name with the MCP server, which newer versions write in a separate field."""
    namespace = text_or_empty(item.get("namespace"))
    return f"{namespace.rstrip('_')}__{name}" if namespace.startswith("mcp__") else name


def _make_call(call: str, tool: str, arguments: Mapping[str, Any]) -> Call:
    kind, fields = TOOLS.get(tool, ("mcp" if tool.startswith("mcp__") else "other", {}))
    renamed = {ours: arguments[theirs] for ours, theirs in fields.items() if theirs in arguments}
    if "command" in renamed:
        renamed["command"], kind = _parse_command(renamed["command"], kind)
    cwd = text_or_empty(arguments.get("workdir")) or text_or_empty(arguments.get("working_directory"))
    return Call(id=call, tool=tool, kind=kind, input={**arguments, **renamed}, cwd=cwd)


def _parse_command(command: Any, kind: str) -> tuple[Any, str]:
    """Return the command line, and the kind of shell that it is for."""
    if not isinstance(command, Sequence) or isinstance(command, str):
        return command, kind
    argv = [str(word) for word in command]
    program = argv[0].replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe") if argv else ""
    if program in SHELLS and len(argv) == 3 and argv[1] in ("-c", "-lc"):  # noqa: PLR2004 -- shell, option, script
        return argv[2], kind
    if program in POWERSHELLS and argv[-2:-1] and argv[-2].lower() in ("-command", "-c"):
        return argv[-1], "powershell"
    return shlex.join(argv), kind


def _read_patch(item: Mapping[str, Any]) -> str:
    arguments = _parse_object(item.get("arguments"))
    return (
        text_or_empty(arguments.get("input"))
        or text_or_empty(arguments.get("patch"))
        or text_or_empty(item.get("input"))
    )


def _split_patch(call: str, text: str) -> Iterator[Call]:
    parts = patch.parse_patch(text)
    for number, change in enumerate(parts):
        part_id = f"{call}/{number}" if number and call else call
        arguments = {"path": change.path, "content": change.content}
        yield Call(id=part_id, tool="apply_patch", kind=change.kind, input=arguments)
    if not parts:
        yield Call(id=call, tool="apply_patch", kind="edit", input={"content": text})


def _read_result(item: Mapping[str, Any]) -> Result:
    output, call = item.get("output"), text_or_empty(item.get("call_id"))
    details = _parse_object(output)
    if isinstance(output, str) and not {"output", "metadata"} <= details.keys():
        return Result(id=call, output=output)  # the output of a command may be JSON itself
    text = text_or_empty(details.get("output")) or join_text(details.get("content")) or join_text(output)
    failed = (
        details.get("success") is False or _parse_object(details.get("metadata")).get("exit_code", 0) != 0
    )
    return Result(id=call, error=text or "it failed") if failed else Result(id=call, output=text)


def _read_command_end(item: Mapping[str, Any]) -> Iterator[_transcript.Entry]:
    """Yield a command that ended; it has no call of its own if the model ran it from code."""
    call = text_or_empty(item.get("call_id"))
    yield _make_call(call, "exec_command", {"cmd": item.get("command"), "workdir": item.get("cwd")})
    output = text_or_empty(item.get("aggregated_output")) or text_or_empty(item.get("stdout"))
    yield Result(id=call, output=output)


def find_recorded_failure(lines: str, call: str) -> str:
    """Return the error of command *call* according to the last *lines* of a rollout; "" if there is none."""
    for line in reversed(lines.split("\n")):
        if COMPLETED in line and call in line:
            item = _parse_object(_parse_object(_parse_object(line).get("payload")).get("item"))
            if text_or_empty(item.get("id")) == call and item.get("type") == "CommandExecution":
                code = item.get("exit_code")
                return f"exit code {code}" if code not in (0, None) or item.get("status") == "failed" else ""
    return ""


def _parse_object(value: Any) -> Mapping[str, Any]:
    """Return *value* if it is an object, or the object that it holds as JSON text."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, Mapping) else {}


def read_usage(line: Mapping[str, Any]) -> Iterator[UsageEntry]:
    payload = line.get("payload")
    if not isinstance(payload, Mapping):
        return
    kind = line.get("type")
    if kind == "turn_context":
        yield ContextUpdate(model=text_or_empty(payload.get("model")))
        yield from _read_turn(payload)
    elif kind == "token_usage_record":
        yield from _read_turn(payload)
        yield from _read_total(payload.get("thread_token_usage"), payload.get("usage"))
    elif kind == "event_msg" and payload.get("type") == "task_started":
        yield from _read_turn(payload)
        yield from _read_window(payload)
    elif kind == "event_msg" and payload.get("type") == "token_count":
        info = payload.get("info")
        if isinstance(info, Mapping):
            yield from _read_total(info.get("total_token_usage"), info.get("last_token_usage"))
            yield from _read_window(info)


def _read_turn(payload: Mapping[str, Any]) -> Iterator[UsageEntry]:
    name = text_or_empty(payload.get("turn_id"))
    if name:
        yield Turn(name)


def _read_window(fields: Mapping[str, Any]) -> Iterator[UsageEntry]:
    window = parse_tokens(fields.get("model_context_window"))
    if window:
        yield ContextUpdate(window=window)


def _read_total(total: Any, last: Any) -> Iterator[UsageEntry]:
    if not isinstance(total, Mapping):
        return
    cached, written = (
        parse_tokens(total.get("cached_input_tokens")),
        parse_tokens(total.get("cache_write_input_tokens")),
    )
    spent = TokenCounts(
        input=max(parse_tokens(total.get("input_tokens")) - cached - written, 0),
        output=parse_tokens(total.get("output_tokens")),
        cache_read=cached,
        cache_write=written,
    )
    used = parse_tokens(last.get("total_tokens")) if isinstance(last, Mapping) else None
    yield Total(spent, used)


def read_answer(line: Mapping[str, Any]) -> str:
    payload = line.get("payload")
    if line.get("type") != "response_item" or not isinstance(payload, Mapping):
        return ""
    is_answer = payload.get("type") == "message" and payload.get("role") == "assistant"
    return join_text(payload.get("content")) if is_answer else ""


USAGE = UsageReader(
    read=read_usage,
    line_markers=(
        b'"token_usage_record"', b'"token_count"', b'"turn_context"', b'"task_started"', b'"output_text"',
    ),
    read_answer=read_answer,
)  # fmt: skip


_PROGRAM_PREFIXES = ("<", "# AGENTS.md", "# Context from my IDE setup", "# Files mentioned by the user")
"""Prefixes of texts in user messages that were written by programs."""
_REQUEST_TITLE = "## My request for Codex:"
"""Title of the person's own words, below the context that an editor adds."""
_EXIT_CODE = re.compile(r"(?:Exit code:|exited with code) (?!0\b)-?\d+")


def read_conversation(line: Mapping[str, Any]) -> Iterator[conversation.TranscriptEntry]:
    payload = line.get("payload")
    item: Mapping[str, Any] = payload if isinstance(payload, Mapping) else line
    if item.get("type") == "message" and line.get("type") != "event_msg":
        yield from _read_message(text_or_empty(item.get("role")), join_text(item.get("content")))
    for entry in read_calls(line):
        if isinstance(entry, Call):
            command, path = (text_or_empty(entry.input.get(name)) for name in ("command", "path"))
            yield ToolUse(
                call=entry.id, tool=entry.tool, kind=entry.kind, input=entry.input, command=command, path=path
            )
        elif isinstance(entry, Result):
            yield ToolResult(call=entry.id, error=entry.error or _failed_output(entry.output))


def _read_message(role: str, text: str) -> Iterator[conversation.TranscriptEntry]:
    if role == "assistant":
        yield Message(by="agent", text=text)
        return
    request = text.rpartition(_REQUEST_TITLE)[2].strip()  # the context above it may contain the title, too
    if role == "user" and not request.startswith(_PROGRAM_PREFIXES):
        yield Message(by="person", text=request)


def _failed_output(output: Any) -> str:
    """Return the output if it reports a failure: newer versions do so only in the text before the output."""
    text = text_or_empty(output)
    return text if _EXIT_CODE.search(text[:400]) else ""


CONVERSATION = ConversationReader(read=read_conversation, line_markers=(b'"message"', b"_call"))
