"""Test the findings of `hookline doctor` on folders and on the machine, with real problems."""

import json
import os
import shutil
import subprocess
import sys
import time

import pytest
from tests.conftest import WIRED_PROGRAM

from hookline.cli._doctor.environment import Latency, describe_latency

pytestmark = pytest.mark.slow

WELL = {"install.answers"}
NOTES = {"client", "daemon.off", "store.holds"}
CONFIG, STATE = "~/.config/hookline", "~/.local/state/hookline"


@pytest.fixture
def lived_in(wired):
    """Return a user who has already used hookline."""
    wired.hook(wired.shell("echo hi"))
    wired.write(f"{CONFIG}/hookline.toml", "")
    wired.write(f"{CONFIG}/trust.json", {"version": 1, "projects": {}}).chmod(0o600)
    return wired


def at(user, name):
    return user.home / name[2:]


def test_nothing_is_said_where_all_is_well(lived_in, examined):
    found = examined()

    assert {name for name, (weight, _) in found.items() if weight == "well"} == WELL
    assert {name for name, (weight, _) in found.items() if weight == "note"} == NOTES
    assert not {name for name, (weight, _) in found.items() if weight == "attention"}


def test_nothing_is_made_by_looking(wired, examined):
    before = sorted(map(str, wired.home.rglob("*")))
    examined()

    assert sorted(map(str, wired.home.rglob("*"))) == before


@pytest.mark.parametrize(
    ("name", "mode", "mend"),
    [
        (CONFIG, 0o777, "go-w"),
        (f"{CONFIG}/hookline.toml", 0o666, "go-w"),
        (STATE, 0o755, "go="),
        (f"{STATE}/spool", 0o755, "go="),
        (f"{STATE}/hookline.db", 0o644, "go="),
        (f"{CONFIG}/trust.json", 0o644, "go="),
    ],
)
def test_what_others_can_reach_is_said_with_the_command_that_mends_it(lived_in, troubles, name, mode, mend):
    path = at(lived_in, name)
    path.chmod(mode)
    told = troubles()
    subprocess.run(["chmod", mend, path], check=True)

    assert f"`chmod {mend} {path}`" in told["permissions.open"]
    assert troubles() == {}


FIRST_CREATORS = {
    "hook": ("hook", "claude-code"),
    "init": ("init", "--host", "claude-code", "--user", "--yes"),
    "new": ("new", "hook", "mine", "--user"),
    "memory": ("memory", "add", "use tabs"),
    "rotate": ("rotate",),
    "fire": ("fire", "Stop"),
    "log": ("log",),
}
"""Commands that may be the first to create a folder in a home."""


@pytest.mark.parametrize("words", FIRST_CREATORS.values(), ids=FIRST_CREATORS)
def test_every_folder_in_a_home_is_for_its_user_alone(alone, words):
    """Check every folder, because `os.makedirs` applies its mode to the last one only."""
    umask = os.umask(0o022)
    try:
        alone.run(*words, stdin=json.dumps(alone.shell("git push --force")))
    finally:
        os.umask(umask)
    folders = {str(path): path.stat().st_mode & 0o777 for path in alone.home.rglob("*") if path.is_dir()}

    assert folders
    assert folders == dict.fromkeys(folders, 0o700)


@pytest.mark.skipif(os.getuid() != 0, reason="requires root to change the owner of files")
@pytest.mark.parametrize("name", [CONFIG, f"{STATE}/hookline.db"])
def test_what_belongs_to_another_is_said(lived_in, troubles, name):
    os.chown(at(lived_in, name), 54321, -1)

    assert "belongs to user 54321, not to you: run `sudo chown" in troubles()["permissions.owner"]


@pytest.mark.usefixtures("mounts")
def test_a_home_that_cannot_be_written_to_is_said(lived_in, troubles):
    home = lived_in.home
    told = troubles(inside=f"mount --bind {home} {home} && mount -o remount,bind,ro {home}")

    assert "is not writable, so no data is saved" in told["home.unwritable"]
    assert f"{home}/.local/state/hookline" in told["permissions.unwritable"]


def test_a_home_that_is_not_there_is_said(wired, troubles):
    assert "set it to your home folder" in troubles(HOME="/nowhere/at/all")["home.missing"]


@pytest.mark.usefixtures("mounts")
def test_a_disk_that_is_nearly_full_is_said(lived_in, troubles):
    told = troubles(inside=f"mount -t tmpfs -o size=1m tmpfs {at(lived_in, STATE)}")

    assert "MB left: free some" in told["store.disk"]


def test_a_file_of_the_future_is_said(lived_in, troubles):
    ahead = time.time() + 3600
    os.utime(at(lived_in, f"{CONFIG}/hookline.toml"), (ahead, ahead))

    assert "correct the clock" in troubles()["clock.future"]


def test_a_few_seconds_of_the_future_are_nobodys_fault(lived_in, troubles):
    ahead = time.time() + 60
    os.utime(at(lived_in, f"{CONFIG}/hookline.toml"), (ahead, ahead))

    assert troubles() == {}


CLOCK = """
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t which, struct timespec *at) {
    long said = syscall(SYS_clock_gettime, which, at);
    if (which == CLOCK_REALTIME) at->tv_sec = 1000000000 + at->tv_sec % 100000;
    return said;
}
"""


@pytest.mark.skipif(
    not shutil.which("cc") or sys.platform != "linux",
    reason="requires Linux and a C compiler to fake the clock",
)
def test_a_clock_that_was_never_set_is_said(wired, troubles, tmp_path):
    source, made = tmp_path / "clock.c", tmp_path / "clock.so"
    source.write_text(CLOCK)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", made, source], check=True)
    told = troubles(LD_PRELOAD=str(made))

    assert "the clock shows 2001-09" in told["clock.early"]
    assert "seconds ahead of the system clock" in told["clock.disk"]


def test_another_installation_of_the_same_release_is_noted(wired, examined):
    theirs = wired.write("~/bin/hookline", f'#!/bin/sh\nexec {sys.executable} -m hookline "$@"\n')
    theirs.chmod(0o755)
    path = wired.project / ".claude/settings.json"
    path.write_text(WIRED_PROGRAM.sub(str(theirs), path.read_text()))
    weight, text = examined()["program.python"]

    assert weight == "note"
    assert f"{theirs} belongs to another installation" in text


def test_guards_that_are_off_are_named_with_who_did_it_and_what_brings_them_back(wired, examined):
    path = wired.write(f"{CONFIG}/hookline.toml", "[hooks.scout-block]\nenabled = false\n")
    weight, text = examined()["guards.off"]
    switched = examined(AR_DISABLE_SCOUT_BLOCK="1")["guards.off"][1]

    assert (weight, f"enabled = false in {path}:2; remove that" in text) == ("note", True)
    assert "AR_DISABLE_SCOUT_BLOCK is set; unset AR_DISABLE_SCOUT_BLOCK" in switched


@pytest.mark.usefixtures("signer")
def test_guards_that_a_person_switched_off_are_said(wired, at_terminal, troubles):
    assert at_terminal("off", "10m")[0] == 0

    assert "by `hookline off`: run `hookline on`" in troubles()["guards.off-for-now"]


def test_what_waits_for_trust_is_said(wired, troubles):
    wired.write(".hookline/hooks.json", {"version": 1, "hooks": {"Stop": [{"command": "true"}]}})

    assert "hookline trust --show" in troubles()["trust.waits"]


def test_how_long_a_call_takes_is_said_beside_what_everybody_knows(wired):
    report = json.loads(wired.run("doctor", "--json").stdout)
    (said,) = [one for one in report["findings"] if one["id"] == "latency"]

    assert report["latency_ms"]["true"] > 0
    assert report["latency_ms"]["cold"] > 0
    assert report["latency_ms"]["daemon"] is None
    assert (said["weight"], "× /bin/true) without a daemon" in said["text"]) == ("note", True)


@pytest.mark.parametrize(("daemon", "weight"), [(50.0, "note"), (50.1, "attention"), (None, "note")])
def test_a_call_is_slow_above_fifty_times_what_a_process_costs(daemon, weight):
    assert describe_latency(Latency(true=1.0, cold=900.0, daemon=daemon)).weight == weight
