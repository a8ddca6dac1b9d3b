"""Anchors: facts that a summary or a new session must keep, and how many of them a text contains.

The anchors are the issue, the branch, the blockers and the next step. An issue or a branch must appear by its
name. A sentence counts as kept if most of its distinctive words appear, because summaries rephrase.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from hookline.core.ranking import remove_stop_words
from hookline.core.records import split_words, stem_word
from hookline.handoff.content import Content

MIN_WORD_SHARE = 0.6
"""Share of a sentence's distinctive words, from 0 to 1, that a text must contain."""
MAX_BLOCKERS = 3
CHUNK_LENGTH, CHUNK_OVERLAP = 8_000, 64
"""Characters that are split into words at once, and characters that two chunks share."""
_NAME_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789_-"


class Anchor(Struct, frozen=True, kw_only=True):
    """A fact that must not be lost."""

    name: str
    """One of: issue, branch, blocker, next step."""
    text: str

    @property
    def line(self) -> str:
        return f"{self.name}: {self.text}"


def find_anchors(content: Content) -> tuple[Anchor, ...]:
    """Return the anchors of a handoff, the most important first."""
    pairs = [("issue", f"#{content.issue}" if content.issue else ""), ("branch", content.branch)]
    pairs += [("blocker", text) for text in content.blockers[:MAX_BLOCKERS]]
    pairs += [("next step", text) for text in content.next[:1]]
    return tuple(Anchor(name=name, text=text) for name, text in pairs if text)


class Retention(Struct, frozen=True, kw_only=True):
    """Number of anchors that were expected, and those that a text lacks."""

    total: int
    missing: tuple[Anchor, ...] = ()

    @property
    def share(self) -> float:
        """Return the share of anchors kept, from 0 to 1; 1 if none was expected."""
        return (self.total - len(self.missing)) / self.total if self.total else 1.0

    @property
    def summary(self) -> str:
        names = ", ".join(dict.fromkeys(anchor.name for anchor in self.missing))
        more = f"; missing: {names}" if names else ""
        return f"{self.total - len(self.missing)} of {self.total} ({round(self.share * 100)} %){more}"


def measure_retention(expected: Sequence[Anchor], text: str) -> Retention:
    """Return how many of the *expected* anchors the *text* contains."""
    text_words, lower_text = _all_words(text), text.casefold()
    missing = [anchor for anchor in expected if not _contains(anchor, text_words, lower_text)]
    if not any(anchor.name == "branch" for anchor in missing):
        # A text that names the branch also names the issue in the branch's name.
        branch = " ".join(anchor.text for anchor in expected if anchor.name == "branch")
        missing = [
            anchor
            for anchor in missing
            if anchor.name != "issue" or anchor.text.lstrip("#") not in split_words(branch)
        ]
    return Retention(total=len(expected), missing=tuple(missing))


def _contains(anchor: Anchor, text_words: frozenset[str], lower_text: str) -> bool:
    if anchor.name == "branch":
        return contains_name(anchor.text.casefold(), lower_text)
    if anchor.name == "issue":
        number = anchor.text.lstrip("#").casefold()
        return any(
            contains_name(f"{mark}{number}", lower_text)
            for mark in ("#", "issue ", "issue-", "issue: ", "gh-")
        )
    expected = set(remove_stop_words(anchor.text))
    matches = sum(word in text_words or stem_word(word) in text_words for word in expected)
    return not expected or matches >= MIN_WORD_SHARE * len(expected)


def contains_name(name: str, text: str) -> bool:
    """Return whether *name* appears as a whole name, not inside a longer one."""
    at = text.find(name)
    while at >= 0:
        before, after = text[at - 1 : at] if at else "", text[at + len(name) : at + len(name) + 1]
        if not (before and before in _NAME_CHARACTERS and name[0] in _NAME_CHARACTERS) and not (
            after and after in _NAME_CHARACTERS
        ):
            return True
        at = text.find(name, at + 1)
    return False


def _all_words(text: str) -> frozenset[str]:
    """Return all words of a text of any length, also without their endings."""
    collected: set[str] = set()
    for start in range(0, max(len(text), 1), CHUNK_LENGTH):
        chunk = split_words(text[max(start - CHUNK_OVERLAP, 0) : start + CHUNK_LENGTH])
        collected.update(chunk, map(stem_word, chunk))
    return frozenset(collected)


def format_list(anchors: Iterable[Anchor]) -> str:
    return "\n".join(f"- {anchor.line}" for anchor in anchors)
