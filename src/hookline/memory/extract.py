"""What of a session is worth knowing next time, told from its recording without a model.

Four things are looked for: what was decided, what a person corrected or asked for for good, commands that
worked after others had failed, and files that the work was about. Little is better than much: whatever is
found wrongly is read by every session after this one.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from hookline.core.conversation import Message, ToolResult, ToolUse, TranscriptEntry
from hookline.core.records import Memory, split_words
from hookline.core.values import replace
from hookline.memory.sentences import SHORTEST, Found, by_agent, by_person, cleared

HALF_LIVES = {"fact": 90.0, "decision": 180.0, "preference": 365.0, "convention": 365.0, "blocker": 14.0}
"""Days."""
LONGEST = 400
"""Characters of a sentence that can be worth it."""
READ, SPLIT = 100_000, 512
"""Characters of a text that are looked at, and that are dropped where it is cut: they may begin a secret."""
PASTED, END = 4_000, 1_000
"""Characters of a person's text that is pasted for the most part, and of each end that is theirs."""
EDITS, MOST_FILES = 2, 5
MOST = 12
"""Memories of one look: a session that seems to have more was misread."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"'`A-Z0-9(])|\n+")
_MARKUP = re.compile(r"^[\s>*#\-•\d.)]+|\*\*|__")
_UNTELLING = ("cd", "ls", "cat", "echo", "pwd", "sleep", "true", "which", "head", "tail", "wc", "test", "[")
_LINE = 300


class MemoryScope(Struct, frozen=True, kw_only=True):
    """What extracted memories belong to."""

    at: float
    project: str = ""
    branch: str = ""
    source: str = ""


def extracted(
    entries: Iterable[TranscriptEntry], whose: MemoryScope, quiet: Callable[[str], str]
) -> list[Memory]:
    """The memories of a session's *entries*, without secrets by *quiet*; the same ones have the same ids."""
    known = [_quiet(one, quiet) for one in entries]
    at = cleared_at(known) or 0
    over = [one for one in said(known[:at]) if one[0] != "blocker"]
    found = [*over, *said(known[at:]), *_worked(known), *_mattering(known)]
    whole = {one.id: one for one in (_memory(kind, quiet(text), sure, whose) for kind, text, sure in found)}
    surest = sorted(whole.values(), key=lambda one: -one.confidence)[:MOST]
    return [_narrowed(one, whose) for one in surest]


def _quiet(one: TranscriptEntry, quiet: Callable[[str], str]) -> TranscriptEntry:
    """Without secrets, before anything is cut or taken apart: what is left of one is not always told."""
    if isinstance(one, Message):
        return replace(one, text=_whole(one.text, quiet))
    if isinstance(one, ToolResult):
        return replace(one, error=_whole(one.error, quiet)) if one.error else one
    return replace(one, command=_whole(one.command, quiet)) if one.command else one


def _whole(text: str, quiet: Callable[[str], str]) -> str:
    return quiet(text) if len(text) <= READ else quiet(text[:READ])[:-SPLIT]


def named(kind: str, text: str, project: str = "") -> str:
    """The id of a memory that says this: the same for the same words, whatever stands between them."""
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
    """What stands in the way stands there on the branch that is worked on."""
    return replace(one, branch=whose.branch) if one.kind == "blocker" else one


def said(entries: Sequence[TranscriptEntry]) -> Iterator[Found]:
    for one in entries:
        if isinstance(one, Message):
            for sentence in sentences(_own(one.text) if one.by == "person" else one.text):
                told = by_person(sentence) if one.by == "person" else by_agent(sentence)
                if told:
                    yield told


def _own(text: str) -> str:
    """What a person wrote themselves: of a long text the lines at both ends, for the rest was pasted."""
    if len(text) <= PASTED:
        return text
    first, last = text[:END].rpartition("\n")[0], text[-END:].partition("\n")[2]
    return f"{first}\n{last}"


def cleared_at(entries: Sequence[TranscriptEntry]) -> int | None:
    """Where it was last said that nothing stands in the way any more; None where nobody said so."""
    said_so = (n for n, one in enumerate(entries) if isinstance(one, Message) and cleared(one.text))
    return max(said_so, default=None)


def sentences(text: str) -> Iterator[str]:
    """Those of a text itself, without code and what it quotes: that is somebody else's word."""
    outside = "".join(part for number, part in enumerate(text.split("```")) if not number % 2)
    own = "\n".join(line for line in outside.splitlines() if not line.lstrip().startswith(">"))
    for sentence in _SENTENCE.split(own):
        bare = " ".join(_MARKUP.sub("", sentence).split())
        if SHORTEST <= len(bare) <= LONGEST and not bare.endswith("?"):
            yield bare


def _worked(entries: Sequence[TranscriptEntry]) -> Iterator[Found]:
    """Commands that worked after the same program had failed."""
    used = {one.call: one for one in entries if isinstance(one, ToolUse) and one.command}
    failed: dict[str, tuple[str, str]] = {}
    for back in (one for one in entries if isinstance(one, ToolResult) and one.call in used):
        line = " ".join(used[back.call].command.split())
        name = program(line)
        if not name:
            continue
        if back.error:
            failed[name] = (line, back.error)
        elif name in failed:
            before, error = failed.pop(name)
            if before != line and max(len(line), len(before)) <= _LINE:
                yield "fact", f"`{line}` works; `{before}` failed: “{first_line(error)}”", 0.6


def program(line: str) -> str:
    """What a command line is about: the last program of it that is not there to look or to move."""
    for part in reversed(line.replace("||", "&&").replace(";", "&&").split("&&")):
        parts = [word for word in part.split("|")[0].split() if "=" not in word]
        if parts and parts[0] not in _UNTELLING:
            return parts[0].rpartition("/")[2]
    return ""


def first_line(error: str) -> str:
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    telling = [line for line in lines if "error" in line.lower() or "not found" in line.lower()]
    return (telling or lines or ["no word of why"])[0][:160]


def _mattering(entries: Sequence[TranscriptEntry]) -> Iterator[Found]:
    """The files that were changed more than once, and what they were changed for."""
    uses = [one for one in entries if isinstance(one, ToolUse) and one.path and one.kind in ("edit", "write")]
    back = {one.call for one in entries if isinstance(one, ToolResult) and one.error}
    count = Counter(one.path for one in uses if one.call not in back)
    often = [path for path, times in count.most_common() if times >= EDITS][:MOST_FILES]
    asked = next((one.text for one in entries if isinstance(one, Message) and one.by == "person"), "")
    about = next(iter(sentences(asked)), "")
    if often and about:
        yield "fact", f"files that mattered for “{about[:160]}”: {', '.join(often)}", 0.4
