"""Test opening a database of each released version without loss."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from hookline.core.records import Memory
from hookline.core.store import Query, Record
from hookline.stores import _migrations
from hookline.stores.sqlite import open_store

RELEASED = Path(__file__).parent / "schemas"
"""Dump of a database of each released version. Dumps are never edited; each version adds one."""
VERSIONS = range(1, _migrations.LATEST_VERSION + 1)


def shape(db):
    """Return the SQL of each table and index, with normalised whitespace."""
    made = db.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
    return {name: " ".join(sql.split()) for name, sql in made}


def old_store(path, version):
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.executescript((RELEASED / f"{version}.sql").read_text())
        db.execute(f"PRAGMA user_version = {version}")


@pytest.mark.parametrize("version", VERSIONS)
def test_a_released_step_was_never_edited(version):
    with closing(sqlite3.connect(":memory:")) as now, closing(sqlite3.connect(":memory:")) as then:
        for statement in (statement for step in _migrations.STEPS[:version] for statement in step):
            now.execute(statement)
        then.executescript((RELEASED / f"{version}.sql").read_text())

        assert shape(then) == shape(now)


@pytest.mark.parametrize("version", VERSIONS)
def test_nothing_is_lost_on_the_way(version, tmp_path):
    old_store(tmp_path / "db", version)
    with closing(open_store(str(tmp_path / "db"))) as store:
        assert (store.problem, store.check()) == ("", "")
        assert [(position, one) for position, one in store.records(Query())] == [
            (
                3,
                Record(
                    id="r1",
                    at=1.5,
                    session="s1",
                    host="claude-code",
                    event="PreToolUse",
                    cwd="/x",
                    tool="shell",
                    summary="git push",
                    action="block",
                    rules=("git-push-force",),
                    reason="because",
                    warnings=("w",),
                    trail=({"hook": "h"},),
                    ms=0.5,
                    counts={"calls": 2},
                ),
            )
        ]
        assert store.begin_session("s1", host="h", cwd="/", at=9.0) is False
        assert dict(store.counters("s1")) == {"calls": 2}
        assert dict(store.notes("s1")) == {"k": (1, None)}
        assert store.take_held_context("s1") == ("first", "later")
        if version >= 3:
            remembered = Memory(
                id="m1", at=2.0, text="use tabs", kind="rule", tags=("style",), uses=3, used=4.0
            )
            assert list(store.recall("tabs")) == list(store.recall("style")) == [remembered]
            assert [one.fix for one in store.signatures(key="e1")] == ["restart it"]
            assert [one.text for one in store.handoffs(project="p")] == ["go on"]
            assert [one.metric for one in store.experiments("run")] == [0.25]
        if version >= 4:
            assert [(one.command, one.weight) for one in store.signatures(key="e1")] == [("npm ci", 2.5)]


@pytest.mark.parametrize("version", VERSIONS)
def test_what_an_old_store_becomes_takes_everything_new(version, tmp_path):
    old_store(tmp_path / "db", version)
    with closing(open_store(str(tmp_path / "db"))) as store:
        memory = Memory(id="new", at=5.0, text="a word of its own")
        store.remember(memory)
        store.record([Record(id="r2", at=2.0, session="s1", host="h", event="Stop")])

        assert list(store.recall("word")) == [memory]
        assert [position for position, _ in store.records(Query(last=1))] == [4]
