"""One daemon for a user, however many start it, whatever was left behind, and never again and again."""

import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.daemon.conftest import CLIENTS

from hookline.daemon import control, start
from hookline.daemon.paths import Place
from hookline.system import lives

LONG = bool(os.environ.get("HOOKLINE_LONG"))
FORCE = "git push --force"
PACKAGE = Path(start.__file__).parents[1]


def up(house):
    return house.until(lambda: (house.folder / "address").exists() and status(house).get("process"))


def status(house):
    ran = house.user.run("daemon", "status", "--json", **house.environment())
    return json.loads(ran.stdout)


def test_calls_that_come_at_once_start_one(house):
    with ThreadPoolExecutor(50) as pool:
        asks = [
            pool.submit(house.ask, json.dumps(house.user.shell(FORCE))) for _ in range(50 if LONG else 12)
        ]
        said = [one.result().stdout for one in asks]
    process = up(house)
    house.until(lambda: house.running() == [process])

    assert all(b"deny" in one for one in said)


def test_of_those_that_would_be_it_at_once_one_is(house):
    began = [
        subprocess.Popen([sys.executable, "-m", "hookline.daemon"], env=house.environment(), cwd="/")
        for _ in range(20 if LONG else 6)
    ]
    process = up(house)
    others = [one for one in began if one.pid != process]

    assert [one.wait(60) for one in others] == [0] * (len(began) - 1)
    house.end()
    for one in began:
        one.wait(20)


def test_what_a_killed_one_left_behind_is_no_hindrance(house):
    first = house.start().process.pid
    house.kill()
    left = {one.name for one in house.folder.iterdir()}
    asked = house.ask(json.dumps(house.user.shell(FORCE)))
    (second,) = house.until(house.running)

    assert {"address", "socket", "lock"} <= left
    assert b"deny" in asked.stdout
    assert second != first
    house.until(lambda: status(house).get("process") == second)


def test_one_that_came_up_may_be_followed_at_once(house):
    assert start.ensure(house.environment())
    process = up(house)
    house.until(lambda: not (house.folder / "starting").read_bytes())
    os.kill(process, 9)
    house.until(lambda: not control.held(Place(folder=str(house.folder))))

    assert start.ensure(house.environment())


def test_one_that_does_not_come_up_is_not_started_again_and_again(house):
    (house.folder / "address").mkdir()  # it cannot be told of
    (house.folder / "address" / "x").touch()

    assert [start.ensure(house.environment()) for _ in range(5)] == [True, False, False, False, False]
    house.until(lambda: b"cannot run" in (house.folder / "log").read_bytes())
    assert not start.ensure(house.environment())


@pytest.mark.parametrize(
    ("noted", "again"),
    [
        (lambda: f"{lives.boot()} {lives.now() - start.AGAIN + 5}", False),
        (lambda: f"{lives.boot()} {lives.now() - start.AGAIN - 1}", True),
        (lambda: f"{lives.boot()} {lives.now() + 1e6}", True),
        (lambda: f"another-run-of-the-machine {lives.now()}", True),
        (lambda: "", True),
        (lambda: "\xff no time", True),
    ],
    ids=["just now", "long ago", "still to come", "before the machine went down", "empty", "nonsense"],
)
@pytest.mark.parametrize("jump", [-1e9, 0, 1e9])
def test_no_clock_that_jumps_keeps_one_from_being_started(house, noted, again, jump):
    note = house.folder / "starting"
    note.write_text(noted())
    os.utime(note, (time.time() + jump,) * 2)
    (house.folder / "log").mkdir()  # so that none is really started
    start.ensure(house.environment())

    assert _tried_again(note) is again


def _tried_again(note):
    """Whether the start was noted as of now."""
    boot, _, then = note.read_text().partition(" ")
    return boot == lives.boot() and abs(lives.now() - float(then)) < 3


@pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
def test_none_is_started_where_it_is_switched_off(house, client):
    assert not start.ensure(house.environment(HOOKLINE_DAEMON="off"))
    house.ask(json.dumps(house.user.shell("ls")), client=client, HOOKLINE_DAEMON="off")

    assert list(house.folder.iterdir()) == []
    assert house.running() == []


def test_a_host_need_not_wait_for_the_daemon_that_its_call_started(house):
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)  # noqa: FBT003 -- it is called so
    asked = subprocess.run(
        [*map(str, house.client), "claude-code"],
        input=json.dumps(house.user.shell(FORCE)).encode(),
        capture_output=True,
        env=house.environment(),
        cwd=house.user.project,
        pass_fds=[writing],
        check=False,
        timeout=60,
    )
    os.close(writing)
    house.until(house.running)

    assert b"deny" in asked.stdout
    assert os.read(reading, 1) == b""  # nobody holds the other end
    os.close(reading)


@pytest.fixture
def elsewhere(house, tmp_path):
    """A daemon of another installation of the same release."""
    copy = tmp_path / "elsewhere"
    shutil.copytree(PACKAGE, copy / "hookline", ignore=shutil.ignore_patterns("__pycache__"))
    house.start(PYTHONPATH=str(copy))
    return house, copy / "hookline"


def test_one_of_another_installation_is_replaced(elsewhere):
    house, _ = elsewhere
    told = status(house)
    started = house.user.run("daemon", "start", **house.environment())
    house.process.wait(20)

    assert (told["process"], told["this_installation"]) == (house.process.pid, False)
    assert started.returncode == 0
    assert status(house)["this_installation"]
    assert len(house.running()) == 1


def test_a_call_that_finds_one_of_another_installation_replaces_it_too(elsewhere):
    house, _ = elsewhere

    assert start.ensure(house.environment())
    house.process.wait(30)
    house.until(lambda: status(house).get("this_installation"))


def test_a_client_in_bash_does_not_ask_one_of_another_installation(daemon, tmp_path):
    """Beside whose program there is another client than the one that was called."""
    (tmp_path / "hookline-client").write_text("another")
    address = daemon.folder / "address"
    first, _ = address.read_text().splitlines()
    address.write_text(f"{first}\n{tmp_path}\n")
    said = daemon.ask(json.dumps(daemon.user.shell(FORCE)), HOOKLINE_DAEMON="")

    assert b"deny" in said.stdout
    assert status(daemon)["calls"] == 0


def test_one_whose_files_have_changed_answers_no_more(elsewhere):
    house, package = elsewhere
    first = house.ask(json.dumps(house.user.shell(FORCE)))
    answered = status(house)["calls"]
    with (package / "chain.py").open("a") as file:
        file.write("# edited\n")
    time.sleep(1.1)  # it looks once a second
    second = house.ask(json.dumps(house.user.shell(FORCE)))

    assert answered == 1
    assert (b"deny" in first.stdout, b"deny" in second.stdout) == (True, True)
    assert house.process.wait(20) == 0
    house.until(lambda: status(house).get("this_installation"))  # the call has started what is installed


def test_a_place_without_locks_is_left_alone(house):
    """As far as it can be had here: whatever is wrong with the lock, a call is answered."""
    (house.folder / "lock").mkdir()
    asked = house.ask(json.dumps(house.user.shell(FORCE)))

    assert b"deny" in asked.stdout
    assert house.running() == []
