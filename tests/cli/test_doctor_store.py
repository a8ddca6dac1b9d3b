"""What the doctor says of the store and its spool, where the trouble is real."""

import os
import sqlite3
import time
from contextlib import closing

import pytest

from hookline.core.store import Record
from hookline.stores.sqlite import open_store
from hookline.system import spool, spool_files


def record(number, at=None):
    when = time.time() if at is None else at
    return Record(id=f"r{number}", at=when, session="s", host="claude-code", event="Stop")


@pytest.fixture
def folder(wired):
    """Where a user's store lies, with three records in it."""
    place = wired.home / ".local/state/hookline"
    with closing(open_store(str(place / "hookline.db"))) as store:
        store.record([record(number) for number in range(3)])
    return place


def test_size_and_number_of_records_are_said(folder, examined):
    weight, text = examined()["store.holds"]

    assert weight == "note"
    assert text.startswith("the store 'sqlite' holds 3 records, 0.")
    assert text.endswith(" MB")


def test_a_store_that_somebody_else_holds_is_said(folder, troubles):
    with closing(sqlite3.connect(folder / "hookline.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        told = troubles()

    assert "another process has been writing" in told["store.unusable"]
    assert troubles() == {}


def test_a_store_of_a_newer_release_is_said(folder, troubles):
    with closing(sqlite3.connect(folder / "hookline.db")) as newer:
        newer.execute("PRAGMA user_version = 99")

    assert "has version 99" in troubles()["store.unusable"]
    assert "upgrade hookline" in troubles()["store.unusable"]


def test_a_store_that_is_damaged_inside_is_said(folder, troubles):
    with closing(open_store(str(folder / "hookline.db"))) as store:
        store.record([record(number) for number in range(10, 2000)])
    with closing(sqlite3.connect(folder / "hookline.db")) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    with (folder / "hookline.db").open("r+b") as file:
        file.seek(os.path.getsize(folder / "hookline.db") // 2)
        file.write(b"\xff" * 20_000)

    assert "damaged" in troubles()["store.damaged"]


@pytest.mark.usefixtures("mounts")
def test_a_store_that_can_only_be_read_is_said(folder, troubles):
    told = troubles(inside=f"mount --bind {folder} {folder} && mount -o remount,bind,ro {folder}")

    assert "cannot be used" in told["store.unusable"]
    assert "permissions.unwritable" in told


def test_a_server_that_cannot_be_reached_is_said(wired, troubles):
    pytest.importorskip("psycopg")
    wired.write("~/.config/hookline/hookline.toml", 'store = "postgres"\n')
    told = troubles(HOOKLINE_STORE_ADDRESS="postgresql://nobody@127.0.0.1:1/nothing?connect_timeout=2")

    assert "store.unusable" in told


def test_records_of_the_future_are_said(folder, troubles):
    with closing(open_store(str(folder / "hookline.db"))) as store:
        store.record([record(7, at=time.time() + 86_400)])

    assert "which is still to come: set the clock right" in troubles()["clock.future"]


@pytest.mark.parametrize(("age", "said"), [(7200, True), (5, False)])
def test_records_that_nobody_moves_are_said(folder, troubles, age, said):
    spool.append(str(folder / "spool"), record(9))
    spool.append(str(folder / "spool"), record(10))
    then = time.time() - age
    [path] = spool_files.paths(str(folder / "spool"))
    os.utime(path, (then, then))
    told = troubles().get("spool.waits", "")

    assert told.startswith("2 records wait in ") == ("for 2 hours" in told) == said


def test_torn_records_are_said(folder, wired, troubles):
    spool.append(str(folder / "spool"), record(9))
    with open(spool_files.paths(str(folder / "spool"))[0], "ab") as file:
        file.write(b'{"id": "cut sh')
    assert wired.run("log").returncode == 0

    assert "were cut short" in troubles()["spool.torn"]
