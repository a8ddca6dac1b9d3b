"""Test the findings of `hookline doctor` on the store and its spool, with real problems."""

import os
import sqlite3
import time
from contextlib import closing

import pytest

from hookline.core.chain import FAILURE_BLOCKS
from hookline.core.store import Record
from hookline.core.values import replace
from hookline.stores.sqlite import open_store
from hookline.system import spool, spool_files

pytestmark = pytest.mark.slow


def record(number, at=None):
    when = time.time() if at is None else at
    return Record(id=f"r{number}", at=when, session="s", host="claude-code", event="Stop")


@pytest.fixture
def folder(wired):
    """Return the folder of the user's store, which contains three records."""
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

    assert "in the future" in troubles()["clock.future"]


@pytest.mark.parametrize(("age", "said"), [(7200, True), (5, False)])
def test_records_that_nobody_moves_are_said(folder, troubles, age, said):
    spool.append(str(folder / "spool"), record(9))
    spool.append(str(folder / "spool"), record(10))
    then = time.time() - age
    [path] = spool_files.paths(str(folder / "spool"))
    os.utime(path, (then, then))
    told = troubles().get("spool.waits", "")

    assert told.startswith("2 records have waited in ") == ("for 2 hours" in told) == said


def test_torn_records_are_said(folder, wired, troubles):
    spool.append(str(folder / "spool"), record(9))
    with open(spool_files.paths(str(folder / "spool"))[0], "ab") as file:
        file.write(b'{"id": "cut sh')
    assert wired.run("log").returncode == 0

    assert "incomplete records" in troubles()["spool.torn"]


BROKEN = """
from hookline import PreToolUse, State, hook

@hook()
def broken(event: PreToolUse, state: State):
    raise ValueError("no such table")
"""


def test_a_hook_that_crashed_is_said_with_its_last_error(wired, troubles):
    wired.write("~/.config/hookline/hooks/broken.py", BROKEN)
    for _ in range(2):
        wired.hook(wired.shell("ls"))
    wired.write("~/.config/hookline/hooks/broken.py", "")
    told = troubles()["hook.failed"]

    assert told.startswith("hook 'broken' failed at PreToolUse 2 times in the last day, last at 20")
    assert "ValueError: no such table" in told


@pytest.mark.parametrize(
    ("age", "step", "said"),
    [
        (0, {"said": "timed-out", "note": "timed out after 5 s"}, True),
        (0, {"said": "block", "reason": f"x{FAILURE_BLOCKS}", "note": "failed: X"}, True),
        (0, {"said": "block", "reason": "dangerous", "note": ""}, False),
        (0, {"said": "skipped", "note": "disabled by a person"}, False),
        (90_000, {"said": "failed", "note": "failed: X"}, False),
    ],
)
def test_failures_of_the_last_day_are_said(folder, troubles, age, step, said):
    with closing(open_store(str(folder / "hookline.db"))) as store:
        trail = ({"hook": "mine", **step},)
        store.record([replace(record(20, at=time.time() - age), trail=trail, event="PostToolUse")])
    told = troubles().get("hook.failed", "")

    assert told.startswith("hook 'mine' failed at PostToolUse once in the last day, last at ") == said
    assert told.endswith(f": {step['note']}") == said
