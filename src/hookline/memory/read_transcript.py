"""Read the entries of a transcript that a host records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from json import loads

from msgspec import Struct

from hookline import hosts
from hookline.core.conversation import ConversationReader, Message, ToolUse, TranscriptEntry
from hookline.core.host import Host
from hookline.core.values import replace
from hookline.language.pasted_text import replace_elements
from hookline.system.tail import ReadPosition, read_new_lines


class NewEntries(Struct, frozen=True, kw_only=True):
    """Entries of a transcript since the last read."""

    entries: Sequence[TranscriptEntry]
    position: ReadPosition
    """Position reached."""


def read_new_entries(host_name: str, transcript: str, position: ReadPosition) -> NewEntries | None:
    """Return the entries after *position*; None if there are none, or the transcript cannot be read."""
    host = find_host(host_name)
    reader = find_conversation_reader(host)
    if host is None or reader is None or not transcript:
        return None
    new = read_new_lines(transcript, position, reader.line_markers)
    if new.position == position:
        return None
    return NewEntries(entries=list(parse_entries(host, reader, new.lines)), position=new.position)


def find_host(name: str) -> Host | None:
    return hosts.load(name) if name in hosts.names() else None


def find_conversation_reader(host: Host | None) -> ConversationReader | None:
    return host.conversation if host else None


def parse_entries(
    host: Host, reader: ConversationReader, lines: Iterable[bytes]
) -> Iterator[TranscriptEntry]:
    """Yield the entries in *lines* of a transcript; the host's tool table identifies commands and paths."""
    for line in lines:
        try:
            value = loads(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            continue
        for entry in reader.read(value) if isinstance(value, dict) else ():
            yield _without_elements(entry) if isinstance(entry, Message) else _with_tool_kind(entry, host)


def _without_elements(message: Message) -> Message:
    if message.by != "person":
        return message
    return replace(message, text=replace_elements(message.text, lambda _: "\n"))


def _with_tool_kind(entry: TranscriptEntry, host: Host) -> TranscriptEntry:
    row = host.tools.get(entry.tool) if isinstance(entry, ToolUse) and not entry.kind else None
    if row is None or not isinstance(entry, ToolUse):
        return entry
    command, path = (entry.input.get(row.input_keys.get(name, "")) for name in ("command", "path"))
    return replace(
        entry,
        kind=row.kind,
        command=command if isinstance(command, str) else "",
        path=path if isinstance(path, str) else "",
    )
