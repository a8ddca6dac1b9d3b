"""Extract memories for later sessions from a session's transcript.

A memory is a lasting statement of a person, a decision or blocker that an agent states, or a command that
worked after others had failed. Precision matters more than recall: every later session reads a wrong memory.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from hookline.core.conversation import Message, ToolResult, ToolUse, TranscriptEntry
from hookline.core.memory_kinds import KINDS
from hookline.core.ranking import STOP_WORDS
from hookline.core.records import USER, Memory, split_words
from hookline.core.untrusted_text import to_words
from hookline.core.values import replace
from hookline.language.segment import find_sentences
from hookline.language.statements import LONGEST, SHORTEST, find_statements
from hookline.lazy import re
from hookline.memory.compare import RULE_KINDS, spell_symbols
from hookline.memory.list_headings import add_heading
from hookline.memory.privacy import is_personal

HALF_LIVES = {"fact": 90.0, "decision": 180.0, "preference": 365.0, "convention": 365.0, "blocker": 14.0}
"""Half-life of each kind of memory, in days."""
MAX_CONFIDENCE, MAX_AGENT_CONFIDENCE = 0.95, 0.7
"""Highest confidence that a memory of the user, and one of an agent, reaches by repetition."""
MAX_READ_CHARS, CUT_MARGIN_CHARS = 100_000, 512
"""Maximum characters read of a text, and characters dropped at the cut, where a secret may begin."""
MAX_SESSION_MEMORIES = 30
"""Maximum number of memories that are extracted at once; more are a sign of a misreading."""

MIN_SHARE = 0.8
"""Share of a text that a rule must cover, so that the text is stored as a rule."""
KIND_BY_STATEMENT = {"correction": "convention"}
"""Kinds of memories for the kinds of statements that have another name."""
AGENT_KINDS, AGENT_TRUST = ("decision", "blocker", "resolved"), 0.7
"""Kinds of statements that count from an agent, and the factor of their confidence."""
RESOLVED = "resolved"
_RESOLUTION_WORDS = frozenset(
    """blocker blockers blocked blocks blocking unblocked unblocks nothing longer anymore again works working
    fixed resolved solved gone done over back finally everything ok okay good great fine news got came went
    going running live thing things stuff issue problem anyone""".split()
)
"""Words of a resolution that do not name the blocker."""
_MIN_WORD_CHARS = 2
"""Characters of a word that names a blocker, such as QA."""
_IGNORED_PROGRAMS = frozenset("cd ls cat echo pwd sleep true which head tail wc test [".split())
"""Programs that only display or change folders."""
_MAX_COMMAND_CHARS = 300
_EMPHASIS = re.compile(r"(?<![\w/*])\*\*(?=[^\s*/])([^*\n]+)(?<=\S)\*\*(?![\w/*])")


class MemoryScope(Struct, frozen=True, kw_only=True):
    """The project, branch and source that extracted memories belong to."""

    at: float
    project: str = ""
    branch: str = ""
    source: str = ""
    root: str = ""
    """Folder of the session, in which the memories are reported."""


class Found(NamedTuple):
    """A text that becomes a memory, or ends a blocker if its kind is `resolved`."""

    kind: str
    text: str
    confidence: float
    by_user: bool = False


def extract_memories(
    entries: Iterable[TranscriptEntry], scope: MemoryScope, redact: Callable[[str], str]
) -> list[Memory]:
    """Return the memories of a session's *entries* without secrets; equal memories have equal ids."""
    redacted = [_redact_entry(entry, redact) for entry in entries]
    found = [*drop_resolved([*find_stated(redacted)]), *_find_working_commands(redacted)]
    every = (_build_memory(one._replace(text=redact(one.text)), scope) for one in found)
    memories = dict[str, Memory]()
    for memory in every:
        earlier = memories.pop(memory.id, memory)
        memories[memory.id] = memory if memory.may_change(earlier) else earlier
    best = sorted(memories.values(), key=lambda memory: -memory.confidence)[:MAX_SESSION_MEMORIES]
    return [memory for memory in memories.values() if memory in best]


def find_refused(entries: Iterable[TranscriptEntry], redact: Callable[[str], str]) -> list[str]:
    """Return the lasting statements of *entries* that contain personal data besides secrets."""
    redacted = [_redact_entry(entry, redact) for entry in entries]
    return [found.text for found in find_stated(redacted, personal=True)]


def _redact_entry(entry: TranscriptEntry, redact: Callable[[str], str]) -> TranscriptEntry:
    """Return the entry without secrets; a secret that has been cut may not be recognised any more."""
    if isinstance(entry, Message):
        return replace(entry, text=_redact_text(entry.text, redact))
    if isinstance(entry, ToolResult):
        return replace(entry, error=_redact_text(entry.error, redact)) if entry.error else entry
    return replace(entry, command=_redact_text(entry.command, redact)) if entry.command else entry


def _redact_text(text: str, redact: Callable[[str], str]) -> str:
    return redact(text) if len(text) <= MAX_READ_CHARS else redact(text[:MAX_READ_CHARS])[:-CUT_MARGIN_CHARS]


def find_memory_id(kind: str, text: str, project: str = "") -> str:
    """Return the id of a memory, which depends only on its words and their symbols, as in "C#" and "C++"."""
    key = "\0".join((project, kind, *split_words(spell_symbols(text))))
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:16]


def find_max_confidence(memory: Memory) -> float:
    """Return the highest confidence that a memory reaches by repetition."""
    return MAX_CONFIDENCE if memory.by_user else MAX_AGENT_CONFIDENCE


def _build_memory(found: Found, scope: MemoryScope) -> Memory:
    """Return the memory of a text; a blocker belongs to the current branch."""
    return Memory(
        id=find_memory_id(found.kind, found.text, scope.project),
        at=scope.at,
        text=found.text,
        kind=found.kind,
        project=scope.project,
        branch=scope.branch if found.kind == "blocker" else "",
        confidence=found.confidence,
        half_life=HALF_LIVES[found.kind],
        source=f"{USER}:{scope.source}" if found.by_user else scope.source,
    )


def find_stated(entries: Sequence[TranscriptEntry], *, personal: bool = False) -> Iterator[Found]:
    """Yield the lasting statements of the user and the agent, either those with personal data or the others.

    The kind `resolved` ends a blocker and is not stored, so its text may be personal.
    """
    for message in (entry for entry in entries if isinstance(entry, Message)):
        by_user = message.by == "person"
        parts = [message.text] if by_user else split_statements(message.text)
        for statement in (statement for part in parts for statement in find_statements(part)):
            kind = KIND_BY_STATEMENT.get(statement.kind, statement.kind)
            trust = 1.0 if by_user else AGENT_TRUST
            is_state = kind in ("blocker", RESOLVED)
            text = _strip_emphasis(statement.text if is_state else add_heading(statement))
            found = Found(kind, text, round(statement.confidence * trust, 2), by_user)
            is_trusted = by_user or statement.kind in AGENT_KINDS
            texts = () if kind == RESOLVED else (statement.sentence, text)
            if text and is_trusted and personal == any(map(is_personal, texts)):
                yield found


def _strip_emphasis(text: str) -> str:
    """Return *text* on one line, without the marks of emphasis."""
    return to_words(_EMPHASIS.sub(r"\1", text))


def drop_resolved(stated: Iterable[Found]) -> list[Found]:
    """Return the statements without blockers that a later one ends, and without those that end them."""
    kept: list[Found] = []
    for found in stated:
        if found.kind == RESOLVED:
            kept = [one for one in kept if not (one.kind == "blocker" and _ends(found, one))]
        else:
            kept.append(found)
    return kept


def _ends(end: Found, blocker: Found) -> bool:
    """Return whether a resolution ends a blocker; an agent ends only those of agents."""
    return (end.by_user or not blocker.by_user) and ends_blocker(end.text, blocker.text)


def ends_blocker(text: str, blocker: str) -> bool:
    """Return whether a resolution names a *blocker*, by its number if it has one, or names nothing."""
    words = {*split_words(text)} - STOP_WORDS - _RESOLUTION_WORDS
    numbers = {word for word in words if word.isdecimal()}
    subject = numbers or {word for word in words if len(word) >= _MIN_WORD_CHARS}
    return not subject or bool(subject & {*split_words(blocker)})


def find_rule_kind(text: str) -> str:
    """Return the kind of the rule that makes up most of a text, or `fact` if there is none."""
    for stated in find_statements(text):
        kind = KIND_BY_STATEMENT.get(stated.kind, stated.kind)
        if kind in RULE_KINDS and len(stated.text) >= MIN_SHARE * len(text):
            return kind
    return "fact"


def find_same_ids(memory: Memory) -> list[str]:
    """Return the ids of memories of any kind with the words of *memory*."""
    texts = (memory.text, f"{memory.branch} {memory.issue} {memory.text}")
    return [memory.id, *(find_memory_id(kind, text, memory.project) for kind in KINDS for text in texts)]


def split_statements(text: str) -> Iterator[str]:
    """Yield the sentences of a text, without code, quotations and questions."""
    for sentence in find_sentences(text):
        bare = _strip_emphasis(sentence.text)
        if SHORTEST <= len(bare) <= LONGEST and not bare.endswith("?"):
            yield bare


def _find_working_commands(entries: Sequence[TranscriptEntry]) -> Iterator[Found]:
    """Yield the commands that worked after the same program had failed, without their output."""
    used = {one.call: one for one in entries if isinstance(one, ToolUse) and one.command}
    failed: dict[str, str] = {}
    for result in (one for one in entries if isinstance(one, ToolResult) and one.call in used):
        line = " ".join(used[result.call].command.split())
        name = find_program(line)
        if not name:
            continue
        if result.error:
            failed[name] = line
        elif name in failed:
            before = failed.pop(name)
            if before != line and max(len(line), len(before)) <= _MAX_COMMAND_CHARS:
                yield Found("fact", f"`{line}` works; `{before}` failed", 0.6)


def find_program(line: str) -> str:
    """Return the last program of a command line that does more than display or change folders."""
    for part in reversed(line.replace("||", "&&").replace(";", "&&").split("&&")):
        parts = [word for word in part.split("|")[0].split() if "=" not in word]
        if parts and parts[0] not in _IGNORED_PROGRAMS:
            return parts[0].rpartition("/")[2]
    return ""
