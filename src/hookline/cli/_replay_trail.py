"""Our own audit trail as a recording: of a call it keeps a summary in a line, of a result nothing."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from hookline import hosts
from hookline.events import PreToolUse
from hookline.hosts._recorded import Call, Entry, words

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
