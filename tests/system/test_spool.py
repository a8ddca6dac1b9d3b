"""The spool loses nothing, whoever is killed whenever."""

import fcntl
import json
import os
import random
import resource
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path

import pytest

from hookline.store import Query, Record
from hookline.stores import memory, sqlite
from hookline.system.spool import append, drain, problem, record_from_json, record_to_json

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


def full(**fields) -> Record:
    return record(
        7,
        cwd="/w",
        tool="shell",
        summary="line\nbreak \x00 \udce9 🧵",
        action="block",
        rules=("a", "b"),
        reason="why",
        warnings=("w",),
        trail=({"hook": "x", "deep": {"l": (1, None)}},),
        ms=0.25,
        **fields,
    )


def kept(store) -> list[Record]:
    return [found for _, found in store.records(Query())]


def test_a_record_survives_json():
    line = record_to_json(full())

    assert "\n" not in line
    assert record_from_json(line) == full()


def test_fields_of_a_newer_version_are_left_out():
    line = json.dumps(json.loads(record_to_json(record())) | {"mood": "good"})

    assert record_from_json(line) == record()


@pytest.mark.parametrize(
    "line",
    [
        "",
        "{",
        "[]",
        "1",
        "null",
        '{"id": "r1"}',
        "[" * 100_000,
        json.dumps(json.loads(record_to_json(record())) | {"id": 5}),
        json.dumps(json.loads(record_to_json(record())) | {"at": "now"}),
        json.dumps(json.loads(record_to_json(record())) | {"at": True}),
        json.dumps(json.loads(record_to_json(record())) | {"rules": "abc"}),
        json.dumps(json.loads(record_to_json(record())) | {"rules": [1]}),
        json.dumps(json.loads(record_to_json(record())) | {"trail": ["x"]}),
        json.dumps(json.loads(record_to_json(record())) | {"counts": {"a": "1"}}),
    ],
)
def test_what_is_no_record_is_a_value_error(line):
    with pytest.raises(ValueError, match=r"\w"):
        record_from_json(line)


def test_appended_records_are_drained_in_order_and_once(tmp_path):
    store = memory.open_store()
    records = [record(number) for number in range(5)]
    for one in records:
        append(str(tmp_path), one)

    assert drain(str(tmp_path), store) == 5
    assert drain(str(tmp_path), store) == 0
    assert kept(store) == records
    assert problem(str(tmp_path)) == ""


def test_folder_and_file_are_for_the_user_only(tmp_path):
    folder = tmp_path / "new" / "spool"
    append(str(folder), record())

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "spool.jsonl").stat().st_mode) == 0o600


def test_a_folder_that_is_missing_is_an_empty_spool(tmp_path):
    assert drain(str(tmp_path / "missing"), memory.open_store()) == 0
    assert problem(str(tmp_path / "missing")) == ""
    assert not (tmp_path / "missing").exists()


def test_a_record_may_be_of_any_size(tmp_path):
    store = memory.open_store()
    large = record(1, summary="x" * 9_000_000)
    append(str(tmp_path), large)
    append(str(tmp_path), record(2))
    drain(str(tmp_path), store)

    assert kept(store) == [large, record(2)]


def test_a_torn_line_harms_no_other_and_is_kept_aside_aloud(tmp_path):
    store, spool = memory.open_store(), tmp_path / "spool.jsonl"
    append(str(tmp_path), record(1))
    torn = ("\n" + record_to_json(record(2))).encode()[:-9]
    spool.write_bytes(spool.read_bytes() + torn)
    append(str(tmp_path), record(3))
    spool.write_bytes(spool.read_bytes() + b'\n{"id": \xff\xfe')

    assert drain(str(tmp_path), store) == 2
    assert kept(store) == [record(1), record(3)]
    assert torn.strip() in (tmp_path / "spool.torn").read_bytes()
    assert "spool.torn" in problem(str(tmp_path))


def test_what_a_killed_drainer_had_taken_is_replayed_first(tmp_path):
    store = memory.open_store()
    append(str(tmp_path), record(1))
    (tmp_path / "spool.jsonl").rename(tmp_path / "spool.taken")
    append(str(tmp_path), record(2))

    assert drain(str(tmp_path), store) == 2
    assert kept(store) == [record(1), record(2)]


def test_replaying_again_counts_nothing_twice(tmp_path):
    store = sqlite.open_store(str(tmp_path / "db"))
    for _ in range(2):
        append(str(tmp_path), record(1))
        drain(str(tmp_path), store)
    counted = dict(store.counters("s"))
    store.close()

    assert counted == {"calls": 1}


def test_nothing_is_deleted_before_the_store_has_it(tmp_path):
    store = sqlite.open_store(str(tmp_path / "db"))
    append(str(tmp_path), record(1))
    store.close()
    with pytest.raises(OSError, match="cannot be used"):
        drain(str(tmp_path), store)
    again = memory.open_store()
    drain(str(tmp_path), again)

    assert kept(again) == [record(1)]


def test_one_drains_at_a_time(tmp_path):
    append(str(tmp_path), record(1))
    other = run("hold", tmp_path, stdout=subprocess.PIPE, stdin=subprocess.PIPE)
    other.stdout.readline()
    store = memory.open_store()

    assert drain(str(tmp_path), store) == 0
    other.communicate(b"\n")
    assert drain(str(tmp_path), store, wait=True) == 1


def test_an_appender_that_opened_the_file_before_it_was_taken_writes_into_the_next(tmp_path):
    append(str(tmp_path), record(1))
    with held(tmp_path / "spool.jsonl", fcntl.LOCK_EX) as file, ThreadPoolExecutor() as pool:
        late = pool.submit(append, str(tmp_path), record(2))
        assert not done(late)
        (tmp_path / "spool.jsonl").rename(tmp_path / "elsewhere")
        fcntl.flock(file, fcntl.LOCK_UN)
        late.result()

    assert record_to_json(record(2)) in (tmp_path / "spool.jsonl").read_text()
    assert record_to_json(record(2)) not in (tmp_path / "elsewhere").read_text()


def test_a_drainer_waits_for_whoever_is_in_the_middle_of_writing(tmp_path):
    store = memory.open_store()
    append(str(tmp_path), record(1))
    with held(tmp_path / "spool.jsonl", fcntl.LOCK_SH) as file, ThreadPoolExecutor() as pool:
        draining = pool.submit(drain, str(tmp_path), store)
        assert not done(draining)
        os.write(file, record_to_json(record(2)).encode() + b"\n")
        fcntl.flock(file, fcntl.LOCK_UN)

        assert draining.result() == 2
    assert kept(store) == [record(1), record(2)]


@contextmanager
def held(path: Path, how: int) -> Iterator[int]:
    file = os.open(path, os.O_WRONLY | os.O_APPEND)
    fcntl.flock(file, how)
    yield file
    os.close(file)


def done(future: Future) -> bool:
    return bool(wait([future], timeout=0.1).done)


def test_a_full_disk_is_an_os_error_and_harms_no_other_record(tmp_path):
    append(str(tmp_path), record(1))
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limit[1]))
    try:
        with pytest.raises(OSError, match="did not fit"):
            append(str(tmp_path), record(2, summary="x" * 5000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, before)
    append(str(tmp_path), record(3))
    store = memory.open_store()
    drain(str(tmp_path), store)

    assert kept(store) == [record(1), record(3)]
    assert problem(str(tmp_path)) != ""


def test_a_folder_that_cannot_be_is_an_os_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError):
        append(str(tmp_path / "file" / "spool"), record())


@pytest.mark.parametrize("part", ["answer", "stay"])
def test_kill_9_at_any_moment_loses_no_answered_decision(tmp_path, part):
    answered: list[str] = []
    for number in range(500 if LONG else 12):
        answered += killed_at_random(part, number, tmp_path)
    store = sqlite.open_store(str(tmp_path / "db"))
    drain(str(tmp_path), store, wait=True)
    ids, counted = [one.id for one in kept(store)], dict(store.counters("s"))
    store.close()

    assert len(answered) > 50
    assert set(answered) <= set(ids)
    assert len(ids) == len(set(ids))
    assert counted == {"calls": len(ids)}


def killed_at_random(part: str, number: int, folder: Path) -> list[str]:
    answering = run(part, folder, f"k{number}-", stdout=subprocess.PIPE)
    draining = run("drain", folder)
    answering.stdout.read(1)  # it has begun
    time.sleep(random.uniform(0, 0.06))
    for process in random.sample([answering, draining], 2):
        process.kill()
        process.wait()
    said = answering.stdout.read().decode().split("\n")
    answering.stdout.close()
    return said[:-1]  # behind the last line break is what was not said to the end


def test_a_storm_of_processes_is_recorded_once_each(tmp_path):
    processes, each = (32, 1000) if LONG else (8, 150)
    storm = [run("storm", tmp_path, f"p{number}-", str(each)) for number in range(processes)]
    assert [process.wait() for process in storm] == [0] * processes
    store = sqlite.open_store(str(tmp_path / "db"))
    drain(str(tmp_path), store, wait=True)
    ids, counted = [one.id for one in kept(store)], dict(store.counters("s"))
    store.close()

    assert sorted(ids) == sorted(f"p{number}-{i}" for number in range(processes) for i in range(each))
    assert counted == {"calls": processes * each}
    assert problem(str(tmp_path)) == ""


def run(part: str, folder: Path, *arguments: str, **pipes) -> subprocess.Popen:
    command = [sys.executable, "-c", ACTORS, part, str(folder), *arguments]
    return subprocess.Popen(command, env={"PYTHONPATH": SRC}, **pipes)


ACTORS = """
import itertools, sys, threading, time
from hookline.store import Record
from hookline.stores.memory import open_store as memory
from hookline.stores.sqlite import open_store
from hookline.system import spool
from hookline.system.ownspool import OwnSpool

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
    own = OwnSpool(folder)
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
        spool.drain(folder, store, wait=True)
        time.sleep(0.001)

def storm(prefix, each):
    store = open_store(folder + "/db")
    for number in range(int(each)):
        spool.append(folder, record(f"{prefix}{number}"))
        if number % 10 == 0:
            spool.drain(folder, store)
    spool.drain(folder, store, wait=True)
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
