"""What the doctor says of the daemon, where the trouble is real."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src/hookline"


@pytest.fixture
def folder(wired):
    """A user who would have a daemon, and the folder that it would be in; none is left afterwards."""
    wired.env |= {"HOOKLINE_DAEMON": "on", "HOOKLINE_DAEMON_IDLE": "60"}
    place = Path(wired.env["XDG_RUNTIME_DIR"]) / "hookline"
    yield place
    for process in running(place.parent):
        for number in (signal.SIGCONT, signal.SIGKILL):
            with suppress(ProcessLookupError):
                os.kill(process, number)


def running(runtime):
    return [int(one.parent.name) for one in Path("/proc").glob("[0-9]*/environ") if _in(runtime, one)]


def _in(runtime, environ):
    with suppress(OSError):
        words = (environ.parent / "cmdline").read_bytes().split(b"\0")
        ours = f"XDG_RUNTIME_DIR={runtime}".encode() in environ.read_bytes().split(b"\0")
        return b"hookline.daemon" in words and ours
    return False


@pytest.fixture
def process(wired, folder):
    """The id of a daemon that runs."""
    ran = wired.run("daemon", "start")
    assert ran.returncode == 0, ran.stderr
    (one,) = running(folder.parent)
    return one


def test_one_that_answers_is_well_and_calls_are_measured_through_it(wired, process, examined):
    weight, text = examined()["daemon.runs"]
    report = json.loads(wired.run("doctor", "--json").stdout)

    assert weight == "well"
    assert f"process {process}, Python" in text
    assert report["latency_ms"]["daemon"] > 0
    assert wired.log() == []


def abandoned(folder):
    """Whoever was there last left an address: others of this machine's are not asked."""
    folder.mkdir(mode=0o700)
    (folder / "address").write_text("0.0.0 1 proof secret\n")


def test_where_none_is_one_is_started_as_a_call_would(wired, folder, examined):
    abandoned(folder)
    found = examined()

    assert found["daemon.none"][0] == "note"
    assert "daemon.start" not in found
    assert len(running(folder.parent)) == 1


@pytest.mark.long
def test_one_that_does_not_come_up_is_said(wired, folder, troubles):
    (folder / "address").mkdir(parents=True)
    folder.chmod(0o700)
    told = troubles()

    assert "was started, and does not answer" in told.get("daemon.start", ""), told
    assert "Is a directory" in troubles()["daemon.log"]


def test_one_that_hangs_is_said_and_what_is_wired_answers_all_the_same(process, examined):
    os.kill(process, signal.SIGSTOP)
    found = examined()
    weight, text = found["daemon.hangs"]

    assert (weight, "runs and does not answer: `hookline daemon stop`" in text) == ("attention", True)
    assert f"process {process}" in text
    assert found["wired.answers"][0] == "well"


def test_one_of_another_installation_is_said(wired, folder, tmp_path, troubles):
    shutil.copytree(PACKAGE, tmp_path / "other/hookline", ignore=shutil.ignore_patterns("__pycache__"))
    other = subprocess.Popen(
        [sys.executable, "-P", "-m", "hookline.daemon"],
        env=wired.environment(PYTHONPATH=str(tmp_path / "other")),
        start_new_session=True,
    )
    until = time.monotonic() + 30
    while not (folder / "address").exists():
        assert time.monotonic() < until
        time.sleep(0.02)
    told = troubles()
    other.kill()
    other.wait()

    assert "the daemon is of another installation" in told["daemon.other"]
    assert "`hookline daemon start` replaces it" in told["daemon.other"]


def test_that_it_is_switched_off_is_noted(folder, examined):
    weight, text = examined(HOOKLINE_DAEMON="off")["daemon.off"]

    assert (weight, "unset it" in text) == ("note", True)
    assert running(folder.parent) == []


def test_a_folder_that_others_can_reach_into_is_said(folder, troubles):
    folder.mkdir()
    folder.chmod(0o755)
    told = troubles(HOOKLINE_DAEMON="off")
    folder.chmod(0o700)

    assert f"run `chmod 700 {folder}`" in told["daemon.folder"]
    assert troubles(HOOKLINE_DAEMON="off") == {}


def test_a_runtime_folder_that_is_not_there_is_noted(wired, folder, examined):
    found = examined(XDG_RUNTIME_DIR="/nowhere/at/all", HOOKLINE_DAEMON="off")

    assert found["daemon.runtime-dir"][0] == "note"


@pytest.mark.parametrize(("age", "weight"), [(10, "attention"), (100_000, "note")])
def test_what_its_log_says_last_is_said_as_long_as_it_is_news(folder, examined, wired, age, weight):
    abandoned(folder)
    (folder / "log").write_text("first\n2026-01-01 00:00:00 cannot run: no sockets\n\n")
    then = time.time() - age
    os.utime(folder / "log", (then, then))
    (folder / "starting").mkdir()  # so that none can be started

    assert examined()["daemon.log"][0] == weight
    assert "says last: 2026-01-01 00:00:00 cannot run: no sockets;" in examined()["daemon.log"][1]
