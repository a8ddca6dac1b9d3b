"""Test the state file of a session, and foreign files at its path."""

import hashlib
import json
import os
import stat

import pytest

from hookline.core.frozen import Frozen
from hookline.core.response import Mirror
from hookline.system.state_file import MAX_AGE_SECONDS, file_name, find_folder, write_or_remove

KEY = "/repo:s-1"
SAYS = Frozen(projectRoot="/repo", iterationCount=3)


@pytest.fixture
def env(tmp_path):
    return {"TMPDIR": str(tmp_path)}


@pytest.fixture
def file(tmp_path):
    return tmp_path / file_name(KEY)


def test_it_is_called_after_folder_and_session():
    assert file_name(KEY) == f"ar-session-{hashlib.md5(b'/repo:s-1').hexdigest()[:12]}.json"


def test_it_says_what_it_is_told_and_nobody_else_can_read_it(env, file):
    assert write_or_remove(Mirror(key=KEY, content=SAYS), env) == ""
    assert json.loads(file.read_text()) == SAYS
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert os.listdir(file.parent) == [file.name]


def test_with_nothing_to_say_it_goes_also_twice(env, file):
    write_or_remove(Mirror(key=KEY, content=SAYS), env)

    assert [write_or_remove(Mirror(key=KEY), env) for _ in range(2)] == ["", ""]
    assert not file.exists()


@pytest.mark.parametrize("says", [SAYS, Frozen()], ids=["written", "removed"])
def test_a_link_in_its_place_is_not_followed(env, file, tmp_path, says):
    victim = tmp_path / "victim"
    victim.write_text("mine")
    file.symlink_to(victim)

    assert write_or_remove(Mirror(key=KEY, content=says), env) == ""
    assert victim.read_text() == "mine"
    assert not file.is_symlink()


def test_what_is_corrupt_or_open_to_all_is_replaced(env, file):
    file.write_text("{broken")
    file.chmod(0o666)
    write_or_remove(Mirror(key=KEY, content=SAYS), env)

    assert json.loads(file.read_text()) == SAYS
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.skipif(os.getuid() != 0, reason="requires root to change the owner of a file")
def test_somebody_elses_file_is_replaced(env, file):
    file.write_text("theirs")
    os.chown(file, 1234, 1234)
    write_or_remove(Mirror(key=KEY, content=SAYS), env)

    assert (file.stat().st_uid, json.loads(file.read_text())) == (0, SAYS)


def test_a_folder_in_its_place_is_told_and_nothing_is_left_behind(env, file):
    (file / "x").mkdir(parents=True)
    told = write_or_remove(Mirror(key=KEY, content=SAYS), env)

    assert "could not be written" in told
    assert os.listdir(file.parent) == [file.name]


@pytest.mark.parametrize(
    ("called", "age", "stays"),
    [
        ("ar-session-0123456789ab.json", MAX_AGE_SECONDS + 60, False),
        ("ar-session-0123456789ab.json", MAX_AGE_SECONDS - 60, True),
        ("ar-session-0123456789ab.json.0a1b2c", MAX_AGE_SECONDS + 60, False),
        ("ar-session-mine.json", MAX_AGE_SECONDS + 60, True),
        ("other.json", MAX_AGE_SECONDS + 60, True),
    ],
)
def test_what_sessions_of_long_ago_left_behind_goes(env, tmp_path, called, age, stays):
    old = tmp_path / called
    old.write_text("{}")
    then = old.stat().st_mtime - age
    os.utime(old, (then, then))
    write_or_remove(Mirror(key=KEY, content=SAYS), env)
    untouched = old.exists()
    write_or_remove(Mirror(key=KEY, content=SAYS, tidy=True), env)

    assert (untouched, old.exists()) == (True, stays)


@pytest.mark.parametrize(
    "env", [{}, {"TMPDIR": "relative"}, {"TMPDIR": "/does/not/exist"}], ids=["unset", "relative", "missing"]
)
def test_without_a_folder_of_their_own_it_is_the_systems(env):
    assert find_folder(env) == "/tmp"
