"""The client in Python: as light as an interpreter can be, and the same call whoever answers it."""

import json
import os
import shutil
import signal
import subprocess
import sys

import pytest
from tests.daemon.conftest import CLIENTS, ROOM

from hookline import __version__
from hookline.daemon import asking, messages

LONG = bool(os.environ.get("HOOKLINE_LONG"))
FORCE = "git push --force"
PROBE = """
import sys
before = set(sys.modules)
sys.path.insert(0, sys.argv[1])
import asking
print(*sorted(set(sys.modules) - before))
"""


@pytest.fixture
def house(house):
    house.client = CLIENTS["python"]
    return house


def test_it_loads_nothing_but_sockets():
    probe = [sys.executable, "-I", "-S", "-c", PROBE, str(ROOM)]
    ran = subprocess.run(probe, capture_output=True, text=True, check=True)

    assert ran.stdout.split() == ["_socket", "asking"]


def test_the_clients_are_of_this_release():
    assert asking.RELEASE.decode() == __version__
    assert f"\nhl_version={__version__}\n" in (ROOM / "client.sh").read_text()
    assert asking.LONGEST == messages.LONGEST


@pytest.mark.parametrize("payload", [b"", b"@/etc/passwd", b'{"a": "\0"}', b"\xff\xfe", b"[" * 9, b"{}"])
@pytest.mark.parametrize("words", [(), ("--event",), ("--event", "Nope"), ("--only", "dangerous-command")])
def test_what_makes_no_sense_is_answered_as_by_a_process_of_its_own(house, payload, words):
    house.start()
    apart, asked = (house.ask(payload, *words, HOOKLINE_DAEMON=how) for how in ("off", ""))

    assert (apart.returncode, apart.stdout, apart.stderr) == (asked.returncode, asked.stdout, asked.stderr)


def test_a_call_without_a_host_is_answered_as_well(house):
    house.start()
    asked = house.ask(b"{}", host="--event")

    assert (asked.returncode, asked.stdout) == (0, b"")
    assert b"called wrongly" in asked.stderr


def test_the_largest_payload_arrives_whole(house):
    house.start()
    size = messages.LONGEST - 10_000 if LONG else 20_000_000
    asked = house.ask(json.dumps({**house.user.shell(FORCE), "padding": "x" * size}))

    assert b"deny" in asked.stdout
    assert calls(house) == 1


def test_a_larger_one_is_answered_by_a_process_of_its_own(house):
    house.start()
    asked = house.ask(json.dumps({**house.user.shell(FORCE), "padding": "x" * messages.LONGEST}))

    assert b"deny" in asked.stdout
    assert calls(house) == 0


def test_one_that_wakes_up_late_does_not_keep_the_call_again(house):
    house.start()
    house.process.send_signal(signal.SIGSTOP)
    house.ask(json.dumps(house.user.shell(FORCE)))
    house.process.send_signal(signal.SIGCONT)
    house.kill(signal.SIGTERM)

    assert [one["action"] for one in house.user.log() if one["event"] == "PreToolUse"] == ["block"]


@pytest.mark.parametrize(("mode", "asked"), [(0o700, 1), (0o755, 0), (0o770, 0)])
def test_a_folder_that_others_can_reach_into_is_not_asked(house, mode, asked):
    house.start()
    house.folder.chmod(mode)
    house.ask(b"", host="--event")  # a process of its own starts no daemon over that
    house.folder.chmod(0o700)

    assert calls(house) == asked


def test_one_of_another_release_is_not_asked(house):
    house.start()
    address = house.folder / "address"
    address.write_text(address.read_text().replace(__version__, "0.0.1"))
    house.ask(json.dumps(house.user.shell(FORCE)), HOOKLINE_DAEMON="")

    assert calls(house) == 0


def test_one_of_another_installation_is_not_asked_but_replaced(house, tmp_path):
    copy = tmp_path / "elsewhere"
    shutil.copytree(ROOM.parent, copy / "hookline", ignore=shutil.ignore_patterns("__pycache__"))
    house.start(PYTHONPATH=str(copy))
    said = house.ask(json.dumps(house.user.shell(FORCE)))

    assert b"deny" in said.stdout
    assert house.process.wait(30) == 0
    house.until(lambda: calls(house) == 0)
    house.ask(json.dumps(house.user.shell(FORCE)))
    assert calls(house) == 1


def calls(house):
    ran = subprocess.run(
        [sys.executable, "-P", "-m", "hookline", "daemon", "status", "--json"],
        env=house.environment(),
        capture_output=True,
        check=False,
    )
    return json.loads(ran.stdout).get("calls")
