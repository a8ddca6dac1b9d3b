"""What outlives a session: memories, known errors and their fixes, handoffs, experiments.

A store keeps what it is given as it is given: whoever gives it a text has taken the secrets out before.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from msgspec import Struct

from hookline.core.confidence import confidence
from hookline.core.frozen import NOTHING

_SINGLE = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"  # scripts that put no space between words
_WORD = rf"[{_SINGLE}]|[^\W_{_SINGLE}]+"
_LONGEST = 64
_MOST = 2000
_ENDINGS = (
    *("ations", "ation", "ments", "ment", "ings", "ing", "ies", "ied", "ers", "er", "ed", "es", "ly"),
    *("s", "e", "y"),
)
_SHORTEST = 3

KINDS = ("fact", "decision", "preference", "convention", "blocker")
USER = "user"
"""The source of what a person had kept by a command."""
RELATIONS = ("supports", "contradicts", "refines")
"""How one memory stands to another."""


class Memory(Struct, frozen=True, kw_only=True):
    """Something worth knowing next time."""

    id: str
    """Unique: remembering it again replaces what it says, not how often it was of use."""
    at: float
    text: str
    kind: str = "fact"
    """One of `KINDS`, unless somebody else's program has its own."""
    tags: tuple[str, ...] = ()
    project: str = ""
    """Its repository, by where it was cloned from, else by its root; empty: of use everywhere."""
    branch: str = ""
    """Empty: on every branch."""
    issue: str = ""
    """Empty: whatever is worked on."""
    confidence: float = 0.5
    """How sure it is, from 0 to 1."""
    half_life: float | None = 90.0
    """Days after which it counts half, if it was of no use since; None for never."""
    pinned: bool = False
    """Whether a person wants it kept: it comes first, and neither fades nor is forgotten by itself."""
    relations: tuple[tuple[str, str], ...] = ()
    """How it stands to others: one of `RELATIONS`, and the other's id."""
    source: str = ""
    """Who it is from: a session, or what a person or a program calls itself."""
    used: float | None = None
    """When it was last of use; None for never."""
    uses: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.confidence <= 1:
            raise ValueError(f"the confidence of a memory is from 0 to 1, not {self.confidence!r}")
        if self.half_life is not None and not 0 < self.half_life < 1e6:  # noqa: PLR2004 -- days, a lifetime
            raise ValueError(f"the half-life of a memory is a number of days or None, not {self.half_life!r}")

    @property
    def scope(self) -> str:
        """Where it is of use: user, repository, branch or issue; the narrowest that it names."""
        if self.issue:
            return "issue"
        return "branch" if self.branch else "repository" if self.project else "user"


@dataclass(frozen=True, kw_only=True, slots=True)
class Signature:
    """An error as it comes back: what is the same about it each time."""

    key: str
    project: str = ""
    text: str = ""
    """The error, as it was seen last."""
    seen: int = 0
    first: float = 0.0
    last: float = 0.0
    fix: str = ""
    """What helped; empty while nobody knows."""
    command: str = ""
    """What failed so: the words that the command lines had in common."""
    weight: float = field(default=0.0, compare=False)
    """How far it is believed; `confidence` reads it."""

    def believed(self, at: float) -> float:
        """From 0 to 1, at that time."""
        return confidence(self.weight, at)


class Handoff(Struct, frozen=True, kw_only=True):
    """What one session leaves to the next one."""

    id: str
    """Unique: the same one again changes nothing."""
    at: float
    session: str
    text: str
    project: str = ""
    details: Mapping[str, Any] = NOTHING


class Experiment(Struct, frozen=True, kw_only=True):
    """A row of an engine's journal; its number is unique in its run."""

    run: str
    number: int
    at: float
    status: str
    commit: str = ""
    metric: float | None = None
    """What was measured; None where nothing could be."""
    description: str = ""
    details: Mapping[str, Any] = NOTHING

    def __post_init__(self) -> None:
        if self.metric is not None and not isfinite(self.metric):
            raise ValueError(f"the metric of an experiment is a finite number or None, not {self.metric!r}")


def words(text: str) -> tuple[str, ...]:
    """The words by which a text is found, each once: without case, accents and punctuation.

    The same for every store, so that what is found in one is found in the other.
    """
    plain = unicodedata.normalize("NFKD", text.encode("utf-8", "replace").decode()).casefold()
    bare = "".join(char for char in plain if not unicodedata.combining(char))
    found = dict.fromkeys(word[:_LONGEST] for word in re.findall(_WORD, bare))
    return tuple(found)[:_MOST]


def bare(word: str) -> str:
    """*word* without its ending, so that it is found in its other forms."""
    if not word.isascii() or not word.isalpha():
        return word
    for ending in _ENDINGS:
        left = word.removesuffix(ending)
        if left != word and len(left) >= max(_SHORTEST, len(ending)):
            return left[:-1] if len(left) > _SHORTEST and left[-1] == left[-2] not in "ls" else left
    return word


def words_of(memory: Memory) -> tuple[str, ...]:
    """The words by which a memory is found: of its text and of its tags, also without their endings."""
    found = words(" ".join((*memory.tags, memory.text)))
    return tuple(dict.fromkeys((*found, *map(bare, found))))
