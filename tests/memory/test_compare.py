"""Test that rules about the same subject merge, and that a later rule replaces one that says the opposite."""

import json
import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.core.records import USER, Memory
from hookline.memory.compare import compare_rules
from hookline.memory.learn import REVERSAL, remember
from hookline.stores import memory as memory_store

CORPUS = Path(__file__).parents[1] / "corpus"


def read(name):
    return [json.loads(line) for line in (CORPUS / name).read_text(encoding="utf-8").splitlines()]


def count(name):
    return Counter((row["relation"], compare_rules(row["old"], row["new"])) for row in read(name))


@pytest.mark.parametrize(
    ("name", "share"),
    [("rule_pairs.jsonl", 0.96), ("rule_pairs_last.jsonl", 0.96), ("rule_pairs_held.jsonl", 0.66)],
)
def test_relations_are_found_and_no_rule_about_another_subject_is_replaced(name, share):
    """The comparison was written with the first file; the other files only measure it."""
    counts = count(name)

    assert (
        sum(number for (label, found), number in counts.items() if label == found) >= share * counts.total()
    )
    assert sum(number for (label, found), number in counts.items() if label == "different" != found) == 0


def test_rules_of_different_rows_are_rarely_related():
    texts = [row["old"] for row in read("rule_pairs.jsonl")]
    chance = random.Random(3)
    pairs = [chance.sample(texts, 2) for _ in range(3_000)]
    related = [pair for pair in pairs if pair[0] != pair[1] and compare_rules(*pair) != "different"]

    assert len(related) <= 0.004 * len(pairs)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("run lint before the tests", "run the tests before lint"),
        ("numbers first, words after", "words first, numbers after"),
        ("summary first then details", "details first then summary"),
        ("Never. Force. Push.", "you can force push"),
        ("migrations are reversible", "irreversible migrations are fine"),
        ("the frontend is written in Svelte", "we moved the frontend from Svelte to React"),
        ("wrap lines at 80 columns", "wrap lines at 100 columns"),
        ("deploys are on Monday at 10", "deploys are on Tuesday at 14"),
        ("use the Foo client for billing", "use the Bar client for billing"),
    ],
)
def test_a_changed_order_value_or_choice_is_a_reversal(old, new):
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
        ("never push to main", "never push to release branches"),
        ("mock the clock in unit tests", "don't mock the database in unit tests"),
    ],
)
def test_a_rule_for_another_scope_or_object_holds_beside_it(old, new):
    assert compare_rules(old, new) == "different"


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text_is_compared(old, new):
    assert compare_rules(old, new) in ("same", "reversal", "different")


def rule(id_, text, **more):
    values = {"id": id_, "at": 1.0, "text": text, "kind": "convention", "project": "/p", "confidence": 0.8}
    return Memory(**(values | {"source": f"host:{id_}"} | more))


@pytest.fixture
def store():
    store = memory_store.open_store()
    store.remember(rule("old", "always use pnpm, never npm"))
    return store


def texts(store):
    return [memory.text for memory in store.recall("", project="/p")]


def test_a_repeated_rule_replaces_the_earlier_one_with_more_confidence(store):
    remember(store, [rule("new", "please use pnpm instead of npm")], 2.0)

    (kept,) = store.recall("", project="/p")
    assert (kept.id, kept.tags) == ("new", ())
    assert kept.confidence == pytest.approx(0.85)


def test_a_reversed_rule_replaces_the_earlier_one_and_is_marked(store):
    remember(store, [rule("new", "use npm, not pnpm", kind="decision")], 2.0)

    (kept,) = store.recall("", project="/p")
    assert (kept.id, kept.tags, kept.confidence) == ("new", (REVERSAL,), 0.8)


def test_a_rule_about_another_subject_stays(store):
    remember(store, [rule("new", "use vitest, not jest")], 2.0)

    assert len(texts(store)) == 2


@pytest.mark.parametrize("known", [{"source": USER}, {"pinned": True}, {"branch": "main"}])
def test_a_persons_own_pinned_or_narrower_memory_stays(store, known):
    store.remember(rule("old", "always use pnpm, never npm", **known))
    remember(store, [rule("new", "use npm, not pnpm")], 2.0)

    assert "old" in {memory.id for memory in store.memories(["old"])}


def test_an_agents_memory_does_not_replace_a_persons_words(store):
    remember(store, [rule("new", "use npm, not pnpm", confidence=0.7, source="mcp")], 2.0)

    assert "always use pnpm, never npm" in texts(store)
