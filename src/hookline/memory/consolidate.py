"""Consolidate memories: what says the same becomes one, what nobody needed for long is let go, aloud."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from hookline.core.ranking import worth
from hookline.core.records import USER, Memory, words
from hookline.core.values import replace

SAME = 0.8
"""The share of words of two memories that both have, from which on they say the same."""
FADED = 0.05
"""What a memory is worth at least, or it goes."""
DOUBTED = 0.5
"""What is left of the confidence of one that a newer one contradicts."""
SUREST = 0.95
_RARE = 3
"""Words of a memory by which others are looked for: of two that say the same, one of these is in both."""


class Dream(Struct, frozen=True, kw_only=True):
    """What has become of the memories."""

    changed: tuple[Memory, ...] = ()
    merged: tuple[tuple[str, str], ...] = ()
    """The id that went, and the one that stands for it."""
    faded: tuple[str, ...] = ()

    @property
    def gone(self) -> tuple[str, ...]:
        return (*(one for one, _ in self.merged), *self.faded)

    @property
    def report(self) -> str:
        doubted = len(self.changed) - len({kept for _, kept in self.merged})
        more = f", {doubted} doubted" if doubted > 0 else ""
        return f"{len(self.merged)} merged, {len(self.faded)} faded{more}"


def dream(memories: Iterable[Memory], at: float) -> Dream:
    """What becomes of *memories*; the same ones always come to the same."""
    every = sorted(memories, key=lambda one: (not one.pinned, -one.confidence, -one.at, one.id))
    faded = [one.id for one in every if not one.pinned and worth(one, at) < FADED]
    left = [one for one in every if one.id not in set(faded)]
    stands = _merged(left)
    changed = _with_doubts(left, _together(left, stands), stands)
    return Dream(changed=tuple(changed), merged=tuple(stands.items()), faded=tuple(faded))


def _merged(memories: Sequence[Memory]) -> dict[str, str]:
    """Who goes, and who stands for them: the first, which is the surest."""
    stands: dict[str, str] = {}
    for group in _alike(memories):
        told = {one.id: frozenset(words(one.text)) for one in group}
        by_word: dict[str, list[str]] = defaultdict(list)
        often: dict[str, int] = defaultdict(int)
        for found in told.values():
            for word in found:
                often[word] += 1
        for one in group:
            rare = sorted(told[one.id], key=lambda word: (often[word], word))[: _rare(len(told[one.id]))]
            near = dict.fromkeys(other for word in rare for other in by_word[word])
            kept = next((other for other in near if _same(told[one.id], told[other])), None)
            if kept is not None and not one.pinned:
                stands[one.id] = kept
                continue
            for word in told[one.id]:
                by_word[word].append(one.id)
    return stands


def _rare(count: int) -> int:
    """So many of the rarest words that one of them is in whatever has `SAME` of them."""
    return max(_RARE, count - int(count * SAME) + 1)


def _alike(memories: Sequence[Memory]) -> Iterator[list[Memory]]:
    groups: dict[tuple[str, ...], list[Memory]] = defaultdict(list)
    for one in memories:
        groups[one.project, one.branch, one.issue, one.kind].append(one)
    yield from groups.values()


def _same(one: frozenset[str], other: frozenset[str]) -> bool:
    whole = len(one | other)
    return whole > 0 and len(one & other) / whole >= SAME and not _numbers(one ^ other)


def _numbers(differing: Iterable[str]) -> bool:
    """Whether they differ in a number or a negation: then they say something else, however alike."""
    return any(word.isdecimal() or word in ("not", "never", "no", "don", "without") for word in differing)


def _together(memories: Sequence[Memory], stands: dict[str, str]) -> dict[str, Memory]:
    """Those that stand for others, with what these had: two that say the same make each other surer."""
    known = {one.id: one for one in memories}
    whole: dict[str, Memory] = {}
    for gone, kept in stands.items():
        one, other = whole.get(kept, known[kept]), known[gone]
        sure = min(1 - (1 - one.confidence) * (1 - other.confidence / 2), max(SUREST, one.confidence))
        relations = dict.fromkeys((*one.relations, *other.relations))
        whole[kept] = replace(
            one,
            at=max(one.at, other.at),
            confidence=sure,
            tags=tuple(dict.fromkeys((*one.tags, *other.tags))),
            relations=tuple(relation for relation in relations if relation[1] not in (kept, gone)),
        )
    return whole


def _with_doubts(
    memories: Sequence[Memory], whole: dict[str, Memory], stands: dict[str, str]
) -> list[Memory]:
    """What a newer memory contradicts is believed less, once; what a person said, only for their own word."""
    known = {one.id: one for one in memories}
    for one in memories:
        for what, id_ in one.relations if one.id not in stands else ():
            old = whole.get(id_) or known.get(id_)
            if not old or (old.source == USER != one.source):
                continue
            if what == "contradicts" and not old.pinned and id_ not in stands and old.at < one.at:
                if ("contradicts", one.id) in old.relations or _doubted(old):
                    continue
                whole[id_] = replace(old, confidence=old.confidence * DOUBTED, tags=(*old.tags, "doubted"))
    return list(whole.values())


def _doubted(memory: Memory) -> bool:
    return "doubted" in memory.tags
