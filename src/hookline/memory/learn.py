"""Store what the user and the agent state in a session, after the reply is sent, and report it once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from msgspec import to_builtins

from hookline.core.conversation import Message, TranscriptEntry
from hookline.core.metrics import FACTS
from hookline.core.records import USER, Memory
from hookline.core.response import Learn
from hookline.core.store import Store
from hookline.core.untrusted_text import to_words
from hookline.core.values import replace
from hookline.memory.compare import compare_rules, find_related
from hookline.memory.consolidate import MAX_MEMORIES, consolidate_project, is_consolidation_due
from hookline.memory.extract import (
    RESOLVED,
    MemoryScope,
    ends_blocker,
    extract_memories,
    find_max_confidence,
    find_refused,
    find_same_ids,
    find_stated,
)
from hookline.memory.forget import clear_forgotten, find_forgotten, load_replaced, replace_memories
from hookline.memory.privacy import is_personal
from hookline.memory.read_transcript import read_new_entries
from hookline.memory.recall import add_alternatives
from hookline.redact import redact
from hookline.system.git_facts import find_branch, find_origin
from hookline.system.paths import Places
from hookline.system.tail import mark_from

POSITION_NOTE = "hookline.learnt"
"""Name of the note with the position reached in the transcript of a session."""
UNREPORTED_NOTE = "hookline.learnt_lately"
"""Beginning of the names of the notes, of no session, with a folder's memories not yet shown to the user."""
REFUSED_NOTE = "hookline.learnt_refused"
"""Name of the note that a statement of a prompt of this session, since the last report, was not stored."""
REPEAT_BONUS = 0.05
"""Confidence added when a memory is found again."""
USER_RULE_MESSAGE = "the user stated a rule about this subject; only the user can replace it"
MAX_LENGTH = 1_500
"""Maximum characters of a memory."""
MAX_UNREPORTED = 30
"""Memories that wait for a report."""
MAX_COMPARED = 50
"""Memories that a new one is compared with: those that share most words, synonyms or choices with it."""


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
        entries = [Message(by="person", text=request.prompt)]
        _learn_entries(request, entries, store, scope, again=not request.by_agent)
        refused = [] if request.by_agent else find_refused(entries, redact)
        if any(not _is_known(text, store, scope) for text in refused):
            store.set_notes(request.session, {REFUSED_NOTE: True})
        return
    new = read_new_entries(
        request.host, request.transcript, mark_from(store.notes(request.session).get(POSITION_NOTE))
    )
    if new is not None:
        _learn_entries(request, new.entries, store, scope, ignored=load_replaced(store))
        store.set_notes(request.session, {POSITION_NOTE: to_builtins(new.position)})


def _learn_entries(
    request: Learn,
    entries: Sequence[TranscriptEntry],
    store: Store,
    scope: MemoryScope,
    *,
    ignored: Collection[str] = (),
    again: bool = False,
) -> None:
    """Remember what *entries* state; a transcript repeats rules that were replaced, which are *ignored*.

    A rule that the user had forgotten is learnt *again* only from a new prompt.
    """
    if request.by_agent:
        entries = [replace(one, by="agent") if isinstance(one, Message) else one for one in entries]
    _forget_blockers(store, scope, entries)
    found = [memory for memory in extract_memories(entries, scope, redact) if memory.id not in ignored]
    if again:
        clear_forgotten(store, [id_ for memory in found for id_ in find_same_ids(memory)])
    learnt = store_memories(store, found, scope.at)
    note_unreported(store, scope.root, learnt)
    if learnt:
        store.count(request.session, FACTS, len(learnt))


def _forget_blockers(store: Store, scope: MemoryScope, entries: Sequence[TranscriptEntry]) -> None:
    """Forget the blockers of the branch that a statement ends; an agent ends only those of agents."""
    recalled = store.recall("", project=scope.project, branch=scope.branch, limit=MAX_MEMORIES)
    blockers = [
        memory
        for memory in recalled
        if memory.kind == "blocker" and memory.branch == scope.branch and memory.project and not memory.pinned
    ]
    ends = [found for found in find_stated(entries) if found.kind == RESOLVED] if blockers else []
    ids = [
        memory.id
        for memory in blockers
        if any(ends_blocker(end.text, memory.text) and (end.by_user or not memory.by_user) for end in ends)
    ]
    if ids:
        store.forget(*ids)


def _is_known(text: str, store: Store, scope: MemoryScope) -> bool:
    """Return whether a memory says the same as *text*."""
    known = store.recall(
        add_alternatives(text), project=scope.project, branch=scope.branch, limit=MAX_COMPARED
    )
    return any(compare_rules(memory.text, text) == "same" for memory in known)


def find_scope(root: str, at: float, source: str) -> MemoryScope:
    """Return the scope of memories that are learnt in *root*."""
    return MemoryScope(at=at, project=find_origin(root), branch=find_branch(root), source=source, root=root)


def note_unreported(store: Store, root: str, memories: Sequence[Memory]) -> None:
    """Note new memories for the next report in a folder, besides those not yet reported."""
    if memories:
        name = f"{UNREPORTED_NOTE}:{root}"
        ids = [*(store.notes("").get(name) or ()), *(memory.id for memory in memories)]
        store.set_notes("", {name: [*dict.fromkeys(ids)][-MAX_UNREPORTED:]})


def take_unreported(store: Store, root: str) -> Sequence[Memory]:
    """Return the memories of a folder that were not yet reported, and note that they are."""
    name = f"{UNREPORTED_NOTE}:{root}"
    ids = store.notes("").get(name)
    if not ids:
        return ()
    store.set_notes("", {name: None})
    return store.memories(ids)


def store_memories(store: Store, memories: Iterable[Memory], at: float) -> list[Memory]:
    """Store new memories in their order, and return those that were stored; known ones gain confidence.

    Memories with personal data, those that the user had forgotten, and those of an agent about a rule of the
    user are not stored.
    """
    allowed = (
        memory
        for memory in memories
        if not is_personal(memory.text) and not find_forgotten(store, find_same_ids(memory))
    )
    return [memory for memory in allowed if _add(store, memory, at)]


def _add(store: Store, new: Memory, at: float) -> bool:
    """Confirm a memory if it is known, or else store it; return whether it was stored."""
    known = store.memories([new.id])
    if known:
        _confirm(store, known[0], new, at)
        return False
    return store_rule(store, new) is not None


def store_rule(store: Store, new: Memory) -> Sequence[Memory] | None:
    """Store a memory instead of the rules about its subject, and return these.

    A rule of several sessions gains confidence. Return None if an agent's is about a rule of the user.
    """
    query = add_alternatives(new.text)
    branch = None if new.by_user else new.branch
    recalled = store.recall(query, project=new.project, branch=branch, limit=MAX_COMPARED)
    users = [] if new.by_user else [memory.text for memory in recalled if memory.by_user]
    if any(compare_rules(text, new.text) != "different" for text in users):
        return None
    relations = find_related(new, recalled)
    related = [memory for memory in recalled if memory.id in relations]
    repeated = (one for one in related if relations[one.id] == "same" and one.source != new.source)
    confidences = (min(memory.confidence + REPEAT_BONUS, find_max_confidence(new)) for memory in repeated)
    replace_memories(store, replace(new, confidence=max((new.confidence, *confidences))), related)
    return related


def _confirm(store: Store, known: Memory, new: Memory, at: float) -> None:
    """Add the confidence and relations of *new* to the same memory of another session."""
    if new.may_change(known):
        bonus = REPEAT_BONUS if known.source != new.source else 0.0
        confidence = max(known.confidence, min(known.confidence + bonus, find_max_confidence(new)))
        own = known.relations if known.by_user or not new.by_user else ()
        relations = tuple(dict.fromkeys((*own, *new.relations)))
        source = known.source if known.source == USER else new.source
        store.remember(replace(known, at=at, confidence=confidence, relations=relations, source=source))
