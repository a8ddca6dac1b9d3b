"""Test consolidation: duplicates are merged, faded memories are deleted, pinned ones stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.core.ranking import decayed_confidence
from hookline.core.records import Memory
from hookline.core.values import replace
from hookline.memory.consolidate import (
    CONSOLIDATE_SECONDS,
    MIN_WORTH,
    consolidate_project,
    is_consolidation_due,
    plan_consolidation,
)
from hookline.memory.forget import load_replaced, replace_memories
from hookline.stores import memory
from hookline.system import file_lock
from hookline.system.paths import find_places

DAY = 86_400.0
NOW = 1000 * DAY


def one(name, text="t", **more):
    return Memory(**({"id": name, "at": NOW, "text": text, "project": "/p"} | more))


def test_what_says_the_same_becomes_one_and_surer():
    first = one("a", "Run the tests with make check before every push", confidence=0.6, tags=("x",))
    second = one("b", "run the tests with `make check` before every push!", tags=("y",), at=NOW - DAY)
    come = plan_consolidation([second, first, one("c", "Deploy on Tuesdays")], NOW)

    assert (come.merged, come.faded, come.report) == ((("b", "a"),), (), "1 merged, 0 faded")
    (kept,) = come.changed
    assert (kept.id, kept.tags, kept.confidence > 0.6) == ("a", ("x", "y"), True)


def test_a_number_a_negation_another_kind_or_scope_is_something_else():
    text = "The port of the license server in the lab is 27000"
    alike = [
        one("a", text),
        one("b", text.replace("27000", "27001")),
        one("c", text.replace("is", "is not")),
        one("d", text, kind="decision"),
        one("e", text, branch="x"),
        one("f", text, project=""),
    ]

    assert plan_consolidation(alike, NOW).merged == ()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("the staging db is on host a, prod on host b", "the staging db is on host b, prod on host a"),
        ("service Alpha calls service Beta over gRPC", "service Beta calls service Alpha over gRPC"),
        ("Ana reviews the code of Bob", "Bob reviews the code of Ana"),
    ],
)
def test_the_same_words_in_another_order_say_something_else(first, second):
    assert plan_consolidation([one("a", first), one("b", second)], NOW).merged == ()


def test_a_rule_that_was_replaced_by_a_merged_one_comes_back_with_the_other(tmp_path):
    store, places = memory.open_store(), replace(find_places({}, "/"), state=str(tmp_path), root="/p")
    replace_memories(store, one("b", "always use pnpm here", confidence=0.5), [one("old", "use npm")])
    store.remember(one("c", "always use pnpm here!", confidence=0.9))
    consolidate_project(store, places, NOW)

    assert {id_: replaced.by for id_, replaced in load_replaced(store).items()} == {"old": "c"}


def test_what_faded_goes_and_what_is_pinned_or_lasts_stays():
    old = {"at": NOW - 500 * DAY}
    come = plan_consolidation(
        [one("a", "aa", **old), one("b", "bb", pinned=True, **old), one("c", "cc", half_life=None, **old)],
        NOW,
    )

    assert (come.faded, come.removed) == (("a",), ("a",))


def test_what_a_person_said_is_not_doubted_for_an_agents_word():
    old = one("a", "the port is here", at=NOW - DAY, source="user")
    agents, own = (
        one("b", "quite another place", relations=(("contradicts", "a"),), source=source)
        for source in ("mcp", "user")
    )

    assert plan_consolidation([old, agents], NOW).changed == ()
    assert [known.id for known in plan_consolidation([old, own], NOW).changed] == ["a"]


def test_what_a_newer_one_contradicts_is_doubted_once():
    old = one("a", "the port is here", at=NOW - DAY, confidence=0.8)
    new = one("b", "quite another place", relations=(("contradicts", "a"),))
    (doubted,) = plan_consolidation([old, new], NOW).changed

    assert (doubted.id, doubted.confidence) == ("a", 0.4)
    assert plan_consolidation([doubted, new], NOW).changed == ()


@given(
    st.lists(
        st.tuples(st.text("abc ", max_size=12), st.floats(0, 1), st.booleans(), st.integers(0, 900)),
        max_size=30,
    )
)
def test_nothing_pinned_goes_nothing_goes_twice_and_a_second_dream_finds_no_more_to_merge(rows):
    every = [
        one(str(n), text, confidence=sure, pinned=pinned, at=NOW - age * DAY)
        for n, (text, sure, pinned, age) in enumerate(rows)
    ]
    come = plan_consolidation(every, NOW)
    left = {m.id: m for m in every if m.id not in come.removed} | {m.id: m for m in come.changed}

    assert len(set(come.removed)) == len(come.removed)
    assert not [m for m in every if m.pinned and m.id in come.removed]
    assert all(decayed_confidence(m, NOW) >= MIN_WORTH or m.pinned for m in left.values())
    assert not plan_consolidation(left.values(), NOW).merged


def test_it_is_done_once_a_day_by_one(tmp_path):
    store, places = memory.open_store(), replace(find_places({}, "/"), state=str(tmp_path), root="/p")
    store.remember(one("a", "Run the tests with make check before every push"))
    store.remember(one("b", "run the tests with make check before every push"))
    with file_lock.lock(str(tmp_path / "consolidate.lock")):
        assert (is_consolidation_due(store, "/p", NOW), consolidate_project(store, places, NOW)) == (True, "")
    assert consolidate_project(store, places, NOW) == "1 merged, 0 faded"
    assert len(store.recall("")) == 1
    assert [
        is_consolidation_due(store, "/p", NOW + more)
        for more in (-1, 0, CONSOLIDATE_SECONDS - 1, CONSOLIDATE_SECONDS)
    ] == [
        True,
        False,
        False,
        True,
    ]
