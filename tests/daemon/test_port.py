"""The port and the secret that stand in hosts' settings."""

import json
import socket
import stat
from pathlib import Path

import pytest

from hookline.daemon import port


@pytest.fixture
def env(tmp_path):
    return {"HOME": str(tmp_path)}


def test_they_are_chosen_once(env):
    first = port.chosen(env)

    assert port.chosen(env) == port.kept(env) == first
    assert first.port in port.PORTS
    assert stat.S_IMODE(Path(port.path(env)).stat().st_mode) == 0o600


def test_nothing_is_kept_where_nobody_chose(env):
    assert port.kept(env) is None
    assert port.trouble(env) == ""


@pytest.mark.parametrize(
    "told",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"port": "x", "secret": "y"}',
        '{"port": 0, "secret": "y"}',
        '{"port": 99999, "secret": "y"}',
        '{"port": 2000, "secret": ""}',
        '{"port": 2000, "secret": "a\\r\\nb"}',
    ],
)
def test_what_cannot_be_read_is_chosen_anew(env, told):
    path = Path(port.path(env))
    path.parent.mkdir(parents=True)
    path.write_text(told)

    assert port.kept(env) is None
    assert json.loads(path.read_text() if port.chosen(env) else "")["port"] in port.PORTS


def test_it_is_said_when_hosts_would_ask_nobody_or_somebody_else(env):
    known = port.chosen(env)
    assert "nobody listens" in port.trouble(env)

    with socket.socket() as other:
        other.bind(("127.0.0.1", known.port))
        other.listen()
        assert "another program" in port.trouble(env, within=0.2)


def test_nothing_is_said_of_a_daemon_that_answers_and_the_secret_is_looked_at(house):
    house.kept = port.chosen(house.environment())
    house.start()
    assert port.trouble(house.environment()) == ""

    path = Path(port.path(house.environment()))
    path.write_text(json.dumps({"port": house.kept.port, "secret": "another"}))
    assert "secret is missing or wrong" in port.trouble(house.environment())


def test_a_dry_run_keeps_nothing(env):
    assert port.chosen(env, keep=False).port in port.PORTS
    assert port.kept(env) is None
