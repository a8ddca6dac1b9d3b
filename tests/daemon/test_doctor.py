"""Test how `hookline doctor` and `hookline init` treat the daemon and its client."""

import json
import os
import signal
import time

import pytest
from tests.daemon.conftest import build

from hookline import hosts

pytestmark = pytest.mark.slow

WIRABLE = [name for name in hosts.names() if hosts.load(name).install]


@pytest.fixture
def wired(house):
    ran = house.run("init", "--host", "claude-code", "--yes")
    assert ran.returncode == 0, ran.stderr
    return house


def examined(house, **env):
    """Return the findings of the doctor as {id: (weight, text)}."""
    report = json.loads(house.run("doctor", "--json", **env).stdout)
    found = [*report["findings"], *(one for host in report["hosts"] for one in host["findings"])]
    return {one["id"]: (one["weight"], one["text"]) for one in found}


def test_one_that_answers_is_well_and_calls_are_measured_through_it(wired):
    wired.start()
    weight, text = examined(wired)["daemon.runs"]
    report = json.loads(wired.run("doctor", "--json").stdout)

    assert weight == "well"
    assert f"process {wired.process.pid}, Python" in text
    assert report["latency_ms"]["daemon"] > 0
    assert wired.user.log() == []


def test_one_is_started_as_a_call_would(wired):
    found = examined(wired)

    assert found["daemon.none"][0] == "note"
    assert "daemon.start" not in found
    assert len(wired.running()) == 1


def test_one_that_does_not_start_is_reported(wired):
    (wired.folder / "lock").mkdir()
    found = examined(wired)

    assert "started but does not answer" in found["daemon.start"][1]
    assert "Is a directory" in examined(wired)["daemon.log"][1]


def test_one_that_hangs_is_reported_and_replaced(wired):
    wired.start().process.send_signal(signal.SIGSTOP)
    found = examined(wired)
    weight, text = found["daemon.hangs"]

    assert (weight, "does not answer: the next call replaces it" in text) == ("attention", True)
    assert f"process {wired.process.pid}" in text
    assert found["install.answers"][0] == "well"


def test_that_it_is_switched_off_is_noted(wired):
    weight, text = examined(wired, HOOKLINE_DAEMON="off")["daemon.off"]

    assert (weight, "unset it" in text) == ("note", True)
    assert wired.running() == []


@pytest.mark.parametrize(("age", "weight"), [(10, "attention"), (100_000, "note")])
def test_the_last_line_of_the_log_is_reported_while_it_is_news(wired, age, weight):
    (wired.folder / "log").write_text("first\n2026-01-01 00:00:00 cannot run: no sockets\n\n")
    then = time.time() - age
    os.utime(wired.folder / "log", (then, then))
    found = examined(wired)["daemon.log"]

    assert found[0] == weight
    assert "last line of the daemon's log: 2026-01-01 00:00:00 cannot run: no sockets;" in found[1]


def test_the_client_in_use_is_named(each):
    weight, text = examined(each)["client"]
    compiled = each.client.read_bytes() == build("c").read_bytes() if build("c") else False

    assert weight == "note"
    assert str(each.client) in text
    assert ("compiled" in text) is compiled


def test_a_missing_client_is_reported(house):
    house.client.unlink()

    assert examined(house)["client.missing"][0] == "attention"


@pytest.mark.parametrize("name", WIRABLE)
@pytest.mark.parametrize("scope", [(), ("--user",)], ids=["project", "user"])
def test_init_writes_the_name_of_the_client_into_every_file(house, name, scope):
    shown = house.run("init", "--print", "--host", name, *scope)
    if shown.returncode:
        pytest.skip(f"{name} has no settings file in this scope")

    assert "hookline-client" in shown.stdout
    assert str(house.root) not in shown.stdout.replace(f"{house.root}/home", "")


def test_init_writes_the_path_where_the_name_means_nothing(house):
    shown = house.run("init", "--print", "--user", "--host", "claude-code", PATH="/usr/bin:/bin")

    assert f"{house.client} hook claude-code" in shown.stdout


def test_doctor_tries_the_client(house):
    house.run("init", "--user", "--yes", "--host", "claude-code")
    report = json.loads(house.run("doctor", "--json", "--host", "claude-code").stdout)
    (wire,) = next(one for one in report["hosts"] if one["name"] == "claude-code")["installed"]

    assert [one["problem"] for one in wire["commands"]] == [""]
    assert wire["differs"] == []
    assert "another installation" not in json.dumps(report)
