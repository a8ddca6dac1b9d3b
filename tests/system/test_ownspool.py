"""The spool of a process that stays loses nothing, and what it holds is seen by whoever looks."""

import os
import resource
import shutil
import signal
import threading
from contextlib import contextmanager

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hookline.frozen import frozen
from hookline.store import Query, Record
from hookline.stores import memory, sqlite
from hookline.system.ownspool import PIECE, OwnSpool
from hookline.system.spool import append, drain, owned


def record(number: int, **fields) -> Record:
    values = {"id": f"r{number}", "at": 1.5, "session": "s", "host": "h", "event": "Stop"}
    return Record(**(values | {"counts": {"calls": 1}} | fields))


def kept(store) -> list[str]:
    return [found.id for _, found in store.records(Query())]


def test_what_is_appended_comes_into_the_store_once_and_leaves_no_file(tmp_path):
    own, store = OwnSpool(str(tmp_path / "spool")), memory.open_store()
    for number in range(3):
        own.append(record(number))

    assert own.drain(store) == 3
    assert own.drain(store) == 0
    assert kept(store) == ["r0", "r1", "r2"]
    assert owned(own.folder) == []


def test_its_file_is_for_the_user_only(tmp_path):
    own = OwnSpool(str(tmp_path / "spool"))
    own.append(record(1))

    assert [os.stat(path).st_mode & 0o777 for path in owned(own.folder)] == [0o600]


def test_whoever_drains_leaves_the_file_of_one_that_lives(tmp_path):
    own, store = OwnSpool(str(tmp_path)), memory.open_store()
    own.append(record(1))

    assert drain(str(tmp_path), store) == 0
    assert len(owned(str(tmp_path))) == 1


def test_whoever_wants_to_see_all_sees_it_and_nothing_is_counted_twice(tmp_path):
    own, store = OwnSpool(str(tmp_path)), sqlite.open_store(str(tmp_path / "db"))
    own.append(record(1))
    drain(str(tmp_path), store, wait=True)
    seen = kept(store)
    own.append(record(2))
    own.drain(store)
    counted, ids = dict(store.counters("s")), kept(store)
    store.close()

    assert seen == ["r1"]
    assert ids == ["r1", "r2"]
    assert counted == {"calls": 2}


def test_what_a_dead_one_held_is_moved_by_the_next(tmp_path):
    child = os.fork()
    if child == 0:
        OwnSpool(str(tmp_path)).append(record(1))
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    store = memory.open_store()

    assert drain(str(tmp_path), store) == 1
    assert kept(store) == ["r1"]
    assert owned(str(tmp_path)) == []


texts = st.text(st.characters(), max_size=8)  # with halves of pairs, which no file in UTF-8 can hold
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@example("\ud800", [{"a": float("inf"), "b": 1 << 70, "c": None}])
@given(texts, st.lists(st.dictionaries(texts, values, max_size=3), max_size=3))
def test_whatever_a_record_holds_survives_its_owner(tmp_path_factory, text, trail):
    folder = str(tmp_path_factory.mktemp("spool"))
    own, store, told = OwnSpool(folder), memory.open_store(), frozen(trail)
    own.append(record(1, summary=text, rules=(text,), trail=told))
    drain(folder, store, wait=True)  # as whoever comes after a death, it reads the file

    assert [(one.summary, one.rules, one.trail) for _, one in store.records(Query())] == [
        (text, (text,), told)
    ]


def test_what_a_store_did_not_take_is_moved_when_it_does(tmp_path):
    own, closed = OwnSpool(str(tmp_path)), sqlite.open_store(str(tmp_path / "db"))
    closed.close()
    own.append(record(1))
    with pytest.raises(OSError, match="cannot be used"):
        own.drain(closed)
    own.append(record(2))
    store = memory.open_store()

    assert own.drain(store) == 2
    assert sorted(kept(store)) == ["r1", "r2"]


def test_a_spool_that_somebody_removed_is_written_anew_with_all_that_it_held(tmp_path):
    folder = str(tmp_path / "spool")
    own = OwnSpool(folder)
    own.append(record(1))
    shutil.rmtree(folder)
    own.append(record(2))
    store = memory.open_store()

    drain(folder, store, wait=True)

    assert kept(store) == ["r1", "r2"]


def test_what_others_left_in_the_folder_comes_along(tmp_path):
    append(str(tmp_path), record(1))
    own, store = OwnSpool(str(tmp_path)), memory.open_store()

    assert own.drain(store) == 1
    assert kept(store) == ["r1"]


def test_a_full_disk_is_an_os_error_and_harms_no_other_record(tmp_path):
    own, store = OwnSpool(str(tmp_path)), memory.open_store()
    own.append(record(1))
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limit[1]))
    try:
        with pytest.raises(OSError, match="did not fit"):
            own.append(record(2, summary="x" * 5000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, before)
    own.append(record(3))
    own.drain(store)

    assert kept(store) == ["r1", "r3"]


def test_who_drains_has_also_what_another_was_about_to_move(tmp_path):
    """Else whoever reads the store afterwards would miss it."""
    own, begun, go_on = OwnSpool(str(tmp_path / "spool")), threading.Event(), threading.Event()

    class Slow(memory.MemoryStore):
        def record(self, records):
            begun.set()
            go_on.wait(5)
            super().record(records)

    store = Slow()
    own.append(record(1))
    mover = threading.Thread(target=own.drain, args=(store,))
    mover.start()
    begun.wait(5)
    threading.Timer(0.1, go_on.set).start()
    own.drain(store)
    there = kept(store)
    mover.join()

    assert there == ["r1"]


def test_an_answer_does_not_wait_again_for_a_store_that_failed(tmp_path):
    own, store = OwnSpool(str(tmp_path / "spool")), memory.open_store()

    class Locked(memory.MemoryStore):
        def record(self, records):
            raise OSError("locked")

    own.append(record(1))
    with pytest.raises(OSError, match="locked"):
        own.bring(Locked())
    own.append(record(2))
    own.bring(Locked())
    own.drain(store)
    own.append(record(3))
    own.bring(store)

    assert sorted(kept(store)) == ["r1", "r2", "r3"]


def test_it_goes_by_pieces_each_in_a_turn_and_in_order(tmp_path):
    own, store, turns = OwnSpool(str(tmp_path / "spool")), memory.open_store(), []

    @contextmanager
    def turn():
        turns.append(len(kept(store)))
        yield

    for number in range(PIECE * 2 + 1):
        own.append(record(number))

    assert own.drain(store, turn) == PIECE * 2 + 1
    assert turns[:3] == [0, PIECE, PIECE * 2]
    assert kept(store) == [f"r{number}" for number in range(PIECE * 2 + 1)]
    assert owned(own.folder) == []


def test_who_needs_all_at_once_does_not_wait_for_the_turns_of_another(tmp_path):
    """An answer has the turn that whoever drains beside it waits for."""
    own, store = OwnSpool(str(tmp_path / "spool")), memory.open_store()
    busy, seen = threading.Lock(), list[list[str]]()
    first, go_on = threading.Event(), threading.Event()

    @contextmanager
    def turn():
        with busy:
            yield
        first.set()
        go_on.wait(5)

    for number in range(PIECE * 3):
        own.append(record(number))
    mover = threading.Thread(target=own.drain, args=(store, turn))
    mover.start()
    first.wait(5)
    with busy:
        own.bring(store)
        seen.append(kept(store))
        go_on.set()
    mover.join()

    assert seen == [[f"r{number}" for number in range(PIECE * 3)]]
    assert kept(store) == seen[0]
    assert dict(store.counters("s")) == {"calls": PIECE * 3}


def test_a_store_that_fails_at_a_later_piece_is_brought_the_rest_by_the_next(tmp_path):
    own, store = OwnSpool(str(tmp_path / "spool")), memory.open_store()

    class Full(memory.MemoryStore):
        def record(self, records):
            if kept(self):
                raise OSError("full")
            super().record(records)
            store.record(records)

    for number in range(PIECE * 2):
        own.append(record(number))
    with pytest.raises(OSError, match="full"):
        own.drain(Full())
    own.drain(store)

    assert sorted(kept(store)) == sorted(f"r{number}" for number in range(PIECE * 2))
    assert dict(store.counters("s")) == {"calls": PIECE * 2}
    assert owned(own.folder) == []
