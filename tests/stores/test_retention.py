"""Test retention: the oldest records above the limits are deleted, and no others."""

import pytest

from hookline import stores
from hookline.core.records import Handoff, Memory
from hookline.core.store import Limits, Query, Record

pytestmark = pytest.mark.xdist_group("stores")  # all of them share one server

DAY = 86_400.0
NOW = 1000 * DAY


@pytest.fixture(params=stores.names())
def store(request, opened):
    return opened(request.param)


def record(number, at=NOW, session="s"):
    return Record(id=f"r{number}", at=at, session=session, host="h", event="Stop")


def kept(store):
    return [one.id for _, one in store.records(Query())]


def test_nothing_is_forgotten_within_the_limits(store):
    store.record([record(n) for n in range(3)])
    store.begin_session("s", host="h", cwd="/", at=NOW)
    store.remember(Memory(id="m", at=0.0, text="t"))

    assert store.prune(Limits(), at=NOW, within=30.0) == 0
    assert (kept(store), len(store.recall(""))) == (["r0", "r1", "r2"], 1)


def test_what_is_older_than_the_days_goes(store):
    store.record(
        [record(1, NOW - 11 * DAY), record(2, NOW - 10 * DAY - 1), record(3, NOW - 10 * DAY), record(4)]
    )

    assert store.prune(Limits(days=10), at=NOW, within=30.0) == 2
    assert kept(store) == ["r3", "r4"]


def test_a_record_of_a_wrong_clock_does_not_go_before_its_neighbours(store):
    behind, ahead = NOW - 400 * DAY, NOW + 400 * DAY
    store.record([record(1, NOW - 11 * DAY), record(2, ahead), record(3, NOW - 10.5 * DAY)])
    store.record([record(4, NOW - 9 * DAY), record(5, behind), record(6, ahead), record(7)])

    assert store.prune(Limits(days=10), at=NOW, within=30.0) == 2
    assert kept(store) == ["r2", "r4", "r5", "r6", "r7"]


def test_what_is_more_than_the_most_goes(store):
    store.record([record(n) for n in range(1203)])

    assert store.prune(Limits(records=2), at=NOW, within=30.0) == 1201
    assert kept(store) == ["r1201", "r1202"]


def test_a_position_is_never_given_again(store):
    store.record([record(n) for n in range(3)])
    last = [position for position, _ in store.records(Query())][-1]
    store.prune(Limits(records=0), at=NOW, within=30.0)
    store.record([record(9)])

    assert [position for position, _ in store.records(Query())] > [last]


def test_a_session_goes_with_all_that_is_its_own_when_its_last_record_went(store):
    for name in ("old", "busy", "new"):
        store.begin_session(name, host="h", cwd="/", at=NOW if name == "new" else NOW - 20 * DAY)
        store.count(name, "n")
        store.set_notes(name, {"k": 1})
        store.hold_context(name, ["later"])
    store.record([record(1, NOW - 15 * DAY, "old"), record(2, NOW, "busy")])
    store.prune(Limits(days=10), at=NOW, within=30.0)
    left = {
        name: (dict(store.counters(name)), dict(store.notes(name)), store.take_held_context(name))
        for name in ("old", "busy", "new")
    }

    assert left == {"old": ({}, {}, ()), "busy": (all_of := ({"n": 1}, {"k": 1}, ("later",))), "new": all_of}
    assert [store.begin_session(name, host="h", cwd="/", at=NOW) for name in ("old", "busy", "new")] == [
        True,
        False,
        False,
    ]


def test_a_deleted_session_begins_again_for_its_first_call(store):
    store.begin_session("s", host="h", cwd="/", at=1.0, call="old")
    store.prune(Limits(days=10), at=NOW, within=30.0)

    begun = [store.begin_session("s", host="h", cwd="/", at=NOW, call=call) for call in ("new", "new", "old")]

    assert begun == [True, True, False]


def test_the_least_worthy_memories_go_first(store):
    for number, (importance, at) in enumerate(((0.9, 1.0), (0.1, 1.0), (0.1, 2.0), (0.1, 3.0))):
        store.remember(Memory(id=f"m{number}", at=at, text="same", confidence=importance))
    store.mark_used(["m1"], at=9.0)
    gone = store.prune(Limits(memories=2), at=NOW, within=30.0)

    assert gone == 2
    assert {one.id for one in store.recall("same")} == {one.id for one in store.recall("")} == {"m0", "m1"}


def test_signatures_and_handoffs_have_limits_too(store):
    for number in range(4):
        store.count_error(f"e{number}", text="t", at=float(number))
        store.add_handoff(Handoff(id=f"h{number}", at=float(number), session="s", text="t"))
    gone = store.prune(Limits(signatures=1, handoffs=3), at=NOW, within=30.0)

    assert gone == 4
    assert [one.key for one in store.signatures()] == ["e3"]
    assert [one.id for one in store.handoffs()] == ["h3", "h2", "h1"]


def test_no_time_is_no_work(store):
    store.record([record(n) for n in range(3)])

    assert store.prune(Limits(records=0), at=NOW, within=0.0) == 0
    assert len(kept(store)) == 3
