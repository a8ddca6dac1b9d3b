"""Test the sqlite store's own behaviour: its file, its versions, and corrupt files."""

import fcntl
import os
import sqlite3
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from pathlib import Path

import pytest

from hookline.core.store import Query, Record
from hookline.stores import _migrations
from hookline.stores import _sql as sql
from hookline.stores.sqlite import open_store

SRC = str(Path(__file__).parents[2] / "src")
LONG = os.environ.get("HOOKLINE_LONG") == "1"


def record(number: int = 0, **fields) -> Record:
    return Record(id=f"r{number}", at=1.0, session="s", host="h", event="Stop", **fields)


def kept(path: Path) -> list[Record]:
    store = open_store(str(path))
    try:
        return [found for _, found in store.records(Query())]
    finally:
        store.close()


def test_folder_and_files_are_for_the_user_only(tmp_path):
    path = tmp_path / "deep" / "hookline.db"
    store = open_store(str(path))
    store.count("s", "n")
    modes = {name.name: stat.S_IMODE(name.stat().st_mode) for name in path.parent.iterdir()}
    store.close()

    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert set(modes.values()) == {0o600}
    assert "hookline.db" in modes


def test_everything_is_there_after_opening_again(tmp_path):
    path = str(tmp_path / "db")
    first = open_store(path)
    first.begin_session("s", host="h", cwd="/", at=1.0)
    first.record([record(1, counts={"calls": 2})])
    first.set_notes("s", {"k": [1]})
    first.hold_context("s", ["later"])
    first.close()
    store = open_store(path)

    assert store.begin_session("s", host="h", cwd="/", at=2.0) is False
    assert dict(store.counters("s")) == {"calls": 2}
    assert dict(store.notes("s")) == {"k": (1,)}
    assert store.take_held_context("s") == ("later",)
    assert store.problem == ""
    store.close()
    assert kept(tmp_path / "db") == [record(1, counts={"calls": 2})]


@pytest.mark.parametrize("name", ["a b", "what?mode=ro", "100%25", "#1", "käse"])
def test_any_file_name_is_a_place(name, tmp_path):
    store = open_store(str(tmp_path / name))
    store.count("s", "n")
    store.close()

    assert (tmp_path / name).stat().st_size > 0


def test_it_writes_ahead(tmp_path):
    open_store(str(tmp_path / "db")).close()
    db = sqlite3.connect(tmp_path / "db")
    mode, version = db.execute("PRAGMA journal_mode").fetchone(), db.execute("PRAGMA user_version").fetchone()
    db.close()

    assert (mode, version) == (("wal",), (_migrations.LATEST_VERSION,))


def test_many_processes_may_open_it_first(tmp_path):
    code = (
        "import sys; from hookline.stores.sqlite import open_store\n"
        "store = open_store(sys.argv[1]); store.count('s', 'n'); assert store.problem == ''; store.close()"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "new" / "db")]
    processes = [subprocess.Popen(command, env={"PYTHONPATH": SRC}) for _ in range(32 if LONG else 8)]
    ended = [process.wait() for process in processes]
    store = open_store(str(tmp_path / "new" / "db"))
    counted = dict(store.counters("s"))
    store.close()

    assert ended == [0] * len(processes)
    assert counted == {"n": len(processes)}


def test_whoever_comes_first_prepares_it_alone(tmp_path):
    lock = os.open(tmp_path / "db.lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(lock, fcntl.LOCK_EX)
    with ThreadPoolExecutor() as pool:
        opening = pool.submit(open_store, str(tmp_path / "db"))
        waited = not wait([opening], timeout=0.1).done and not (tmp_path / "db").exists()
        os.close(lock)
        opening.result().close()

    assert waited


def test_an_empty_file_becomes_a_store(tmp_path):
    (tmp_path / "db").write_bytes(b"")

    assert kept(tmp_path / "db") == []


def test_a_newer_version_is_refused_and_left_as_it_is(tmp_path):
    open_store(str(tmp_path / "db")).close()
    db = sqlite3.connect(tmp_path / "db")
    db.execute(f"PRAGMA user_version = {_migrations.LATEST_VERSION + 1}")
    db.close()
    before = (tmp_path / "db").read_bytes()

    with pytest.raises(OSError, match=f"has version {_migrations.LATEST_VERSION + 1}.*upgrade hookline"):
        open_store(str(tmp_path / "db"))
    assert (tmp_path / "db").read_bytes() == before


def test_an_open_store_that_a_newer_release_migrates_is_not_written_to(tmp_path):
    store = open_store(str(tmp_path / "db"))
    store.count("s", "before")
    with closing(sqlite3.connect(tmp_path / "db")) as db:
        db.execute(f"PRAGMA user_version = {_migrations.LATEST_VERSION + 1}")

    with pytest.raises(OSError, match=f"has version {_migrations.LATEST_VERSION + 1}.*upgrade hookline"):
        store.count("s", "after")
    assert dict(store.counters("s")) == {"before": 1}
    store.close()


def test_a_step_that_fails_leaves_the_version_before_it(tmp_path, monkeypatch):
    path = str(tmp_path / "db")
    open_store(path).close()
    steps = (*_migrations.STEPS, ("CREATE TABLE later (a TEXT)", "CREATE NONSENSE"))
    db = sqlite3.connect(path, isolation_level=None)
    monkeypatch.setattr(_migrations, "STEPS", steps)
    monkeypatch.setattr(_migrations, "LATEST_VERSION", len(steps))
    with pytest.raises(sqlite3.OperationalError):
        _migrations.migrate(db)
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_schema")}
    version = _migrations.read_version(db)
    db.close()

    assert version == len(steps) - 1
    assert "later" not in tables


def test_what_is_no_database_is_set_aside_aloud(tmp_path):
    junk = b"this is a letter to my aunt, not a database\n" * 100
    for number in (1, 2):
        (tmp_path / "db").write_bytes(junk)
        store = open_store(str(tmp_path / "db"))
        problem = store.problem
        store.count("s", "n")
        store.close()

        assert f"db.corrupt-{number}" in problem
        assert (tmp_path / f"db.corrupt-{number}").read_bytes() == junk


def test_a_database_that_breaks_in_the_middle_of_work_is_set_aside_aloud(tmp_path):
    path = tmp_path / "db"
    first = open_store(str(path))
    first.record([record(number, summary="x" * 2000) for number in range(50)])
    first.close()
    data = bytearray(path.read_bytes())
    data[4096:] = os.urandom(len(data) - 4096)  # the first page, with header and schema, stays intact
    path.write_bytes(data)
    store = open_store(str(path))
    store.record([record(77)])
    problem = store.problem
    store.close()

    assert "db.corrupt-1" in problem
    assert (tmp_path / "db.corrupt-1").read_bytes() == bytes(data)
    assert kept(path) == [record(77)]


def test_a_place_that_cannot_be_is_an_os_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileExistsError):
        open_store(str(tmp_path / "file" / "db"))
    with pytest.raises(OSError, match="cannot be used"):
        open_store(str(tmp_path))


def test_a_closed_store_is_an_os_error(tmp_path):
    store = open_store(str(tmp_path / "db"))
    store.close()
    store.close()

    with pytest.raises(OSError, match="cannot be used"):
        store.count("s", "n")


def test_a_reader_does_not_keep_writers_waiting(tmp_path):
    reader, writer = open_store(str(tmp_path / "db")), open_store(str(tmp_path / "db"))
    writer.record([record(number) for number in range(3)])
    found = reader.records(Query())
    next(found)
    writer.record([record(9)])

    assert [one.id for _, one in found] == ["r1", "r2"]
    assert len(list(reader.records(Query()))) == 4
    reader.close()
    writer.close()


@pytest.mark.parametrize("statement", [sql.SESSIONS_SINCE, sql.LAST_SINCE, sql.DECIDED_SINCE])
def test_sessions_are_found_without_going_through_old_records(statement, tmp_path):
    with closing(open_store(str(tmp_path / "db"))), closing(sqlite3.connect(tmp_path / "db")) as db:
        plan = [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {statement}", {"since": 1.0})]

    assert any("SEARCH records USING INDEX records_by_age" in step for step in plan)
    assert not any(step.startswith("SCAN records") for step in plan)


def test_who_writes_may_leave_waiting_for_the_disk_to_later(tmp_path):
    with closing(open_store(str(tmp_path / "db"))) as store:
        store.defer()
        for number in range(400):
            store.record([record(number, summary="x" * 4_000)])
        before = (tmp_path / "db").stat().st_size
        store.fold()
        after = (tmp_path / "db").stat().st_size

    assert before < after
    assert len(kept(tmp_path / "db")) == 400
