"""Recorded lines as events that hooks can judge: the tool calls and results of sessions, each once.

A line that cannot be read is reported and never fatal.
"""

import json
import os
import re
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from functools import cache
from typing import IO, Any
from urllib.parse import quote

from msgspec import Struct, to_builtins

from hookline import hosts, stores
from hookline.core.envelope import encode_event
from hookline.core.events import PostToolUse, PreToolUse, Subagent
from hookline.core.frozen import thaw
from hookline.core.host import Host
from hookline.core.payload import compose
from hookline.core.store import Query
from hookline.hosts import _claude_transcript, _codex_transcript
from hookline.hosts._transcript import Call, Entry, Result, SessionInfo, text_or_empty

MAX_BYTES = 64 * 1024 * 1024
"""Maximum length of a line, in bytes; recorded images of a few megabytes are usual."""
DATABASE = b"SQLite format 3\x00"


class Line(Struct, frozen=True, kw_only=True):
    """A line of a file."""

    number: int
    size: int
    value: Any = None
    """The JSON object; None if the line cannot be read, and then `wrong` is the reason."""
    wrong: str = ""


def read_lines(file: str) -> Iterator[Line]:
    """Yield every line of *file*, `-` for stdin, or every record of a store; raise `OSError`."""
    with _open(file) as stream:
        start = stream.peek(len(DATABASE))[: len(DATABASE)]  # type: ignore[attr-defined]  # of a buffered reader
        if start != DATABASE:
            yield from _read_texts(stream)
            return
    yield from _read_records(file)


def _open(file: str) -> IO[bytes]:
    return open(sys.stdin.fileno() if file == "-" else file, "rb", closefd=file != "-")


def _read_texts(stream: IO[bytes]) -> Iterator[Line]:
    number = 0
    while text := stream.readline(MAX_BYTES + 1):
        number += 1
        if len(text) <= MAX_BYTES:
            yield _parse_line(number, text)
        else:
            yield Line(number=number, size=len(text) + _skip_line(stream), wrong=f"over {MAX_BYTES:,} bytes")


def _skip_line(stream: IO[bytes]) -> int:
    size = 0
    while (rest := stream.readline(MAX_BYTES)) and not rest.endswith(b"\n"):
        size += len(rest)
    return size + len(rest)


def _parse_line(number: int, text: bytes) -> Line:
    if not text.strip():
        return Line(number=number, size=len(text), wrong="empty")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        wrong = "nested too deeply" if isinstance(error, RecursionError) else "invalid JSON"
        return Line(number=number, size=len(text), wrong=wrong)
    if not isinstance(value, dict):
        return Line(number=number, size=len(text), wrong="not a JSON object")
    return Line(number=number, size=len(text), value=value)


def _read_records(file: str) -> Iterator[Line]:
    """Yield the records of a copy of a store, because opening a store may repair or upgrade it."""
    with tempfile.TemporaryDirectory(prefix="hookline-replay-") as folder:
        copy = f"{folder}/hookline.db"
        _copy_database(file, copy)
        with closing(stores.load("sqlite")(copy)) as store:
            for position, record in store.records(Query()):
                yield Line(number=position, size=0, value=thaw(to_builtins(record)))


def _copy_database(file: str, copy: str) -> None:
    # Without a write-ahead log no process is writing; `immutable` keeps SQLite from creating a log.
    mode = "mode=ro" if os.path.exists(f"{file}-wal") else "immutable=1"
    try:
        with (
            closing(sqlite3.connect(f"file:{quote(os.path.abspath(file))}?{mode}", uri=True)) as source,
            closing(sqlite3.connect(copy)) as target,
        ):
            source.backup(target)
    except sqlite3.Error as error:
        raise OSError(f"the store {file!r} cannot be read: {error}") from error


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
