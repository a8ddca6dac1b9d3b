"""Plan the consolidation of memories: merge duplicates, drop faded ones, and doubt contradicted ones."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from hookline.core.ranking import decayed_confidence
from hookline.core.records import Memory, split_words
from hookline.core.store import Store, advance_expiry
from hookline.core.values import replace
from hookline.memory.compare import is_repetition
from hookline.memory.extract import find_max_confidence
from hookline.memory.forget import drop_replaced, move_replaced
from hookline.system import file_lock
from hookline.system.git_facts import find_origin
from hookline.system.paths import Places, create_private

MIN_SIMILARITY = 0.8
"""Share of all words of two memories that both contain, from which they are duplicates."""
MIN_WORTH = 0.05
"""Worth below which a memory is dropped."""
DOUBT_FACTOR = 0.5
"""Factor applied to the confidence of a memory that a newer one contradicts."""
CONSOLIDATE_SECONDS = 86_400.0
"""Seconds between two consolidations of a project's memories."""
CONSOLIDATED_NOTE = "hookline.consolidated"
"""Name of the note that holds the time and the report of a project's last consolidation."""
MAX_MEMORIES = 5_000
"""Memories of a project that one consolidation reads, those with the most confidence."""
_MIN_RARE_WORDS = 3
"""Rarest words of a memory used to find duplicates; any two duplicates share one of them."""


class Consolidation(Struct, frozen=True, kw_only=True):
    """Changes to a set of memories."""

    changed: tuple[Memory, ...] = ()
    merged: tuple[tuple[str, str], ...] = ()
    """Pairs of a removed id and the id that replaces it."""
    faded: tuple[str, ...] = ()

    @property
    def removed(self) -> tuple[str, ...]:
        return (*(duplicate for duplicate, _ in self.merged), *self.faded)

    @property
    def report(self) -> str:
        kept = {kept for _, kept in self.merged}
        doubted = sum(memory.id not in kept for memory in self.changed)
        more = f", {doubted} doubted" if doubted else ""
        return f"{len(self.merged)} merged, {len(self.faded)} faded{more}"


def plan_consolidation(memories: Iterable[Memory], at: float) -> Consolidation:
    """Return the changes to *memories*; the result is deterministic."""
    every = sorted(memories, key=_rank)
    faded = [
        memory.id for memory in every if not memory.pinned and decayed_confidence(memory, at) < MIN_WORTH
    ]
    remaining = [memory for memory in every if memory.id not in set(faded)]
    replacements = _find_duplicates(remaining)
    changed = _apply_contradictions(remaining, _merge_duplicates(remaining, replacements), replacements)
    return Consolidation(changed=tuple(changed), merged=tuple(replacements.items()), faded=tuple(faded))


def _rank(memory: Memory) -> tuple[bool, bool, float, float, str]:
    """Return a key that sorts memories by authority."""
    return not memory.pinned, not memory.by_user, -memory.confidence, -memory.at, memory.id


def _find_duplicates(memories: Sequence[Memory]) -> dict[str, str]:
    """Return the id of each duplicate with the id of the memory that replaces it."""
    replacements: dict[str, str] = {}
    for group in _group_by_scope(memories):
        rows = [(memory, frozenset(split_words(memory.text))) for memory in group]
        frequency = Counter(word for _, words in rows for word in words)
        originals: dict[str, list[tuple[Memory, frozenset[str]]]] = defaultdict(list)
        for memory, words in rows:
            ranked = sorted(words, key=lambda word: (frequency[word], word))
            rare = ranked[: _count_rare_words(len(words))]
            near = {other.id: (other, known) for word in rare for other, known in originals[word]}
            similar = (other for other, known in near.values() if _are_similar(known, words))
            same = (other.id for other in similar if _say_the_same(other.text, memory.text))
            original = None if memory.pinned else next(same, None)
            if original is None:
                for word in words:
                    originals[word].append((memory, words))
            else:
                replacements[memory.id] = original
    return replacements


def _count_rare_words(count: int) -> int:
    """Return a number of rarest words of which any duplicate must contain at least one."""
    return max(_MIN_RARE_WORDS, count - int(count * MIN_SIMILARITY) + 1)


def _group_by_scope(memories: Sequence[Memory]) -> Iterator[list[Memory]]:
    groups: dict[tuple[str, ...], list[Memory]] = defaultdict(list)
    for memory in memories:
        groups[memory.project, memory.branch, memory.issue, memory.kind].append(memory)
    yield from groups.values()


def _are_similar(first: frozenset[str], second: frozenset[str]) -> bool:
    return len(first & second) >= MIN_SIMILARITY * len(first | second) > 0


def _say_the_same(first: str, second: str) -> bool:
    """Return whether two texts have their common words in the same order, and one repeats the other."""
    one, other = split_words(first), split_words(second)
    common = {*one} & {*other}
    in_order = [word for word in one if word in common] == [word for word in other if word in common]
    return in_order and is_repetition(first, second)


def _merge_duplicates(memories: Sequence[Memory], replacements: dict[str, str]) -> dict[str, Memory]:
    """Return the replacing memories with the data of their duplicates; each duplicate adds confidence."""
    by_id = {memory.id: memory for memory in memories}
    merged: dict[str, Memory] = {}
    for duplicate_id, original_id in replacements.items():
        original, duplicate = merged.get(original_id, by_id[original_id]), by_id[duplicate_id]
        if not duplicate.may_change(original):
            continue
        confidence = min(
            1 - (1 - original.confidence) * (1 - duplicate.confidence / 2),
            max(find_max_confidence(original), original.confidence),
        )
        relations = dict.fromkeys((*original.relations, *duplicate.relations))
        merged[original_id] = replace(
            original,
            at=max(original.at, duplicate.at),
            confidence=confidence,
            tags=tuple(dict.fromkeys((*original.tags, *duplicate.tags))),
            relations=tuple(
                relation for relation in relations if relation[1] not in (original_id, duplicate_id)
            ),
        )
    return merged


def _apply_contradictions(
    memories: Sequence[Memory], changed: dict[str, Memory], replacements: dict[str, str]
) -> list[Memory]:
    """Halve the confidence of each contradicted memory once; only a person contradicts a person."""
    by_id = {memory.id: memory for memory in memories}
    for memory in memories:
        contradicted = [id_ for relation, id_ in memory.relations if relation == "contradicts"]
        for old_id in contradicted if memory.id not in replacements else ():
            old = changed.get(old_id) or by_id.get(old_id)
            if old and old_id not in replacements and _contradicts(memory, old):
                doubted = (*old.tags, "doubted")
                changed[old_id] = replace(old, confidence=old.confidence * DOUBT_FACTOR, tags=doubted)
    return list(changed.values())


def _contradicts(memory: Memory, old: Memory) -> bool:
    """Return whether a later memory lowers the confidence of one that is neither pinned nor doubted yet."""
    both = ("contradicts", memory.id) in old.relations
    fixed = both or old.pinned or "doubted" in old.tags
    return not fixed and old.at < memory.at and memory.may_change(old)


def consolidate_project(store: Store, places: Places, at: float) -> str:
    """Consolidate the memories of a project and of the user; return a report, if no other process does so."""
    root = find_origin(places.root)
    create_private(places.state)
    with file_lock.try_lock(f"{places.state}/consolidate.lock") as lock:
        return "" if lock is None else _apply_consolidation(store, root, at)


def _apply_consolidation(store: Store, root: str, at: float) -> str:
    memories = store.recall("", project=root, limit=MAX_MEMORIES)
    plan = plan_consolidation(memories, advance_expiry(store, at))
    for memory in plan.changed:
        store.remember(memory)
    if plan.removed:
        store.forget(*plan.removed)
    move_replaced(store, dict(plan.merged))
    drop_replaced(store)
    store.set_notes("", {f"{CONSOLIDATED_NOTE}:{root}": {"at": at, "report": plan.report}})
    return plan.report


def is_consolidation_due(store: Store, root: str, at: float) -> bool:
    """Return whether the last consolidation is a day old, or in the future after a clock was set back."""
    last = (store.notes("").get(f"{CONSOLIDATED_NOTE}:{find_origin(root)}") or {}).get("at", 0.0)
    return not last <= at < last + CONSOLIDATE_SECONDS
