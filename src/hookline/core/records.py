"""Records that outlive a session: memories, known errors and their fixes, handoffs, experiments.

A store does not redact: the caller has removed secrets from every text before.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from msgspec import Struct

from hookline.core.confidence import weight_to_confidence
from hookline.core.frozen import EMPTY

_UNSPACED_SCRIPTS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"  # scripts that put no space between words
_WORD = rf"[{_UNSPACED_SCRIPTS}]|[^\W_{_UNSPACED_SCRIPTS}]+"
_MAX_WORD_CHARS = 64
_MAX_WORDS = 2000
_ENDINGS = (
    *("ations", "ation", "ments", "ment", "ings", "ing", "ies", "ied", "ers", "er", "ed", "es", "ly"),
    *("s", "e", "y"),
)
_MIN_STEM_CHARS = 3

USER = "user"
"""The source of a memory that a person added by a command, and the beginning of that of a person's words."""


class Memory(Struct, frozen=True, kw_only=True):
    """A fact, decision or preference to recall in later sessions."""

    id: str
    """Unique: storing the same id again replaces the content, but not the number of uses."""
    at: float
    text: str
    kind: str = "fact"
    """One of `memory_kinds.KINDS`, or a kind of another program."""
    tags: tuple[str, ...] = ()
    project: str = ""
    """URL of the repository's remote, else path of its root; empty: all projects."""
    branch: str = ""
    """Empty: all branches."""
    issue: str = ""
    """Empty: all issues."""
    confidence: float = 0.5
    """From 0 to 1."""
    half_life: float | None = 90.0
    """Days without use in which confidence halves; None for no decay."""
    pinned: bool = False
    """True if a person pinned it: it comes first, does not decay and is not pruned."""
    relations: tuple[tuple[str, str], ...] = ()
    """Relations to other memories: one of `memory_kinds.RELATIONS`, and the other's id."""
    source: str = ""
    """`user`, `user:` and the session in which the user said it, or the session or program of an agent."""
    used: float | None = None
    """Unix seconds of the last use; None for never."""
    uses: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.confidence <= 1:
            raise ValueError(f"the confidence of a memory must be from 0 to 1, not {self.confidence!r}")
        if self.half_life is not None and not 0 < self.half_life < 1e6:  # noqa: PLR2004 -- days, a lifetime
            raise ValueError(
                f"the half-life of a memory must be a number of days or None, not {self.half_life!r}"
            )

    @property
    def scope(self) -> str:
        """The narrowest scope that is set: issue, branch, repository or user."""
        if self.issue:
            return "issue"
        return "branch" if self.branch else "repository" if self.project else "user"

    @property
    def by_user(self) -> bool:
        """True for the user's own words; an agent may have been manipulated."""
        return self.source.partition(":")[0] == USER

    def may_change(self, other: Memory) -> bool:
        """Return whether this memory may change *other*.

        Only the user changes the user's words, and only by a command what the user added by a command.
        """
        return self.source == USER or (other.source != USER and (self.by_user or not other.by_user))


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownError:
    """A known error: the part of it that is the same each time, and its fix."""

    key: str
    project: str = ""
    text: str = ""
    """The error message when it was last seen."""
    seen: int = 0
    first: float = 0.0
    last: float = 0.0
    fix: str = ""
    """The fix; empty if it is not known."""
    command: str = ""
    """The words that all failed command lines have in common."""
    weight: float = field(default=0.0, compare=False)
    """The stored form of its confidence; see `hookline.core.confidence`."""

    def confidence_at(self, at: float) -> float:
        """Return the confidence, from 0 to 1, at the time *at*."""
        return weight_to_confidence(self.weight, at)


class Handoff(Struct, frozen=True, kw_only=True):
    """The state that one session hands over to the next."""

    id: str
    """Unique: storing the same id again changes nothing."""
    at: float
    session: str
    text: str
    project: str = ""
    details: Mapping[str, Any] = EMPTY


class Experiment(Struct, frozen=True, kw_only=True):
    """A row of an engine's journal; its number is unique within its run."""

    run: str
    number: int
    at: float
    status: str
    commit: str = ""
    metric: float | None = None
    """The measured value; None if the measurement failed."""
    description: str = ""
    details: Mapping[str, Any] = EMPTY

    def __post_init__(self) -> None:
        if self.metric is not None and not isfinite(self.metric):
            raise ValueError(
                f"the metric of an experiment must be a finite number or None, not {self.metric!r}"
            )


def split_words(text: str) -> tuple[str, ...]:
    """Return the distinct words of *text*, without case, accents and punctuation.

    Every store uses this function, so that all stores find the same texts.
    """
    plain = unicodedata.normalize("NFKD", text.encode("utf-8", "replace").decode()).casefold()
    unaccented = "".join(char for char in plain if not unicodedata.combining(char))
    distinct = dict.fromkeys(word[:_MAX_WORD_CHARS] for word in re.findall(_WORD, unaccented))
    return tuple(distinct)[:_MAX_WORDS]


def split_identifiers(text: str) -> str:
    """Return *text* with a space inside of names such as `SearchIndexer`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z][a-z])", " ", text)


def stem_word(word: str) -> str:
    """Return *word* without its ending, so that other forms of it match."""
    if not word.isascii() or not word.isalpha():
        return word
    for ending in _ENDINGS:
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= max(_MIN_STEM_CHARS, len(ending)):
            return stem[:-1] if len(stem) > _MIN_STEM_CHARS and stem[-1] == stem[-2] not in "ls" else stem
    return word


def find_index_words(memory: Memory) -> tuple[str, ...]:
    """Return the words by which a memory is found, and their stems; identifiers are also split into words."""
    distinct = split_words(" ".join((*memory.tags, memory.text, split_identifiers(memory.text))))
    return tuple(dict.fromkeys((*distinct, *map(stem_word, distinct))))
