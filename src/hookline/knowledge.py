"""What outlives a session: memories, known errors and their fixes, handoffs, experiments.

A store keeps what it is given as it is given: whoever gives it a text has taken the secrets out before.
"""

from __future__ import annotations

from math import isfinite

from hookline.frozen import Frozen
from hookline.record import field, record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_SINGLE = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"  # scripts that put no space between words
_WORD = rf"[{_SINGLE}]|[^\W_{_SINGLE}]+"
_LONGEST = 64
_MOST = 2000


@record
class Memory:
    """Something worth knowing next time."""

    id: str
    """Unique: remembering it again replaces what it says, not how often it was of use."""
    at: float
    text: str
    kind: str = "note"
    tags: tuple[str, ...] = ()
    project: str = ""
    """Empty: of use everywhere."""
    importance: float = 0.5
    """From 0 to 1."""
    used: float | None = None
    """When it was last of use; None for never."""
    uses: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.importance <= 1:
            raise ValueError(f"the importance of a memory is from 0 to 1, not {self.importance!r}")


@record
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


@record
class Handoff:
    """What one session leaves to the next one."""

    id: str
    """Unique: the same one again changes nothing."""
    at: float
    session: str
    text: str
    project: str = ""
    details: Mapping[str, Any] = field(default_factory=Frozen)


@record
class Experiment:
    """A row of an engine's journal; its number is unique in its run."""

    run: str
    number: int
    at: float
    status: str
    commit: str = ""
    metric: float | None = None
    """What was measured; None where nothing could be."""
    description: str = ""
    details: Mapping[str, Any] = field(default_factory=Frozen)

    def __post_init__(self) -> None:
        if self.metric is not None and not isfinite(self.metric):
            raise ValueError(f"the metric of an experiment is a finite number or None, not {self.metric!r}")


def words(text: str) -> tuple[str, ...]:
    """The words by which a text is found, each once: without case, accents and punctuation.

    The same for every store, so that what is found in one is found in the other.
    """
    import re  # noqa: PLC0415 -- most calls remember and recall nothing
    import unicodedata  # noqa: PLC0415 -- ditto

    plain = unicodedata.normalize("NFKD", text.encode("utf-8", "replace").decode()).casefold()
    bare = "".join(char for char in plain if not unicodedata.combining(char))
    found = dict.fromkeys(word[:_LONGEST] for word in re.findall(_WORD, bare))
    return tuple(found)[:_MOST]


def words_of(memory: Memory) -> tuple[str, ...]:
    """The words by which a memory is found: of its text and of its tags."""
    return words(" ".join((*memory.tags, memory.text)))
