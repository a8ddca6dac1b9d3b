"""Learn from a session's transcript after the reply is sent, consolidate daily, and recall memories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from json import loads

from msgspec import Struct, to_builtins

from hookline import hosts
from hookline.core.conversation import ConversationReader, Message, ToolUse, TranscriptEntry
from hookline.core.host import Host
from hookline.core.metrics import FACTS
from hookline.core.records import USER, Memory
from hookline.core.response import Learn
from hookline.core.store import Store
from hookline.core.untrusted_text import to_words
from hookline.core.values import replace
from hookline.lazy import re
from hookline.memory.compare import find_replaced
from hookline.memory.consolidate import MAX_MEMORIES, consolidate_project, is_consolidation_due
from hookline.memory.extract import RESOLVED, MemoryScope, extracted, find_stated, resolves
from hookline.memory.forget import find_forgotten
from hookline.redact import redact
from hookline.system.git_facts import find_branch, find_origin
from hookline.system.paths import Places
from hookline.system.tail import ReadPosition, mark_from, read_new_lines

POSITION_NOTE, UNREPORTED_NOTE = "hookline.learnt", "hookline.learnt_lately"
"""Notes of a session: the position reached in its transcript, and new memories not yet shown to the user."""
REPEAT_BONUS = 0.05
"""Confidence added when a memory is found again."""
MAX_CONFIDENCE = 0.95
MAX_AGENT_CONFIDENCE = 0.7
"""Highest confidence of a memory that an agent stores; a person's may be higher."""
MAX_LENGTH = 1_500
"""Characters of a memory."""
MAX_COMPARED = 50
"""Memories that a new one is compared with, those that share the most words with it."""
REVERSAL = "replaces"
"""Tag of a rule that replaced one that said the opposite."""
_ELEMENT = re.compile(r"(?s)<([a-z]+(?:[-_][a-z]+)+)\b[^<>]*>.*?(?:</\1>|\Z)")
"""Element that a host adds to a person's message, such as `<system-reminder>`."""


def normalize_text(text: str) -> str:
    """Return *text* redacted and on one line; raise `ValueError` if it is empty or too long."""
    normalized = to_words(redact(text).encode(errors="replace").decode())
    if not normalized:
        raise ValueError("the text to remember is empty")
    if len(normalized) > MAX_LENGTH:
        raise ValueError(
            f"the text has {len(normalized):,} characters, and at most {MAX_LENGTH:,} are allowed; "
            "say it in one or two sentences"
        )
    return normalized


def learn_from_transcripts(requests: Sequence[Learn], store: Store, places: Places, at: float) -> None:
    """Learn from each transcript in *requests*, and consolidate if that is due."""
    for request in requests:
        learn(request, store, places.root, at)
    if is_consolidation_due(store, places.root, at):
        consolidate_project(store, places, at)


def learn(request: Learn, store: Store, root: str, at: float) -> None:
    """Remember the statements of a prompt, or else of the new part of the transcript."""
    scope = find_scope(root, at, f"{request.host}:{request.session}")
    if request.prompt:
        _learn_entries(request, [Message(by="person", text=request.prompt)], store, scope)
        return
    new = read_new_entries(
        request.host, request.transcript, mark_from(store.notes(request.session).get(POSITION_NOTE))
    )
    if new is not None:
        _learn_entries(request, new.entries, store, scope)
        store.set_notes(request.session, {POSITION_NOTE: to_builtins(new.position)})


def _learn_entries(
    request: Learn, entries: Sequence[TranscriptEntry], store: Store, scope: MemoryScope
) -> None:
    _forget_blockers(store, scope, entries)
    learnt = remember(store, extracted(entries, scope, redact), scope.at)
    note_unreported(store, request.session, [memory.id for memory in learnt])
    if learnt:
        store.count(request.session, FACTS, len(learnt))


def _forget_blockers(store: Store, scope: MemoryScope, entries: Sequence[TranscriptEntry]) -> None:
    """Forget the blockers of the branch that sessions reported and that a statement resolves."""
    recalled = store.recall("", project=scope.project, branch=scope.branch, limit=MAX_MEMORIES)
    blockers = [
        memory
        for memory in recalled
        if memory.kind == "blocker" and memory.branch == scope.branch and memory.project
        if not memory.pinned and memory.source != USER
    ]
    ends = [text for kind, text, _ in find_stated(entries) if kind == RESOLVED] if blockers else []
    ids = [memory.id for memory in blockers if any(resolves(text, memory.text) for text in ends)]
    if ids:
        store.forget(*ids)


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


def find_scope(root: str, at: float, source: str) -> MemoryScope:
    """Return the scope of memories that are learnt in *root*."""
    return MemoryScope(at=at, project=find_origin(root), branch=find_branch(root), source=source, root=root)


def note_unreported(store: Store, session: str, ids: Sequence[str]) -> None:
    """Note new memories for the next report to the user, besides those not yet reported."""
    if ids:
        unreported = store.notes(session).get(UNREPORTED_NOTE) or ()
        store.set_notes(session, {UNREPORTED_NOTE: [*dict.fromkeys((*unreported, *ids))]})


def remember(
    store: Store, memories: Sequence[Memory], at: float, *, limit: float = MAX_CONFIDENCE
) -> list[Memory]:
    """Store new memories, except those that a person had forgotten; return the stored ones.

    A known memory of another session gains confidence up to *limit*; one of a person stays as it is.
    """
    forgotten = find_forgotten(store, [memory.id for memory in memories])
    memories = [memory for memory in memories if memory.id not in forgotten]
    known = {memory.id: memory for memory in store.memories([memory.id for memory in memories])}
    for new in memories:
        memory = known.get(new.id)
        if memory is not None and new.may_change(memory):
            bonus = REPEAT_BONUS if memory.source != new.source else 0.0
            confidence = max(memory.confidence, min(memory.confidence + bonus, limit))
            relations = tuple(dict.fromkeys((*memory.relations, *new.relations)))
            store.remember(replace(memory, at=at, confidence=confidence, relations=relations))
    unknown = [memory for memory in memories if memory.id not in known]
    for memory in unknown:
        _replace_rules(store, memory)
    return unknown


def _replace_rules(store: Store, new: Memory) -> None:
    """Store a memory instead of the rules about the same subject; a repeated rule gains confidence."""
    recalled = store.recall(new.text, project=new.project, branch=new.branch, limit=MAX_COMPARED)
    replaced = find_replaced(new, recalled)
    repeated = [memory.confidence for memory in recalled if replaced.get(memory.id) == "same"]
    confidence = max(new.confidence, *(min(old + REPEAT_BONUS, MAX_CONFIDENCE) for old in repeated), 0.0)
    tags = (REVERSAL,) if "reversal" in replaced.values() else ()
    store.remember(replace(new, confidence=confidence, tags=(*new.tags, *tags)))
    if replaced:
        store.forget(*replaced)


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
    return replace(message, text=_ELEMENT.sub("\n", message.text)) if message.by == "person" else message


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


def find_host(name: str) -> Host | None:
    return hosts.load(name) if name in hosts.names() else None


def find_conversation_reader(host: Host | None) -> ConversationReader | None:
    return host.conversation if host else None
