"""Extract memories for later sessions from a session's recording.

A memory is a lasting statement of a person, a decision or blocker that an agent states, a command that worked
after others had failed, or a file that was edited repeatedly. Precision matters more than recall: every later
session reads a wrong memory.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from hookline.core.conversation import Message, ToolResult, ToolUse, TranscriptEntry
from hookline.core.records import Memory, split_words
from hookline.core.untrusted_text import to_words
from hookline.core.values import replace
from hookline.language.segment import find_sentences
from hookline.language.statements import find_statements
from hookline.memory.privacy import is_personal

Found = tuple[str, str, float]
"""Kind, text and confidence."""

HALF_LIVES = {"fact": 90.0, "decision": 180.0, "preference": 365.0, "convention": 365.0, "blocker": 14.0}
"""Half-life of each kind of memory, in days."""
SHORTEST, LONGEST = 12, 400
"""Length in characters of a text that becomes a memory."""
READ, SPLIT = 100_000, 512
"""Maximum number of characters read of a text, and dropped before the cut, where a secret may begin."""
EDITS, MOST_FILES = 2, 5
MOST_WORDS = 5
"""Maximum number of words in the name of a file or folder that becomes part of a memory."""
MOST = 12
"""Maximum number of memories of one session; more are a sign of a misreading."""

MEMORY_KINDS = {"correction": "convention"}
"""Kinds of memories for the kinds of statements that are named differently."""
AGENT_KINDS, AGENT_TRUST = ("decision", "blocker", "resolved"), 0.7
"""Kinds of statements that count from an agent, and the factor of their confidence."""
RESOLVED = "resolved"
_GENERAL = frozenset({"blocker", "blockers", "blocked", "unblocked", "nothing"})
"""Words of a statement that resolves every blocker."""
_MIN_WORD = 4
"""Length of a word by which a statement refers to a blocker."""
_UNTELLING = ("cd", "ls", "cat", "echo", "pwd", "sleep", "true", "which", "head", "tail", "wc", "test", "[")
_LINE = 300


class MemoryScope(Struct, frozen=True, kw_only=True):
    """The project, branch and source that extracted memories belong to."""

    at: float
    project: str = ""
    branch: str = ""
    source: str = ""
    root: str = ""
    """Folder that paths in memories are relative to."""


def extracted(
    entries: Iterable[TranscriptEntry], whose: MemoryScope, quiet: Callable[[str], str]
) -> list[Memory]:
    """Return the memories of a session's *entries*, redacted by *quiet*; equal memories have equal ids."""
    known = [_quiet(one, quiet) for one in entries]
    found = [*drop_resolved([*find_stated(known)]), *_worked(known), *_mattering(known, whose.root)]
    whole = {one.id: one for one in (_memory(kind, quiet(text), sure, whose) for kind, text, sure in found)}
    surest = {one.id for one in sorted(whole.values(), key=lambda one: -one.confidence)[:MOST]}
    return [_narrowed(one, whose) for one in whole.values() if one.id in surest]


def _quiet(one: TranscriptEntry, quiet: Callable[[str], str]) -> TranscriptEntry:
    """Return the entry without secrets; a secret that has been cut may not be recognised any more."""
    if isinstance(one, Message):
        return replace(one, text=_whole(one.text, quiet))
    if isinstance(one, ToolResult):
        return replace(one, error=_whole(one.error, quiet)) if one.error else one
    return replace(one, command=_whole(one.command, quiet)) if one.command else one


def _whole(text: str, quiet: Callable[[str], str]) -> str:
    return quiet(text) if len(text) <= READ else quiet(text[:READ])[:-SPLIT]


def named(kind: str, text: str, project: str = "") -> str:
    """Return the id of a memory, which depends only on its words and not on the characters between them."""
    key = "\0".join((project, kind, *split_words(text)))
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:16]


def _memory(kind: str, text: str, sure: float, whose: MemoryScope) -> Memory:
    return Memory(
        id=named(kind, text, whose.project),
        at=whose.at,
        text=text,
        kind=kind,
        project=whose.project,
        confidence=sure,
        half_life=HALF_LIVES[kind],
        source=whose.source,
    )


def _narrowed(one: Memory, whose: MemoryScope) -> Memory:
    """Return a blocker restricted to the current branch, and any other memory unchanged."""
    return replace(one, branch=whose.branch) if one.kind == "blocker" else one


def find_stated(entries: Sequence[TranscriptEntry]) -> Iterator[Found]:
    """Yield the lasting statements of both; those that end a blocker have the kind `resolved`."""
    for one in (entry for entry in entries if isinstance(entry, Message)):
        texts = [one.text] if one.by == "person" else sentences(one.text)
        for found in (statement for text in texts for statement in find_statements(text)):
            text, kind = _plain(found.text), MEMORY_KINDS.get(found.kind, found.kind)
            if kind != RESOLVED and (not SHORTEST <= len(text) <= LONGEST or is_personal(found.sentence)):
                continue
            if one.by == "person":
                yield kind, text, round(found.confidence, 2)
            elif found.kind in AGENT_KINDS:
                yield kind, text, round(found.confidence * AGENT_TRUST, 2)


def _plain(text: str) -> str:
    """Return *text* on one line, without the markup of emphasis."""
    return to_words(text.replace("**", "").replace("__", ""))


def drop_resolved(stated: Sequence[Found]) -> list[Found]:
    """Return the statements without blockers that a later one ends, and without those that end them."""
    kept: list[Found] = []
    for kind, text, confidence in stated:
        if kind == RESOLVED:
            kept = [one for one in kept if one[0] != "blocker" or not resolves(text, one[1])]
        else:
            kept.append((kind, text, confidence))
    return kept


def resolves(text: str, blocker: str) -> bool:
    """Return whether a statement that something is resolved is about a *blocker*."""
    words = {word for word in split_words(text) if len(word) >= _MIN_WORD}
    return bool(words & _GENERAL) or bool(words & set(split_words(blocker)))


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text, without code, quotations and questions."""
    for sentence in find_sentences(text):
        bare = _plain(sentence.text)
        if SHORTEST <= len(bare) <= LONGEST and not bare.endswith("?"):
            yield bare


def _worked(entries: Sequence[TranscriptEntry]) -> Iterator[Found]:
    """Yield the commands that worked after the same program had failed, without their output."""
    used = {one.call: one for one in entries if isinstance(one, ToolUse) and one.command}
    failed: dict[str, str] = {}
    for back in (one for one in entries if isinstance(one, ToolResult) and one.call in used):
        line = " ".join(used[back.call].command.split())
        name = program(line)
        if not name:
            continue
        if back.error:
            failed[name] = line
        elif name in failed:
            before = failed.pop(name)
            if before != line and max(len(line), len(before)) <= _LINE:
                yield "fact", f"`{line}` works; `{before}` failed", 0.6


def program(line: str) -> str:
    """Return the last program of a command line that does more than display or change folders."""
    for part in reversed(line.replace("||", "&&").replace(";", "&&").split("&&")):
        parts = [word for word in part.split("|")[0].split() if "=" not in word]
        if parts and parts[0] not in _UNTELLING:
            return parts[0].rpartition("/")[2]
    return ""


def first_line(error: str) -> str:
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    telling = [line for line in lines if "error" in line.lower() or "not found" in line.lower()]
    return (telling or lines or ["no word of why"])[0][:160]


def _mattering(entries: Sequence[TranscriptEntry], root: str) -> Iterator[Found]:
    """Yield the files that were changed more than once, with the request that they were changed for."""
    uses = [one for one in entries if isinstance(one, ToolUse) and one.path and one.kind in ("edit", "write")]
    back = {one.call for one in entries if isinstance(one, ToolResult) and one.error}
    prefix = f"{root}/" if root else ""
    count = Counter(one.path.removeprefix(prefix) for one in uses if one.call not in back)
    often = [path for path, times in count.most_common() if times >= EDITS and _is_plain(path)][:MOST_FILES]
    asked = next((one.text for one in entries if isinstance(one, Message) and one.by == "person"), "")
    about = next(iter(sentences(asked)), "")
    if often and about:
        yield "fact", f"files that mattered for “{about[:160]}”: {', '.join(often)}", 0.4


def _is_plain(path: str) -> bool:
    """Return whether no part of a path may be a sentence."""
    return path.isprintable() and all(len(split_words(part)) <= MOST_WORDS for part in path.split("/"))
