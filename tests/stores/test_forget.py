"""Test that a deleted memory is neither in the files of the store nor in the pages of its index."""

import json
import sqlite3
from contextlib import closing

import pytest

from hookline.core.outcome import PRIVATE_PLACEHOLDER
from hookline.core.records import Memory
from hookline.stores import sqlite
from hookline.stores.sqlite import open_store

WORDS = (b"xylophone", b"midnight", b"quixotic", b"zebra")


def test_nothing_of_a_forgotten_memory_is_left_in_the_files(tmp_path):
    with closing(open_store(str(tmp_path / "db"))) as store:
        for number in range(300):
            store.remember(Memory(id=f"m{number}", at=1.0, text=f"ordinary words number {number}"))
        store.remember(Memory(id="gone", at=1.0, text="the xylophone plays at midnight", tags=("quixotic",)))
        store.remember(Memory(id="gone", at=2.0, text="the xylophone plays at midnight indeed"))
        found = [one.id for one in store.recall("xylophone")]

        assert (found, store.forget("gone")) == (["gone"], 1)
        left = b"".join(path.read_bytes() for path in tmp_path.iterdir())
        assert [word for word in (b"xylophone", b"midnight", b"quixotic") if word in left] == []
        assert (store.check(), len(store.recall("ordinary", limit=400))) == ("", 300)


def left(place):
    whole = b"".join(path.read_bytes() for path in place.iterdir())
    return [word for word in WORDS if word in whole]


def test_what_was_said_before_it_was_changed_is_gone_too_beside_others_who_have_it_open(tmp_path):
    """Check earlier versions and long texts, which SQLite stores in overflow pages."""
    with (
        closing(open_store(str(tmp_path / "db"))) as store,
        closing(open_store(str(tmp_path / "db"))) as other,
    ):
        for number in range(50):
            store.remember(Memory(id=f"m{number}", at=1.0, text=f"ordinary words number {number} " * 40))
            other.remember(
                Memory(id="gone", at=1.0, text=f"the xylophone {number} plays at midnight " * number)
            )
        other.remember(Memory(id="gone", at=2.0, text="a zebra instead"))
        other.remember(Memory(id="related", at=2.0, text="more", relations=(("supports", "gone"),)))
        found = [one.id for one in other.recall("zebra")]

        assert (found, store.forget("gone"), left(tmp_path)) == (["gone"], 1, [])
        assert other.memories(["related"])[0].relations == ()
        assert other.recall("zebra") == []


def test_a_reader_that_does_not_end_is_told_of(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite, "TIMEOUT_SECONDS", 0.2)
    with closing(open_store(str(tmp_path / "db"))) as store:
        store.remember(Memory(id="gone", at=1.0, text="the xylophone plays at midnight"))
        with closing(sqlite3.connect(tmp_path / "db", isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM memories").fetchall()
            with pytest.raises(OSError, match="is in use: the memory is deleted; it leaves the journal when"):
                store.forget("gone")
        assert store.recall("xylophone") == []


def test_nothing_that_a_session_learnt_and_another_was_told_is_left_of_it(user, tmp_path):
    """Check all files of the user: store, index, journal, spool, trail and exports."""
    line = {"role": "user", "content": "Stop using xylophone mocks in tests, use real objects."}
    (tmp_path / "talk").write_text(json.dumps({"type": "user", "sessionId": "s1", "message": line}) + "\n")
    for _ in range(2):
        stop = user.payload("Stop", session_id="s1", transcript_path=str(tmp_path / "talk"))
        _, shown, _ = user.hook(stop)
    _, told, _ = user.hook(user.payload("SessionStart", session_id="s2"))
    user.run("memory", "export", "out.jsonl")
    (one,) = (json.loads(row) for row in user.run("memory", "list", "--json").stdout.splitlines())
    user.run("memory", "forget", one["id"])
    files = [path for place in (user.home, user.project) for path in place.rglob("*") if path.is_file()]
    trail = [step for row in user.log() for step in row["trail"]]

    assert "xylophone" in shown["systemMessage"]
    assert "xylophone" in told["hookSpecificOutput"]["additionalContext"]
    assert [path for path in files if b"xylophone" in path.read_bytes().lower()] == []
    assert [step["told"] for step in trail if step["hook"] == "memory" and "told" in step] == [
        [PRIVATE_PLACEHOLDER]
    ]
