"""Ranking of memories: the words of a query, the score of a memory, and a selection within a token limit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp2

from hookline.core.records import Memory, split_words, stem_word
from hookline.core.untrusted_text import to_line, to_words

DAY_SECONDS = 86_400.0
CHARS_PER_TOKEN = 4
"""Approximate characters per token, accurate enough for a limit."""
MAX_CHARS = 1_500
"""Characters of a memory that an agent is shown."""
END_CHARS, END_WORDS = 1_500, 25
"""Maximum characters and words used of each end of a long text; the middle is usually a log."""
STOP_WORDS = frozenset(
    """
    a about after again all also am an and any are aren as at be because been before being but by can cannot
    could did didn do does doesn doing don down each else ever for from further get gets got had has have
    having he her here hers him his how i if in into is isn it its just let ll many may me might more most
    much must my need needs no nor not now of off on once only or other our out over own please re s same
    shall she should so some such t than that the their them then there these they this those through to too
    under until up us use used using very want was way we were what when where which while who whom why will
    with won would yes you your
    """.split()
)
"""Common English words that do not help to find a memory."""


def find_search_words(text: str) -> tuple[str, ...]:
    """Return the search words of *text* and their stems, without stop words."""
    if not text:
        return ()  # the start of every session; avoids the cost of splitting words
    ends = find_telling_words(text)
    return tuple(dict.fromkeys((*ends, *map(stem_word, ends))))


def find_telling_words(text: str) -> tuple[str, ...]:
    """Return the words of *text* without stop words.

    Only the beginning and the end of a long text count: there a person says what it is about.
    """
    informative = remove_stop_words(
        text if len(text) <= 2 * END_CHARS else f"{text[:END_CHARS]} {text[-END_CHARS:]}"
    )
    if len(informative) <= 2 * END_WORDS:
        return informative
    return (*informative[:END_WORDS], *informative[-END_WORDS:])


def remove_stop_words(text: str) -> tuple[str, ...]:
    """Return the words of *text* without stop words, or all words if only stop words are left."""
    all_words = split_words(text)
    return tuple(word for word in all_words if word not in STOP_WORDS) or all_words


def decayed_confidence(memory: Memory, at: float | None) -> float:
    """Return the confidence in a memory at the time *at*, decayed since its last use; None: no decay."""
    if at is None or memory.pinned or memory.half_life is None:
        return memory.confidence
    last = memory.at if memory.used is None else max(memory.at, memory.used)
    return memory.confidence * exp2(-max(at - last, 0.0) / DAY_SECONDS / memory.half_life)


def rank(scored_memories: Iterable[tuple[float, Memory]], at: float | None) -> list[Memory]:
    """Sort scored memories by score × decayed confidence, best first."""
    keyed = [
        (score * decayed_confidence(memory, at), memory.confidence, memory.at, memory)
        for score, memory in scored_memories
    ]
    return [memory for *_, memory in sorted(keyed, key=lambda row: row[:3], reverse=True)]


def sort_by_confidence(memories: Iterable[Memory], at: float | None) -> list[Memory]:
    """Sort memories: pinned first, then by decayed confidence and time, best first."""
    return sorted(
        memories, key=lambda memory: (memory.pinned, decayed_confidence(memory, at), memory.at), reverse=True
    )


def remove_outdated(memories: Sequence[Memory]) -> list[Memory]:
    """Remove memories that another one in *memories* contradicts or refines, except pinned ones.

    Only the user's words outdate the user's words: an agent may have been manipulated.
    """
    by_id = {memory.id: memory for memory in memories}
    outdated = {
        other
        for memory in memories
        for relation, other in memory.relations
        if relation != "supports" and other in by_id and memory.may_change(by_id[other])
    }
    return [memory for memory in memories if memory.pinned or memory.id not in outdated]


def select_within(memories: Iterable[Memory], tokens: int) -> list[Memory]:
    """Return the first memories that fit into *tokens*; one that is too long is skipped for shorter ones."""
    available, selected = tokens * CHARS_PER_TOKEN, []
    for memory in memories:
        size = len(format_memory(memory)) + 1
        if size <= available:
            available -= size
            selected.append(memory)
    return selected


def format_memory(memory: Memory) -> str:
    """Return the line of text by which a memory is shown to an agent."""
    text, scope = to_line(to_words(memory.text), MAX_CHARS), memory.scope
    where = f" ({scope} {to_line(getattr(memory, scope))})" if scope in ("branch", "issue") else ""
    author = "" if memory.by_user else " (by an agent)"
    return f"- {to_line(memory.kind)}: {text}{where}{author}"
