"""Test that rules about the same subject merge, and that a later rule replaces one that says the opposite."""

import json
from collections import Counter
from pathlib import Path

import pytest

from hookline.core.records import USER, Memory
from hookline.memory.compare import compare_rules
from hookline.memory.learn import REVERSAL, remember
from hookline.stores import memory as memory_store

CORPUS = Path(__file__).parents[1] / "corpus"


def count(name):
    rows = [json.loads(line) for line in (CORPUS / name).read_text(encoding="utf-8").splitlines()]
    return Counter((row["relation"], compare_rules(row["old"], row["new"])) for row in rows)


def test_pairs_that_the_rules_were_written_for():
    counts = count("rule_pairs.jsonl")

    assert sum(number for (label, found), number in counts.items() if label == found) >= 0.97 * counts.total()


def test_pairs_in_the_words_of_others():
    """Many of these are missed, but no rule about another subject is replaced."""
    counts = count("rule_pairs_held.jsonl")

    assert sum(number for (label, found), number in counts.items() if label == found) >= 0.6 * counts.total()
    assert sum(number for (label, found), number in counts.items() if label == "different" != found) == 0


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
