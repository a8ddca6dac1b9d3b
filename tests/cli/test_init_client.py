"""What is wired is the client that asks the daemon, wherever it can work."""

import json

import pytest
from tests.conftest import HOOKLINE

from hookline import hosts

CLIENT = HOOKLINE.with_name("hookline-client")
WIRABLE = [name for name in hosts.names() if hosts.load(name).wiring]


def wired(user, name, **env):
    done = user.run("init", "--user", "--yes", "--host", name, **env)
    assert done.returncode == 0, done.stderr
    files = [path for path in user.home.rglob("*") if path.is_file() and ".local" not in path.parts]
    return "".join(path.read_text() for path in files)


@pytest.mark.parametrize("name", WIRABLE)
def test_the_client_is_wired_and_recognised(user, name):
    text = wired(user, name, HOOKLINE_DAEMON="on")
    again = user.run("init", "--user", "--yes", "--host", name, HOOKLINE_DAEMON="on")

    assert "hookline-client" in text
    assert name in text
    assert b"wired already" in again.stdout


def test_doctor_tries_the_client(user):
    wired(user, "claude-code", HOOKLINE_DAEMON="on")
    report = json.loads(user.run("doctor", "--json", "--host", "claude-code").stdout)
    (wire,) = next(one for one in report["hosts"] if one["name"] == "claude-code")["wired"]

    assert [one["problem"] for one in wire["commands"]] == [""]
    assert wire["differs"] == []
    assert "another installation" not in json.dumps(report)


def test_where_there_is_a_compiler_the_client_in_c_is_made_once(user):
    text = wired(user, "claude-code", HOOKLINE_DAEMON="on")
    (made,) = user.home.glob(".local/share/hookline/clients/*/hookline-client")
    before = made.stat().st_mtime_ns
    user.run("upgrade", "--yes", HOOKLINE_DAEMON="on")

    assert f"{made} hook claude-code" in text
    assert made.stat().st_mtime_ns == before
    assert [one.name for one in made.parent.iterdir()] == ["hookline-client"]


def test_without_a_compiler_that_of_bash_is_wired(user, tmp_path):
    for name in ("git", "bash", "sh"):
        (tmp_path / name).symlink_to(f"/usr/bin/{name}")
    text = wired(user, "claude-code", HOOKLINE_DAEMON="on", PATH=str(tmp_path))

    assert f"{CLIENT} hook claude-code" in text


def test_a_compiler_that_fails_is_done_without(user, tmp_path):
    (tmp_path / "cc").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "cc").chmod(0o755)
    text = wired(user, "claude-code", HOOKLINE_DAEMON="on", PATH=f"{tmp_path}:/nowhere")

    assert f"{CLIENT} hook claude-code" in text
    assert list(user.home.glob(".local/share/hookline/clients/*/*")) == []


def test_what_is_only_shown_makes_nothing(user):
    user.run("init", "--user", "--print", "--host", "claude-code", HOOKLINE_DAEMON="on")
    user.run("init", "--user", "--dry-run", "--host", "claude-code", HOOKLINE_DAEMON="on")

    assert not (user.home / ".local/share").exists()


def test_without_a_daemon_the_program_itself_is_wired(user):
    text = wired(user, "claude-code", HOOKLINE_DAEMON="off")

    assert f"{HOOKLINE} hook claude-code" in text
    assert "hookline-client" not in text


def test_the_client_hands_everything_else_over(user):
    import subprocess

    said = subprocess.run([CLIENT, "--version"], capture_output=True, check=True, env=user.environment())

    assert said.stdout.startswith(b"hookline ")
