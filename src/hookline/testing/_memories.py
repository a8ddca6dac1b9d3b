"""What every store must do with memories, beyond finding them; part of the suite of `stores.py`."""

from collections.abc import Callable
from typing import Any

from hookline.core.records import Memory
from hookline.core.store import Store
from hookline.core.values import replace
from hookline.testing._checks import name, same


def a_memory_is_known_by_its_id(store: Store) -> None:
    one = _memory(name(), branch="b", issue="7", half_life=None, pinned=True, source="s", kind="decision")
    other = _memory(one.project, relations=(("contradicts", one.id), ("supports", name())))
    store.remember(one)
    store.remember(other)

    same(list(store.memories([other.id, name(), one.id])), [other, one])
    same(store.forget(one.id), wanted=True)
    same(list(store.memories([one.id, other.id])), [replace(other, relations=other.relations[1:])])


def branches_and_issues_are_apart(store: Store) -> None:
    project, word = name(), name()
    usual, branch = _memory(project, text=word), _memory(project, text=word, branch="x", confidence=0.6)
    issue = _memory(project, text=word, issue="7", confidence=0.7)
    for one in (usual, branch, issue):
        store.remember(one)

    for text in (word, ""):

        def found(branch: str | None, issue: str | None, text: str = text) -> list[Memory]:
            every = store.recall(text, project=project, branch=branch, issue=issue)
            return [one for one in every if one.project]

        same(found(None, None), [issue, branch, usual])
        same(found("x", ""), [branch, usual])
        same(found("y", "7"), [issue, usual])


def what_was_of_no_use_for_long_counts_less(store: Store) -> None:
    project, word, day = name(), name(), 86_400.0
    old = _memory(project, text=word, at=0.0, confidence=0.9, half_life=10.0)
    lasting = _memory(project, text=word, at=0.0, confidence=0.4, half_life=None)
    new = _memory(project, text=word, at=30 * day, confidence=0.3)
    for one in (new, lasting, old):
        store.remember(one)

    same(list(store.recall(word, project=project)), [old, lasting, new])
    same(list(store.recall(word, project=project, at=30 * day)), [lasting, new, old])
    store.use([old.id], at=30 * day)
    same(store.recall(word, project=project, at=30 * day)[0].id, old.id)


def the_pinned_come_first(store: Store) -> None:
    project = name()
    sure, pinned = _memory(project, confidence=0.9), _memory(project, confidence=0.2, pinned=True)
    store.remember(sure)
    store.remember(pinned)

    same([one for one in store.recall("", project=project) if one.project], [pinned, sure])


def words_are_found_in_their_other_forms(store: Store) -> None:
    project = name()
    one = _memory(project, text="Migrations run before the deployment starts")
    store.remember(one)

    for text in ("how do I run a migration?", "deploying", "when does it start", "running"):
        same(list(store.recall(text, project=project)), [one])


SUITE: tuple[Callable[[Store], None], ...] = (
    a_memory_is_known_by_its_id,
    branches_and_issues_are_apart,
    what_was_of_no_use_for_long_counts_less,
    the_pinned_come_first,
    words_are_found_in_their_other_forms,
)


def _memory(project: str, **fields: Any) -> Memory:
    usual: dict[str, Any] = {"id": name(), "at": 1.0, "text": "t", "project": project}
    return Memory(**(usual | fields))
