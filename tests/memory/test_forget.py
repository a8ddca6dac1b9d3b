"""Test that a deleted memory is in no handoff and is not learned again."""

import pytest

from hookline.core.records import Handoff, Memory
from hookline.memory.extract import find_memory_id
from hookline.memory.forget import PLACEHOLDER, clear_forgotten, find_forgotten, forget_memories
from hookline.memory.learn import store_memories
from hookline.stores.memory import MemoryStore

SAID = "We decided to use the wombat encoding, not base64."


def memory(text=SAID, name="a", **more):
    return Memory(id=name, at=1.0, text=text, project="/p", **more)


def handed(store, **details):
    text = "\n".join(str(one) for one in details.values())
    store.add_handoff(Handoff(id="h", at=1.0, session="s", text=text, project="/p", details=details))


def left(store):
    return store.handoffs(project="/p")[0]


def test_what_is_forgotten_is_in_no_handoff():
    store = MemoryStore()
    store.remember(memory())
    handed(store, task="Mend it.", decisions=[SAID, "Cents it is."], status=f"Done. {SAID} Bye.")

    assert forget_memories(store, [memory()], 5.0) == 1
    assert left(store).details == {
        "task": "Mend it.",
        "decisions": ("Cents it is.",),
        "status": f"Done. {PLACEHOLDER} Bye.",
    }
    assert "wombat" not in left(store).text


@pytest.mark.parametrize(
    ("known", "handed_on", "holds"),
    [
        ("Blockers: the schema is frozen", "the schema is frozen", ()),
        ("We decided to use tabs", "we  **decided**\tto use TABS!", ()),
        (f"{SAID} {'It is short. ' * 30}", "We decided to use the wombat enc…", ()),
        ("Use tabs", "Use tabs or spaces", (f"{PLACEHOLDER} or spaces",)),
        ("Use tabs", "Reuse tabs", ("Reuse tabs",)),
        ("日本語のテスト", "日本語のテスト", ()),
        ("!!", "!!", ("!!",)),
    ],
)
def test_it_is_found_however_it_was_put(known, handed_on, holds):
    store = MemoryStore()
    handed(store, blockers=[handed_on])
    forget_memories(store, [memory(known)], 5.0)

    assert left(store).details["blockers"] == holds


def test_it_is_not_learnt_again_until_a_person_says_so():
    store = MemoryStore()
    store_memories(store, [memory()], 2.0)
    forget_memories(store, [memory()], 3.0)

    assert (store_memories(store, [memory(), memory("other", "b")], 4.0), find_forgotten(store, "ab")) == (
        [memory("other", "b")],
        {"a"},
    )
    clear_forgotten(store, ["a"])
    assert [one.id for one in store_memories(store, [memory()], 5.0)] == ["a"]


def test_it_is_not_learnt_again_as_another_kind():
    store = MemoryStore()
    known = build("fact", "We always use pnpm here, never npm")
    store_memories(store, [known], 2.0)
    forget_memories(store, [known], 3.0)

    assert store_memories(store, [build("convention", "“We always use pnpm here, never npm”")], 4.0) == []


def build(kind, text):
    return memory(text, find_memory_id(kind, text, "/p"), kind=kind)
