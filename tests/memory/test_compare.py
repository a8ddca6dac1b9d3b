"""Test that rules about the same subject merge, and that a later rule replaces one that says the opposite."""

import json
import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.core.records import USER, Memory
from hookline.memory.compare import compare_rules, is_repetition
from hookline.memory.extract import find_memory_id
from hookline.memory.forget import forget_memories, load_replaced, restore_replaced
from hookline.memory.learn import store_memories
from hookline.stores import memory as memory_store

CORPUS = Path(__file__).parents[2] / "training" / "corpus"


def read(name):
    return [json.loads(line) for line in (CORPUS / name).read_text(encoding="utf-8").splitlines()]


def test_most_relations_are_found_and_rules_about_other_subjects_are_hardly_ever_replaced():
    """The pairs are not part of the training."""
    counts = Counter(
        (row["relation"], compare_rules(row["old"], row["new"])) for row in read("held_pairs.jsonl")
    )
    totals = Counter(label for label, _ in counts.elements())

    assert counts["same", "different"] <= 0.45 * totals["same"]
    assert counts["reversal", "different"] <= 0.25 * totals["reversal"]
    assert totals["different"] - counts["different", "different"] <= 0.04 * totals["different"]


def test_rules_of_different_rows_are_rarely_related():
    texts = [row["old"] for row in read("held_pairs.jsonl")]
    chance = random.Random(3)
    pairs = [chance.sample(texts, 2) for _ in range(3_000)]
    related = [pair for pair in pairs if pair[0] != pair[1] and compare_rules(*pair) != "different"]

    assert len(related) <= 0.004 * len(pairs)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("wrap lines at 80 columns", "wrap lines at 100 columns"),
        ("use pnpm", "use npm"),
        ("use `pnpm` for installs", "use `npm` for installs"),
        ("merge develop into main", "merge main into develop"),
        ("run lint before the tests", "run the tests before lint"),
        ("never commit generated files", "commit the generated files"),
    ],
)
def test_a_changed_value_or_choice_is_a_reversal(old, new):
    assert (compare_rules(old, new), compare_rules(new, old)) == ("reversal", "reversal")


@pytest.mark.parametrize("reason", ["because it is slow", "as we have no licence", ", it wakes my laptop"])
def test_a_reason_does_not_change_a_rule(reason):
    assert (
        compare_rules(f"never start the emulator {reason}".replace(" ,", ","), "never start the emulator")
        == "same"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("use pytest in the backend", "use vitest in the frontend"),
        ("indent with tabs", "indent YAML with 2 spaces"),
        ("use tabs", "use tabs in Makefiles"),
        ("use pnpm", "use vitest"),
        ("run `make lint` before commits", "run `make test` before commits"),
        ("use the plural for table names", "limit table names to 80 columns"),
        ("talk to me in Spanish", "warn me before any command that deletes data"),
        ("never push to main", "never push to release branches"),
        ("never deploy on friday", "never deploy on monday"),
        ("never use moment", "never use dayjs"),
        ("mock the clock in unit tests", "don't mock the database in unit tests"),
    ],
)
def test_a_rule_for_another_scope_or_object_holds_beside_it(old, new):
    assert compare_rules(old, new) == "different"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("new services are written in C#", "new services are written in C++"),
        ("functions have < 50 lines", "functions have > 50 lines"),
        ("functions have ≤ 50 lines", "functions have ≥ 50 lines"),
        (
            f"{'always use the shared helpers ' * 15}and pnpm",
            f"{'always use the shared helpers ' * 15}and npm",
        ),
    ],
)
def test_rules_that_the_model_cannot_tell_apart_are_different(old, new):
    assert compare_rules(old, new) == "different"
    assert not is_repetition(old, new)
    assert find_memory_id("convention", old) != find_memory_id("convention", new)


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text_is_compared(old, new):
    assert compare_rules(old, new) in ("same", "reversal", "different")


def rule(id_, text, **more):
    values = {"id": id_, "at": 1.0, "text": text, "kind": "convention", "project": "/p", "confidence": 0.8}
    return Memory(**(values | {"source": f"user:host:{id_}"} | more))


@pytest.fixture
def store():
    store = memory_store.open_store()
    store.remember(rule("old", "always use pnpm, never npm"))
    return store


def texts(store):
    return [memory.text for memory in store.recall("", project="/p")]


def test_a_repeated_rule_replaces_the_earlier_one_with_more_confidence(store):
    store_memories(store, [rule("new", "please use pnpm instead of npm")], 2.0)

    (kept,) = store.recall("", project="/p")
    assert (kept.id, kept.tags) == ("new", ())
    assert kept.confidence == pytest.approx(0.85)


def test_a_reversed_rule_replaces_the_earlier_one_which_comes_back_if_it_is_forgotten(store):
    store_memories(store, [rule("new", "use npm, not pnpm", kind="decision")], 2.0)
    (kept,) = store.recall("", project="/p")

    assert (kept.id, kept.confidence) == ("new", 0.8)
    assert {id_: old.by for id_, old in load_replaced(store).items()} == {"old": "new"}
    forget_memories(store, [kept], 3.0)
    assert [memory.id for memory in restore_replaced(store, ["new"])] == ["old"]
    assert (texts(store), load_replaced(store)) == (["always use pnpm, never npm"], {})


def test_every_wording_comes_back_if_the_later_one_is_forgotten(store):
    later = [rule("npm", "use npm, not pnpm"), rule("again", "please use npm instead of pnpm")]
    store_memories(store, later, 2.0)

    assert texts(store) == ["please use npm instead of pnpm"]
    for forgotten, back in (("again", "npm"), ("npm", "old")):
        forget_memories(store, store.memories([forgotten]), 3.0)
        assert [memory.id for memory in restore_replaced(store, [forgotten])] == [back]


@pytest.mark.parametrize(
    ("old", "new"),
    [("we use npm", "we use pnpm"), ("use yarn", "use pnpm, please")],
)
def test_a_swapped_choice_is_found_although_no_other_word_is_common(old, new):
    store = memory_store.open_store()
    store_memories(store, [rule("old", old), rule("new", new)], 2.0)

    assert (compare_rules(old, new), texts(store)) == ("reversal", [new])


def test_a_rule_of_the_user_replaces_a_fact_of_an_agent():
    store = memory_store.open_store()
    store_memories(store, [rule("old", "this project uses npm, not pnpm", kind="fact", source="mcp")], 1.0)
    store_memories(store, [rule("new", "use pnpm, never npm")], 2.0)

    assert texts(store) == ["use pnpm, never npm"]


def test_one_session_does_not_confirm_itself(store):
    store_memories(store, [rule("new", "please use pnpm instead of npm", source="user:host:old")], 2.0)

    assert [memory.confidence for memory in store.recall("", project="/p")] == [0.8]


def test_rules_are_replaced_in_their_order(store):
    later = [rule("new", "use npm, not pnpm"), rule("old", "always use pnpm, never npm")]
    store_memories(store, later, 2.0)

    assert texts(store) == ["always use pnpm, never npm"]


def test_a_rule_about_another_subject_stays(store):
    store_memories(store, [rule("new", "use vitest, not jest")], 2.0)

    assert len(texts(store)) == 2


@pytest.mark.parametrize("known", [{"pinned": True}, {"branch": "main"}])
def test_a_pinned_or_narrower_memory_stays(store, known):
    store.remember(rule("old", "always use pnpm, never npm", **known))
    store_memories(store, [rule("new", "use npm, not pnpm")], 2.0)

    assert "old" in {memory.id for memory in store.memories(["old"])}


@pytest.mark.parametrize("text", ["use npm, not pnpm", "use pnpm instead of npm please"])
@pytest.mark.parametrize("source", [USER, "user:claude-code:s1"])
def test_an_agent_neither_replaces_nor_repeats_a_rule_of_the_user(store, source, text):
    store.remember(rule("old", "always use pnpm, never npm", source=source, confidence=0.3))
    learnt = store_memories(store, [rule("new", text, confidence=0.7, source="mcp")], 2.0)

    assert (learnt, texts(store)) == ([], ["always use pnpm, never npm"])
