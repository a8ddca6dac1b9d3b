"""What must not be lost when a context is made short or a session begins anew, and whether a text has it.

Issue, branch, blockers and the next step: an issue and a branch by their names, sentences by most of their
telling words, for whoever repeats them puts them differently.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from hookline.core.ranking import telling
from hookline.core.records import bare, words
from hookline.handoff.content import Left

ENOUGH = 0.6
"""The share of a sentence's telling words by which it is known again."""
BLOCKERS = 3
PIECE, OVERLAP = 8_000, 64
_PART = "abcdefghijklmnopqrstuvwxyz0123456789_-"


class Anchor(Struct, frozen=True, kw_only=True):
    """One of the things that must be known."""

    name: str
    """issue, branch, blocker or next step."""
    text: str

    @property
    def line(self) -> str:
        return f"{self.name}: {self.text}"


def anchors(whole: Left) -> tuple[Anchor, ...]:
    """Those of what a session left, in the order in which they are told."""
    found = [("issue", f"#{whole.issue}" if whole.issue else ""), ("branch", whole.branch)]
    found += [("blocker", text) for text in whole.blockers[:BLOCKERS]]
    found += [("next step", text) for text in whole.next[:1]]
    return tuple(Anchor(name=name, text=text) for name, text in found if text)


class Kept(Struct, frozen=True, kw_only=True):
    """How much of it a text has."""

    all: int
    missing: tuple[Anchor, ...] = ()

    @property
    def share(self) -> float:
        """From 0 to 1; all of nothing is all."""
        return (self.all - len(self.missing)) / self.all if self.all else 1.0

    @property
    def told(self) -> str:
        named = ", ".join(dict.fromkeys(one.name for one in self.missing))
        more = f"; missing: {named}" if named else ""
        return f"{self.all - len(self.missing)} of {self.all} ({round(self.share * 100)} %){more}"


def kept(wanted: Sequence[Anchor], text: str) -> Kept:
    """How much of what is *wanted* the *text* has."""
    known, plain = _words(text), text.casefold()
    missing = [one for one in wanted if not _has(one, known, plain)]
    if not any(
        one.name == "branch" for one in missing
    ):  # who names the branch names the issue it is called by
        named = " ".join(one.text for one in wanted if one.name == "branch")
        missing = [one for one in missing if one.name != "issue" or one.text.lstrip("#") not in words(named)]
    return Kept(all=len(wanted), missing=tuple(missing))


def _has(one: Anchor, known: frozenset[str], plain: str) -> bool:
    if one.name == "branch":
        return _named(one.text.casefold(), plain)
    if one.name == "issue":
        number = one.text.lstrip("#").casefold()
        return any(_named(f"{mark}{number}", plain) for mark in ("#", "issue ", "issue-", "issue: ", "gh-"))
    parts = set(telling(one.text))
    return not parts or sum(word in known or bare(word) in known for word in parts) >= ENOUGH * len(parts)


def _named(name: str, plain: str) -> bool:
    """Whether it stands there as a name of its own, not inside of another."""
    at = plain.find(name)
    while at >= 0:
        before, after = plain[at - 1 : at] if at else "", plain[at + len(name) : at + len(name) + 1]
        if not (before and before in _PART and name[0] in _PART) and not (after and after in _PART):
            return True
        at = plain.find(name, at + 1)
    return False


def _words(text: str) -> frozenset[str]:
    """All of them, however long the text is, also bare of their endings."""
    found: set[str] = set()
    for at in range(0, max(len(text), 1), PIECE):
        part = words(text[max(at - OVERLAP, 0) : at + PIECE])
        found.update(part, map(bare, part))
    return frozenset(found)


def listed(those: Iterable[Anchor]) -> str:
    return "\n".join(f"- {one.line}" for one in those)
