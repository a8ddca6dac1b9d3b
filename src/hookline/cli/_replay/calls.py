"""Recorded lines as events that hooks can judge: the tool calls and results of sessions, each once."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from msgspec import Struct

from hookline import hosts
from hookline.cli._replay.lines import Line, read_lines
from hookline.core.envelope import encode_event
from hookline.core.events import PostToolUse, PreToolUse, Subagent
from hookline.core.host import Host
from hookline.core.payload import compose
from hookline.hosts import _claude_transcript, _codex_transcript
from hookline.hosts._transcript import Call, Entry, Result, SessionInfo, text_or_empty

RECORD_FIELDS = frozenset({"session", "event", "action", "trail", "summary"})
TRUNCATION = re.compile(r"… \([\d,]+ characters\)$")
"""End of a summary that was shortened."""
LINE_BREAK = " ⏎ "


def is_audit_record(line: Mapping[str, Any]) -> bool:
    """Return whether *line* is a record as `hookline log --json` prints it."""
    return line.keys() >= RECORD_FIELDS


def read_audit_record(line: Mapping[str, Any]) -> Iterator[Entry]:
    if line.get("event") != PreToolUse.__name__:
        return
    host, tool = text_or_empty(line.get("host")), text_or_empty(line.get("tool"))
    kind, field = _find_kind(host, tool)
    summary, truncations = TRUNCATION.subn("", text_or_empty(line.get("summary")))
    yield Call(
        id=text_or_empty(line.get("id")),
        tool=tool,
        kind=kind,
        input={field: summary.replace(LINE_BREAK, "\n")},
        session=text_or_empty(line.get("session")),
        cwd=text_or_empty(line.get("cwd")),
        host=host,
        partial=bool(truncations),
    )


def _find_kind(host: str, tool: str) -> tuple[str, str]:
    """Return our kind of a host's tool, and the field that its summary shows."""
    table = hosts.load(host) if host in hosts.names() else None
    row = (table.tools.get(tool) or table.find_tool(tool)) if table else None
    if row is None:
        return "other", "content"
    default = "command" if row.kind in ("shell", "powershell") else "path"
    return row.kind, next(
        (place for place in ("command", "path", "pattern") if place in row.input_keys), default
    )


ToolEvent = PreToolUse | PostToolUse


class Reader(Struct, frozen=True, kw_only=True):
    """A kind of recording, recognised by the content of a line."""

    host: str
    """The host that recorded it; empty if each record names its host."""
    payload_host: str
    """The host in whose payload format its calls are judged: `envelope` for our own."""
    recognises: Callable[[Mapping[str, Any]], bool]
    read: Callable[[Mapping[str, Any]], Iterator[Entry]]


class ParsedLine(Struct, frozen=True, kw_only=True):
    """A line of a recording, with its events."""

    line: Line
    reader: Reader | None = None
    """None if no reader recognises the line."""
    events: tuple[ToolEvent, ...] = ()
    partial: bool = False
    """True if the recording kept only the beginning of a call."""


def parse_file(file: str, seen: set[object]) -> Iterator[ParsedLine]:
    """Yield every line of *file* with its calls and results, except those in *seen*."""
    info, pending = SessionInfo(session=file), dict[str, PreToolUse]()
    for line in read_lines(file):
        reader = _find_reader(line)
        events, partial = list[ToolEvent](), False
        for entry in reader.read(line.value) if reader else ():
            if isinstance(entry, SessionInfo):
                info = SessionInfo(session=entry.session or info.session, cwd=entry.cwd or info.cwd)
            else:
                events += _build_events(entry, info, pending, seen, reader.host if reader else "")
                partial = partial or (isinstance(entry, Call) and entry.partial)
        yield ParsedLine(line=line, reader=reader, events=tuple(events), partial=partial)


def _find_reader(line: Line) -> Reader | None:
    if line.value is None:
        return None
    return next((reader for reader in READERS if reader.recognises(line.value)), None)


def _build_events(
    entry: Call | Result, info: SessionInfo, pending: dict[str, PreToolUse], seen: set[object], host: str
) -> Iterator[ToolEvent]:
    if isinstance(entry, Result):
        call = pending.pop(entry.id, None)
        if call is not None:
            yield _build_result(call, entry)
        return
    event = _build_call(entry, info, host)
    if entry.id and not _is_new(event, seen):
        return
    if entry.id:
        pending[entry.id] = event
    yield event


def _build_call(call: Call, info: SessionInfo, host: str) -> PreToolUse:
    return PreToolUse(
        session=call.session or info.session,
        cwd=call.cwd or info.cwd,
        host=call.host or host,
        tool=call.tool,
        kind=call.kind,
        input=call.input,
        call=call.id,
        subagent=Subagent(id=call.helper) if call.helper else None,
    )


def _is_new(event: PreToolUse, seen: set[object]) -> bool:
    """Return whether the call was not seen before.

    Resumed and forked sessions repeat earlier calls under another session id; some recordings repeat a call.
    """
    keys = {(event.session, event.call), hash((event.call, event.tool, repr(event.input)))}
    repeated = bool(keys & seen)
    seen |= keys
    return not repeated


def _build_result(call: PreToolUse, result: Result) -> PostToolUse:
    return PostToolUse(
        session=call.session,
        cwd=call.cwd,
        host=call.host,
        tool=call.tool,
        kind=call.kind,
        input=call.input,
        call=call.call,
        subagent=call.subagent,
        output=result.output,
        success=not result.error,
        error=result.error,
    )


def build_payload(host: Host, event: ToolEvent) -> dict[str, Any]:
    """Return the *event* as *host* would send it."""
    if host.name == "envelope":
        return encode_event(event)
    return compose(host, event, _find_moment(host.name, event.name, getattr(event, "success", True)))


@cache
def _find_moment(host: str, event: str, success: bool) -> str:  # noqa: FBT001 -- a part of the key
    """Return the host's name of the moment; some hosts have a separate one for failures."""
    rows = [(name, row) for name, row in hosts.load(host).moments.items() if row.event.__name__ == event]
    return next((name for name, row in rows if row.values.get("success", True) is success), rows[0][0])


READERS = (
    Reader(
        host="claude-code",
        payload_host="claude-code",
        recognises=_claude_transcript.recognises,
        read=_claude_transcript.read_calls,
    ),
    Reader(
        host="codex",
        payload_host="envelope",
        recognises=_codex_transcript.recognises,
        read=_codex_transcript.read_calls,
    ),
    Reader(host="", payload_host="envelope", recognises=is_audit_record, read=read_audit_record),
)
