"""Test recall in a project with thousands of memories, of which only some are scored."""

import random

import pytest

from hookline.core.records import Memory
from hookline.stores import sqlite
from hookline.stores.sqlite import open_store

MANY = 2_500
COMMON = ("deploy", "server", "tests", "cache", "token")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Yield a store with thousands of short memories in two projects, and a few relevant ones."""
    chance = random.Random(3)
    store = open_store(str(tmp_path_factory.mktemp("many") / "db"))
    for number in range(MANY):
        words = " ".join(chance.choices(COMMON, k=3)) + f" thing{number % 700} part{number % 11}"
        store.remember(Memory(id=f"m{number}", at=1.0, text=words, project="/p" if number % 9 else "/q"))
    told = {
        "needle": "The staging gateway listens behind the bastion",
        "both": "deploy the server only after the tests are green on zanzibar",
        "branch": "the bastion is being moved",
    }
    for name, text in told.items():
        store.remember(
            Memory(id=name, at=1.0, text=text, project="/p", branch="x" if name == "branch" else "")
        )
    store.remember(Memory(id="theirs", at=1.0, text="their bastion is elsewhere", project="/q"))
    store.remember(Memory(id="mine", at=1.0, text="bastion keys are on my ring"))
    yield store
    store.close()


def found(store, text, **near):
    return [one.id for one in store.recall(text, **{"project": "/p", "limit": 5, **near})]


def test_it_is_the_quick_way_that_is_tried(store):
    assert sqlite.MAX_FULL_RANKING < MANY * 8 // 9


def test_a_rare_word_brings_the_memory_among_thousands(store):
    assert found(store, "where does the staging gateway listen?")[0] == "needle"


def test_common_words_decide_between_those_with_a_rare_one(store):
    every = [f"deploy server tests thing{number}" for number in (3, 5, 8)]

    for question in every:
        ids = found(store, question)
        assert question.split()[-1] in store.memories(ids[:1])[0].text


def test_common_words_alone_find_those_that_have_them_all(store):
    first = store.memories(found(store, "deploy server tests")[:1])[0].text

    assert {"deploy", "server", "tests"} <= set(first.split())


def test_only_what_is_near_is_found(store):
    assert set(found(store, "bastion", branch="main")) == {"needle", "mine"}
    assert set(found(store, "bastion", branch="x")) == {"needle", "mine", "branch"}
    assert "theirs" in found(store, "bastion", project=None)


def test_words_that_nobody_knows_find_nothing(store):
    assert found(store, "qwertyuiop") == []


def test_whoever_wants_many_gets_them_all(store):
    assert len(store.recall("deploy", project="/p", limit=MANY)) > 500
