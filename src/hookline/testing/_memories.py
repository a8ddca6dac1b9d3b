"""Conformance checks of the order and scope of memories; part of the suite in `hookline.testing.stores`."""

from collections.abc import Callable
from typing import Any

from hookline.core.records import Memory
from hookline.core.store import Store
from hookline.core.values import replace
from hookline.testing._checks import check_equal, unique_name


def memories_are_found_by_id(store: Store) -> None:
    memory = _memory(
        unique_name(), branch="b", issue="7", half_life=None, pinned=True, source="s", kind="decision"
    )
    other = _memory(memory.project, relations=(("contradicts", memory.id), ("supports", unique_name())))
    store.remember(memory)
    store.remember(other)

    check_equal(list(store.memories([other.id, unique_name(), memory.id])), [other, memory])
    check_equal(store.forget(memory.id), expected=True)
    check_equal(list(store.memories([memory.id, other.id])), [replace(other, relations=other.relations[1:])])


def branches_and_issues_are_apart(store: Store) -> None:
    project, word = unique_name(), unique_name()
    general, branch = _memory(project, text=word), _memory(project, text=word, branch="x", confidence=0.6)
    issue = _memory(project, text=word, issue="7", confidence=0.7)
    for memory in (general, branch, issue):
        store.remember(memory)

    for text in (word, ""):

        def recall(branch: str | None, issue: str | None, text: str = text) -> list[Memory]:
            memories = store.recall(text, project=project, branch=branch, issue=issue)
            return [memory for memory in memories if memory.project]

        check_equal(recall(None, None), [issue, branch, general])
        check_equal(recall("x", ""), [branch, general])
        check_equal(recall("y", "7"), [issue, general])


def a_part_of_an_identifier_finds_its_memory(store: Store) -> None:
    project, memory = unique_name(), _memory(unique_name(), text="index through SearchIndexer and tax_rates")
    store.remember(replace(memory, project=project))

    for word in ("search", "searchindexer", "rates"):
        check_equal([found.id for found in store.recall(word, project=project)], [memory.id])


def unused_memories_lose_rank(store: Store) -> None:
    project, word, day = unique_name(), unique_name(), 86_400.0
    old = _memory(project, text=word, at=0.0, confidence=0.9, half_life=10.0)
    lasting = _memory(project, text=word, at=0.0, confidence=0.4, half_life=None)
    new = _memory(project, text=word, at=30 * day, confidence=0.3)
    for memory in (new, lasting, old):
        store.remember(memory)

    check_equal(list(store.recall(word, project=project)), [old, lasting, new])
    check_equal(list(store.recall(word, project=project, at=30 * day)), [lasting, new, old])
    store.mark_used([old.id], at=30 * day)
    check_equal(store.recall(word, project=project, at=30 * day)[0].id, old.id)


def pinned_memories_come_first(store: Store) -> None:
    project = unique_name()
    confident, pinned = _memory(project, confidence=0.9), _memory(project, confidence=0.2, pinned=True)
    store.remember(confident)
    store.remember(pinned)

    check_equal(
        [memory for memory in store.recall("", project=project) if memory.project], [pinned, confident]
    )


def words_are_found_in_their_other_forms(store: Store) -> None:
    project = unique_name()
    memory = _memory(project, text="Migrations run before the deployment starts")
    store.remember(memory)

    for text in ("how do I run a migration?", "deploying", "when does it start", "running"):
        check_equal(list(store.recall(text, project=project)), [memory])


SUITE: tuple[Callable[[Store], None], ...] = (
    memories_are_found_by_id,
    a_part_of_an_identifier_finds_its_memory,
    branches_and_issues_are_apart,
    unused_memories_lose_rank,
    pinned_memories_come_first,
    words_are_found_in_their_other_forms,
)


def _memory(project: str, **fields: Any) -> Memory:
    defaults: dict[str, Any] = {"id": unique_name(), "at": 1.0, "text": "t", "project": project}
    return Memory(**(defaults | fields))
