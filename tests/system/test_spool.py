"""Test that the spool loses no record and stores none twice when processes are killed."""

import json
import os
import random
import resource
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookline.core.frozen import freeze
from hookline.core.store import Query, Record
from hookline.stores import memory, sqlite
from hookline.system.spool import PIECE_RECORDS, Spool, append, drain, from_json, problem, to_json
from hookline.system.spool_files import paths

SRC = str(Path(__file__).parents[2] / "src")
LONG = os.environ.get("HOOKLINE_LONG") == "1"


def record(number: int = 0, **fields) -> Record:
    values = {
        "id": f"r{number}",
        "at": 1.5,
        "session": "s",
        "host": "h",
        "event": "Stop",
        "counts": {"calls": 1},
    }
    return Record(**(values | fields))


def kept(store) -> list[str]:
    return [found.id for _, found in store.records(Query())]


def full() -> Record:
    return record(
        7,
        cwd="/w",
        tool="shell",
        summary="line\nbreak \x00 🧵",
        action="block",
        rules=("a", "b"),
        reason="why",
        warnings=("w",),
        trail=({"hook": "x", "deep": {"l": (1, None, 1 << 70)}},),
        ms=0.25,
    )


def changed(**fields) -> bytes:
    return json.dumps(json.loads(to_json(record())) | fields).encode()


def test_a_record_survives_json():
    line = to_json(full())

    assert line.find(b"\n") == len(line) - 1
    assert from_json(line) == full()


def test_fields_of_a_newer_version_are_left_out():
    assert from_json(changed(mood="good")) == record()


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"[]",
        b"1",
        b"null",
        b'{"id": "r1"}',
        b'{"id": "\xff"}',
        b"[" * 100_000,
        changed(id=5),
        changed(at="now"),
        changed(at=True),
        changed(rules="abc"),
        changed(rules=[1]),
        changed(trail=["x"]),
        changed(counts={"a": "1"}),
    ],
)
def test_a_line_that_is_not_a_record_is_a_value_error(line):
    with pytest.raises(ValueError, match=r"\w"):
        from_json(line)


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False, width=32)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(texts, st.lists(st.dictionaries(texts, values, max_size=3), max_size=3))
def test_any_record_survives_its_process(text, trail):
    one = record(1, summary=text, rules=(text,), trail=freeze(trail))

    assert from_json(to_json(one)) == one


@pytest.mark.parametrize(
    ("odd", "stored"), [("a\ud800b", "a�b"), (float("inf"), None), (float("-inf"), None)]
)
@pytest.mark.parametrize("other", [True, False])
def test_a_value_that_json_cannot_hold_is_replaced_whoever_stores_it(tmp_path, odd, stored, other):
    own, store = Spool(str(tmp_path)), memory.open_store()
    own.append(record(1, trail=({"value": odd},)))
    drain(own.folder, store) if other else own.drain(store)

    assert [one.trail for _, one in store.records(Query())] == [({"value": stored},)]


def test_appended_records_are_stored_in_order_once_and_leave_no_file(tmp_path):
    own, store = Spool(str(tmp_path / "spool")), memory.open_store()
    for number in range(5):
        own.append(record(number))

    assert own.drain(store) == 5
    assert own.drain(store) == 0
    assert kept(store) == [f"r{number}" for number in range(5)]
    assert paths(own.folder) == []
    assert problem(own.folder) == ""


def test_records_of_processes_that_end_at_once_are_stored_in_order(tmp_path):
    store = memory.open_store()
    for number in range(5):
        append(str(tmp_path), record(number))

    assert drain(str(tmp_path), store) == 5
    assert drain(str(tmp_path), store) == 0
    assert kept(store) == [f"r{number}" for number in range(5)]


def test_folder_and_file_are_for_the_user_only(tmp_path):
    folder = tmp_path / "new" / "spool"
    Spool(str(folder)).append(record())

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()] == [0o600]


def test_a_folder_that_is_missing_is_an_empty_spool(tmp_path):
    assert drain(str(tmp_path / "missing"), memory.open_store()) == 0
    assert problem(str(tmp_path / "missing")) == ""
    assert not (tmp_path / "missing").exists()


def test_a_record_may_be_of_any_size(tmp_path):
    store = memory.open_store()
    for number in range(2):
        append(str(tmp_path), record(number, summary="x" * 9_000_000 * number))
    drain(str(tmp_path), store)

    assert [len(one.summary) for _, one in store.records(Query())] == [0, 9_000_000]


def test_a_torn_line_is_set_aside_and_reported_and_harms_no_other(tmp_path):
    store = memory.open_store()
    append(str(tmp_path), record(1))
    [spool] = map(Path, paths(str(tmp_path)))
    torn = to_json(record(2))[:-9]
    spool.write_bytes(spool.read_bytes() + torn)
    append(str(tmp_path), record(3))
    spool.write_bytes(spool.read_bytes() + b'{"id": \xff\xfe')

    assert drain(str(tmp_path), store) == 2
    assert kept(store) == ["r1", "r3"]
    assert (tmp_path / "spool.torn").read_bytes() == torn + b'\n{"id": \xff\xfe\n'
    assert "spool.torn" in problem(str(tmp_path))


def test_a_line_that_a_living_process_is_writing_is_neither_stored_nor_set_aside(tmp_path):
    own, store = Spool(str(tmp_path)), memory.open_store()
    own.append(record(1))
    with open(paths(own.folder)[0], "ab") as file:
        file.write(b'{"id": "r2"')

    assert drain(own.folder, store) == 1
    assert problem(own.folder) == ""


def test_links_are_not_followed(tmp_path):
    folder = tmp_path / "spool"
    append(str(folder), record(1))
    (folder / "0.jsonl").symlink_to(tmp_path / "other")
    (tmp_path / "other").write_bytes(to_json(record(2)) + b"{")
    (folder / "spool.torn").symlink_to(tmp_path / "elsewhere")
    store = memory.open_store()
    append(str(folder), record(3))
    drain(str(folder), store)

    assert kept(store) == ["r1", "r3"]
    assert (tmp_path / "other").read_bytes() == to_json(record(2)) + b"{"
    assert not (tmp_path / "elsewhere").exists()


def test_nothing_is_removed_before_the_store_has_it(tmp_path):
    store = sqlite.open_store(str(tmp_path / "db"))
    append(str(tmp_path), record(1))
    store.close()
    with pytest.raises(OSError, match="cannot be used"):
        drain(str(tmp_path), store)
    again = memory.open_store()
    drain(str(tmp_path), again)

    assert kept(again) == ["r1"]


def test_two_drain_at_once(tmp_path):
    for number in range(2):
        append(str(tmp_path / "a"), record(number))
    store, begun, go_on = memory.open_store(), threading.Event(), threading.Event()

    class Slow(memory.MemoryStore):
        def record(self, records):
            begun.set()
            go_on.wait(5)
            store.record(records)

    first = threading.Thread(target=drain, args=(str(tmp_path / "a"), Slow()))
    first.start()
    begun.wait(5)

    assert Spool(str(tmp_path / "a")).drain(store) == 0
    assert drain(str(tmp_path / "a"), store) == 2
    go_on.set()
    first.join()
    assert dict(store.counters("s")) == {"calls": 2}
    assert paths(str(tmp_path / "a")) == []


def test_a_drainer_that_is_killed_leaves_the_file_to_the_next(tmp_path):
    append(str(tmp_path), record(1))
    other = run("hold", tmp_path, stdout=subprocess.PIPE, stdin=subprocess.PIPE)
    other.stdout.readline()
    store = memory.open_store()

    assert Spool(str(tmp_path)).drain(store) == 0
    other.kill()
    other.communicate()
    assert Spool(str(tmp_path)).drain(store) == 1


def test_a_file_of_a_living_process_is_left_in_place(tmp_path):
    own, store = Spool(str(tmp_path)), memory.open_store()
    own.append(record(1))

    assert Spool(str(tmp_path)).drain(store) == 0
    assert len(paths(str(tmp_path))) == 1


def test_records_of_a_living_process_can_be_read_and_are_not_counted_twice(tmp_path):
    own, store = Spool(str(tmp_path)), sqlite.open_store(str(tmp_path / "db"))
    own.append(record(1))
    drain(str(tmp_path), store)
    seen = kept(store)
    own.append(record(2))
    own.drain(store)
    counted, ids = dict(store.counters("s")), kept(store)
    store.close()

    assert seen == ["r1"]
    assert ids == ["r1", "r2"]
    assert counted == {"calls": 2}


def test_records_of_a_dead_process_are_stored_by_the_next(tmp_path):
    child = os.fork()
    if child == 0:
        Spool(str(tmp_path)).append(record(1))
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    own, store = Spool(str(tmp_path)), memory.open_store()

    assert own.drain(store) == 1
    assert kept(store) == ["r1"]
    assert paths(str(tmp_path)) == []


def test_what_a_store_did_not_take_is_moved_when_it_does(tmp_path):
    own, closed = Spool(str(tmp_path)), sqlite.open_store(str(tmp_path / "db"))
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
    own = Spool(folder)
    own.append(record(1))
    shutil.rmtree(folder)
    own.append(record(2))
    store = memory.open_store()

    drain(folder, store)

    assert kept(store) == ["r1", "r2"]


@contextmanager
def disk_full():
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limit[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, before)


@pytest.mark.parametrize("size", [1, 5000])
def test_a_full_disk_is_an_os_error_that_names_the_file_and_harms_no_other_record(tmp_path, size):
    own, store = Spool(str(tmp_path)), memory.open_store()
    own.append(record(1, summary="x" * (1000 - len(to_json(record(1))))))
    with disk_full(), pytest.raises(OSError, match="jsonl"):
        own.append(record(2, summary="x" * size))
    own.append(record(3))
    drain(str(tmp_path), store)

    assert kept(store) == ["r1", "r3"]
    assert problem(str(tmp_path)) == ""


def test_a_record_that_fits_only_in_part_is_taken_back(tmp_path):
    append(str(tmp_path), record(1))
    with disk_full(), pytest.raises(OSError, match="did not fit"):
        append(str(tmp_path), record(2, summary="x" * 5000))
    append(str(tmp_path), record(3))
    store = memory.open_store()
    drain(str(tmp_path), store)

    assert kept(store) == ["r1", "r3"]
    assert problem(str(tmp_path)) == ""


def test_a_folder_that_cannot_be_is_an_os_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError):
        append(str(tmp_path / "file" / "spool"), record())


def test_who_drains_has_also_what_another_was_about_to_move(tmp_path):
    """Check that a drain includes records that another process is moving, so that a reader finds them."""
    own, begun, go_on = Spool(str(tmp_path / "spool")), threading.Event(), threading.Event()

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
    own, store = Spool(str(tmp_path / "spool")), memory.open_store()

    class Locked(memory.MemoryStore):
        def record(self, records):
            raise OSError("locked")

    own.append(record(1))
    with pytest.raises(OSError, match="locked"):
        own.drain_for_reply(Locked())
    own.append(record(2))
    own.drain_for_reply(Locked())
    own.drain(store)
    own.append(record(3))
    own.drain_for_reply(store)

    assert sorted(kept(store)) == ["r1", "r2", "r3"]


def test_it_goes_by_pieces_each_in_a_turn_and_in_order(tmp_path):
    own, store, turns = Spool(str(tmp_path / "spool")), memory.open_store(), []

    @contextmanager
    def turn():
        turns.append(len(kept(store)))
        yield

    for number in range(PIECE_RECORDS * 2 + 1):
        own.append(record(number))

    assert own.drain(store, turn) == PIECE_RECORDS * 2 + 1
    assert turns[:3] == [0, PIECE_RECORDS, PIECE_RECORDS * 2]
    assert kept(store) == [f"r{number}" for number in range(PIECE_RECORDS * 2 + 1)]
    assert paths(own.folder) == []


def test_who_needs_all_at_once_does_not_wait_for_the_turns_of_another(tmp_path):
    """Check that a drain for a reply does not deadlock with a drain that waits for the same turn."""
    own, store = Spool(str(tmp_path / "spool")), memory.open_store()
    busy, seen = threading.Lock(), list[list[str]]()
    first, go_on = threading.Event(), threading.Event()

    @contextmanager
    def turn():
        with busy:
            yield
        first.set()
        go_on.wait(5)

    for number in range(PIECE_RECORDS * 3):
        own.append(record(number))
    mover = threading.Thread(target=own.drain, args=(store, turn))
    mover.start()
    first.wait(5)
    with busy:
        own.drain_for_reply(store)
        seen.append(kept(store))
        go_on.set()
    mover.join()

    assert seen == [[f"r{number}" for number in range(PIECE_RECORDS * 3)]]
    assert kept(store) == seen[0]
    assert dict(store.counters("s")) == {"calls": PIECE_RECORDS * 3}


def test_a_store_that_fails_at_a_later_piece_is_brought_the_rest_by_the_next(tmp_path):
    own, store = Spool(str(tmp_path / "spool")), memory.open_store()

    class Full(memory.MemoryStore):
        def record(self, records):
            if kept(self):
                raise OSError("full")
            super().record(records)
            store.record(records)

    for number in range(PIECE_RECORDS * 2):
        own.append(record(number))
    with pytest.raises(OSError, match="full"):
        own.drain(Full())
    own.drain(store)

    assert sorted(kept(store)) == sorted(f"r{number}" for number in range(PIECE_RECORDS * 2))
    assert dict(store.counters("s")) == {"calls": PIECE_RECORDS * 2}
    assert paths(own.folder) == []


@pytest.mark.slow
@pytest.mark.parametrize("part", ["answer", "stay"])
def test_kill_9_at_any_moment_loses_no_answered_decision(tmp_path, part):
    answered: list[str] = []
    for number in range(500 if LONG else 12):
        answered += killed_at_random(part, number, tmp_path)
    store = sqlite.open_store(str(tmp_path / "db"))
    drain(str(tmp_path), store)
    ids, counted = kept(store), dict(store.counters("s"))
    store.close()

    assert len(answered) > 50
    assert set(answered) <= set(ids)
    assert len(ids) == len(set(ids))
    assert counted == {"calls": len(ids)}


def killed_at_random(part: str, number: int, folder: Path) -> list[str]:
    answering = run(part, folder, f"k{number}-", stdout=subprocess.PIPE)
    draining = run("drain", folder)
    answering.stdout.read(1)  # wait until it has started
    time.sleep(random.uniform(0, 0.06))
    for process in random.sample([answering, draining], 2):
        process.kill()
        process.wait()
    said = answering.stdout.read().decode().split("\n")
    answering.stdout.close()
    return said[:-1]  # the text after the last line break is an incomplete line


def test_a_storm_of_processes_is_recorded_once_each(tmp_path):
    processes, each = (32, 1000) if LONG else (8, 150)
    storm = [run("storm", tmp_path, f"p{number}-", str(each)) for number in range(processes)]
    assert [process.wait() for process in storm] == [0] * processes
    store = sqlite.open_store(str(tmp_path / "db"))
    drain(str(tmp_path), store)
    ids, counted = kept(store), dict(store.counters("s"))
    store.close()

    assert sorted(ids) == sorted(f"p{number}-{i}" for number in range(processes) for i in range(each))
    assert counted == {"calls": processes * each}
    assert problem(str(tmp_path)) == ""


def run(part: str, folder: Path, *arguments: str, **pipes) -> subprocess.Popen:
    command = [sys.executable, "-c", ACTORS, part, str(folder), *arguments]
    return subprocess.Popen(command, env={"PYTHONPATH": SRC}, **pipes)


ACTORS = """
import itertools, sys, threading, time
from hookline.core.store import Record
from hookline.stores.memory import open_store as memory
from hookline.stores.sqlite import open_store
from hookline.system import spool

part, folder, *rest = sys.argv[1:]

def record(id):
    # Some span several pages, so that a kill in the middle of writing one is seen.
    summary = "x" * (20_000 if id.endswith("7") else 20)
    return Record(id=id, at=1.0, session="s", host="h", event="Stop", summary=summary, counts={"calls": 1})

def answer(prefix):
    print(flush=True)
    for number in itertools.count():
        spool.append(folder, record(f"{prefix}{number}"))
        print(f"{prefix}{number}", flush=True)

def stay(prefix):
    own = spool.Spool(folder)
    threading.Thread(target=moving, args=(own,), daemon=True).start()
    print(flush=True)
    for number in itertools.count():
        own.append(record(f"{prefix}{number}"))
        print(f"{prefix}{number}", flush=True)

def moving(own):
    store = open_store(folder + "/db")
    while True:
        own.drain(store)
        time.sleep(0.001)

def drain():
    store = open_store(folder + "/db")
    while True:
        spool.drain(folder, store)
        time.sleep(0.001)

def storm(prefix, each):
    store = open_store(folder + "/db")
    for number in range(int(each)):
        spool.append(folder, record(f"{prefix}{number}"))
        if number % 10 == 0:
            spool.drain(folder, store)
    spool.drain(folder, store)
    store.close()

class Slow:
    def record(self, records):
        print("draining", flush=True)
        sys.stdin.readline()
        raise SystemExit

def hold():
    spool.drain(folder, Slow())

globals()[part](*rest)
"""
