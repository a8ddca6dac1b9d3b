"""Recorded lines as events that hooks can judge: the tool calls and results of sessions, each once."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from msgspec import Struct

from hookline import hosts
from hookline.cli._replay.lines import Line, lines
from hookline.core.envelope import event_out
from hookline.core.events import PostToolUse, PreToolUse, Subagent
from hookline.core.host import Host
from hookline.core.payload import compose
from hookline.hosts import _claude_transcript, _codex_transcript
from hookline.hosts._transcript import Call, Entry, Place, Result, words

FIELDS = frozenset({"session", "event", "action", "trail", "summary"})
CUT = re.compile(r"… \([\d,]+ characters\)$")
"""How a summary ends that was longer than what is kept."""
BREAK = " ⏎ "


def recognises(line: Mapping[str, Any]) -> bool:
    """Whether this is a record, as `hookline log --json` prints it."""
    return line.keys() >= FIELDS


def read(line: Mapping[str, Any]) -> Iterator[Entry]:
    if line.get("event") != PreToolUse.__name__:
        return
    host, tool = words(line.get("host")), words(line.get("tool"))
    kind, place = _sort_of(host, tool)
    what, cuts = CUT.subn("", words(line.get("summary")))
    yield Call(
        id=words(line.get("id")),
        tool=tool,
        kind=kind,
        input={place: what.replace(BREAK, "\n")},
        session=words(line.get("session")),
        cwd=words(line.get("cwd")),
        host=host,
        partial=bool(cuts),
    )


def _sort_of(host: str, tool: str) -> tuple[str, str]:
    """Our kind of a host's tool, and what its summary tells: the first of these that the tool has."""
    table = hosts.load(host) if host in hosts.names() else None
    row = (table.tools.get(tool) or table.tool_kind(tool)) if table else None
    if row is None:
        return "other", "content"
    usual = "command" if row.kind in ("shell", "powershell") else "path"
    return row.kind, next((place for place in ("command", "path", "pattern") if place in row.places), usual)


ToolEvent = PreToolUse | PostToolUse


class Reader(Struct, frozen=True, kw_only=True):
    """One kind of recording, recognised by what is in a line."""

    host: str
    """Who recorded it; empty where the record says so itself."""
    words: str
    """The host in whose words its calls are: `envelope` for our own."""
    recognises: Callable[[Mapping[str, Any]], bool]
    read: Callable[[Mapping[str, Any]], Iterator[Entry]]


class Heard(Struct, frozen=True, kw_only=True):
    """What one line of a recording holds."""

    line: Line
    reader: Reader | None = None
    """None where nobody recognises it."""
    events: tuple[ToolEvent, ...] = ()
    partial: bool = False
    """Whether only the beginning of a call was kept."""


def heard(file: str, seen: set[object]) -> Iterator[Heard]:
    """Every line of *file* with its calls and results, without those that *seen* holds already."""
    where, waiting = Place(session=file), dict[str, PreToolUse]()
    for line in lines(file):
        reader = _reader(line)
        events, partial = list[ToolEvent](), False
        for entry in reader.read(line.value) if reader else ():
            if isinstance(entry, Place):
                where = Place(session=entry.session or where.session, cwd=entry.cwd or where.cwd)
            else:
                events += _events(entry, where, waiting, seen, reader.host if reader else "")
                partial = partial or (isinstance(entry, Call) and entry.partial)
        yield Heard(line=line, reader=reader, events=tuple(events), partial=partial)


def _reader(line: Line) -> Reader | None:
    if line.value is None:
        return None
    return next((reader for reader in READERS if reader.recognises(line.value)), None)


def _events(
    entry: Call | Result, where: Place, waiting: dict[str, PreToolUse], seen: set[object], host: str
) -> Iterator[ToolEvent]:
    if isinstance(entry, Result):
        call = waiting.pop(entry.id, None)
        if call is not None:
            yield _ended(call, entry)
        return
    event = _begun(entry, where, host)
    if entry.id and not _new(event, seen):
        return
    if entry.id:
        waiting[entry.id] = event
    yield event


def _begun(call: Call, where: Place, host: str) -> PreToolUse:
    return PreToolUse(
        session=call.session or where.session,
        cwd=call.cwd or where.cwd,
        host=call.host or host,
        tool=call.tool,
        kind=call.kind,
        input=call.input,
        call=call.id,
        subagent=Subagent(id=call.helper) if call.helper else None,
    )


def _new(event: PreToolUse, seen: set[object]) -> bool:
    """Resumed and forked sessions repeat what was before under another name; some name a call twice."""
    keys = {(event.session, event.call), hash((event.call, event.tool, repr(event.input)))}
    known = bool(keys & seen)
    seen |= keys
    return not known


def _ended(call: PreToolUse, result: Result) -> PostToolUse:
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


def payload(host: Host, event: ToolEvent) -> dict[str, Any]:
    """The *event* as *host* would send it."""
    if host.name == "envelope":
        return event_out(event)
    return compose(host, event, _moment(host.name, event.name, getattr(event, "success", True)))


@cache
def _moment(host: str, event: str, success: bool) -> str:  # noqa: FBT001 -- a part of the key
    """The host's name of the moment; some have one of its own for failures."""
    rows = [(name, row) for name, row in hosts.load(host).moments.items() if row.event.__name__ == event]
    return next((name for name, row in rows if row.given.get("success", True) is success), rows[0][0])


READERS = (
    Reader(
        host="claude-code",
        words="claude-code",
        recognises=_claude_transcript.recognises,
        read=_claude_transcript.read_calls,
    ),
    Reader(
        host="codex",
        words="envelope",
        recognises=_codex_transcript.recognises,
        read=_codex_transcript.read_calls,
    ),
    Reader(host="", words="envelope", recognises=recognises, read=read),
)
