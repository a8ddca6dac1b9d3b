"""Test the sqlite store on a full disk, on a read-only disk and during a long lock."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from hookline.core.store import Query, Record
from hookline.stores import sqlite
from hookline.stores.sqlite import open_store

SRC = str(Path(__file__).parents[2] / "src")


def in_a_small_world(folder: Path, code: str, *, size: str = "1m") -> list[object]:
    """Run *code* with `folder` as a disk of that size, and return the JSON lines that it prints."""
    mount = f'mount -t tmpfs -o size={size} tmpfs "$0" && exec "$@"'
    argv = ["unshare", "-rm", "sh", "-c", mount, str(folder), sys.executable, "-c", code, str(folder)]
    env = {"PYTHONPATH": SRC, "PATH": os.environ["PATH"], "HOME": str(folder)}
    ran = subprocess.run(argv, env=env, capture_output=True, text=True, check=False, timeout=120)
    assert ran.returncode == 0, ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines()]


def can_mount() -> bool:
    """Return whether this user can mount a file system."""
    if not shutil.which("unshare"):
        return False
    tried = ["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    return subprocess.run(tried, capture_output=True, check=False, timeout=10).returncode == 0


mounts = pytest.mark.skipif(not can_mount(), reason="requires mount namespaces (unshare -rm, mount)")

BEGIN = """
import json, os, subprocess, sys
from hookline.core.store import Query, Record
from hookline.stores.sqlite import open_store
folder = sys.argv[1]
path = folder + "/db"
def record(number, size=0):
    return Record(id=f"r{number}", at=1.0, session="s", host="h", event="Stop", summary="x" * size)
def say(value):
    print(json.dumps(value))
def failure(work):
    try:
        work()
    except OSError as error:
        return str(error)
"""

FULL = (
    BEGIN
    + """
store = open_store(path)
store.record([record(1)])
number = 1
while True:
    number += 1
    if wrong := failure(lambda: store.record([record(number, 20_000)])):
        break
say(wrong)
say([one.id for _, one in store.records(Query())] == [f"r{n}" for n in range(1, number)])
say(failure(lambda: store.count("s", "n", 1)) is None or "no room for a counter either")
say(store.check())
store.close()
store = open_store(path)
say([len(list(store.records(Query()))) == number - 1, store.problem, store.check()])
"""
)

READ_ONLY = (
    BEGIN
    + """
store = open_store(path)
store.record([record(1)])
store.close()
subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
say(failure(lambda: open_store(path).record([record(2)])))
subprocess.run(["mount", "-o", "remount,rw", folder], check=True)
store = open_store(path)
store.record([record(3)])
say([[one.id for _, one in store.records(Query())], store.problem, sorted(os.listdir(folder))])
"""
)


@mounts
def test_a_full_disk_damages_nothing(tmp_path):
    wrong, all_there, counted, checked, again = in_a_small_world(tmp_path, FULL)

    assert "disk is full" in wrong or "disk I/O error" in wrong
    assert "the stored data is safe" in wrong
    assert all_there is True
    assert counted in (True, "no room for a counter either")
    assert checked == ""
    assert again == [True, "", ""]


@mounts
def test_a_read_only_disk_damages_nothing(tmp_path):
    wrong, (ids, problem, files) = in_a_small_world(tmp_path, READ_ONLY)

    assert "cannot be used" in wrong or "Read-only file system" in wrong
    assert (ids, problem) == (["r1", "r3"], "")
    assert [name for name in files if "corrupt" in name] == []


TOLD_ONCE = """
import json, os, subprocess, sys
from pathlib import Path
home, hookline = Path(sys.argv[1]), Path(sys.executable).parent / "hookline"
project = home / "project"
(project / ".git").mkdir(parents=True)
def call(command, session="s1"):
    payload = {"session_id": session, "cwd": str(project), "hook_event_name": "PreToolUse",
               "tool_name": "Bash", "tool_input": {"command": command}, "transcript_path": ""}
    ran = subprocess.run([hookline, "hook", "claude-code"], input=json.dumps(payload), capture_output=True,
                         text=True, cwd=project, timeout=60)
    reply = json.loads(ran.stdout or "{}")
    decision = reply.get("hookSpecificOutput", {}).get("permissionDecision", "")
    return [decision, "store" in reply.get("systemMessage", "")]
said = [call("ls")]
ballast = os.open(home / "ballast", os.O_CREAT | os.O_WRONLY)
try:
    while os.write(ballast, b"x" * 512):
        pass
except OSError:
    os.close(ballast)
said += [call("git push --force origin main"), call("git push --force origin main"), call("ls")]
os.unlink(home / "ballast")
said += [call("git push --force origin main")]
print(json.dumps(said))
ran = subprocess.run([hookline, "log", "--json"], capture_output=True, text=True, cwd=project)
print(json.dumps([json.loads(line)["action"] for line in ran.stdout.splitlines()]))
"""


@pytest.mark.slow
@mounts
def test_on_a_full_disk_guards_guard_and_the_user_is_told_once(tmp_path):
    said, kept = in_a_small_world(tmp_path, TOLD_ONCE)

    assert [decision for decision, _ in said] == ["", "deny", "deny", "", "deny"]
    assert sum(told for _, told in said) == 1
    assert (kept[0], kept[-1]) == ("pass", "block")


def test_a_long_lock_is_said_and_nothing_is_lost(tmp_path, monkeypatch):
    monkeypatch.setattr("hookline.stores._database.TIMEOUT_SECONDS", 0.05)
    monkeypatch.setattr(sqlite, "TIMEOUT_SECONDS", 0.05)
    with closing(open_store(str(tmp_path / "db"))) as store:
        with closing(sqlite3.connect(tmp_path / "db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(OSError, match="another process has been writing"):
                store.count("s", "n")
            assert dict(store.counters("s")) == {}  # readers do not wait for the lock
            other.execute("ROLLBACK")

        assert store.count("s", "n") == 1


def test_who_waited_in_vain_waits_no_such_time_again_until_it_could_write(tmp_path, monkeypatch):
    monkeypatch.setattr("hookline.stores._database.TIMEOUT_SECONDS", 0.6)
    monkeypatch.setattr(sqlite, "TIMEOUT_SECONDS", 0.6)

    def refused(store):
        began = time.monotonic()
        with pytest.raises(OSError, match="another process has been writing"):
            store.count("s", "n")
        return time.monotonic() - began

    with (
        closing(open_store(str(tmp_path / "db"))) as store,
        closing(sqlite3.connect(tmp_path / "db", isolation_level=None)) as other,
    ):
        other.execute("BEGIN IMMEDIATE")
        first, again = refused(store), refused(store)
        other.execute("ROLLBACK")
        store.count("s", "n")
        other.execute("BEGIN IMMEDIATE")
        after = refused(store)

    assert again < 0.4 < min(first, after)


def test_check_tells_of_damage_and_changes_nothing(tmp_path):
    path = tmp_path / "db"
    with closing(open_store(str(path))) as store:
        store.record([Record(id=f"r{n}", at=1.0, session="s", host="h", event="Stop") for n in range(500)])
    data = bytearray(path.read_bytes())
    page = 4096
    data[-3 * page : -2 * page] = os.urandom(page)
    path.write_bytes(data)
    with closing(open_store(str(path))) as store:
        said = store.check()

    assert "is damaged" in said
    assert path.read_bytes() == bytes(data)


def test_a_place_that_is_no_path_is_refused():
    with pytest.raises(Exception, match="requires an absolute path"):
        open_store("postgresql://somewhere/db")


def test_space_is_given_back(tmp_path):
    from hookline.core.store import Limits

    with closing(open_store(str(tmp_path / "db"))) as store:
        many = [
            Record(id=f"r{n}", at=1.0, session="s", host="h", event="Stop", reason="x" * 999)
            for n in range(3000)
        ]
        store.record(many)
        store.prune(Limits(records=10, days=1e9), at=2.0, within=30.0)
        kept = [one.id for _, one in store.records(Query())]
    size = (tmp_path / "db").stat().st_size

    assert kept == [f"r{n}" for n in range(2990, 3000)]
    assert size < 500_000
