"""Test `hookline daemon`: messages for humans, exit codes and JSON for scripts."""

import json
import os
import pty
import signal
from contextlib import suppress

import pytest

from hookline import __version__


def run(house, *words, **env):
    ran = house.run("daemon", *words, **env)
    return ran.returncode, ran.stdout, ran.stderr


@pytest.mark.slow
def test_a_running_daemon_is_described(daemon):
    daemon.ask(daemon.user.shell("ls"))
    code, said, _ = run(daemon, "status")
    lines = said.splitlines()

    assert code == 0
    process = f"process {daemon.process.pid}, hookline {__version__}, Python "
    assert lines[0].startswith(f"the daemon is running: {process}")
    assert lines[1].startswith("answered 1 call since ")
    assert lines[1].endswith("; exits after 30 minutes without one")
    assert lines[2:] == [f"folder: {daemon.folder}", f"belongs to this installation: {daemon.root}/bin"]


def test_no_daemon_is_described(house):
    assert run(house, "status") == (1, "no daemon is running; the next call starts one\n", "")


@pytest.mark.slow
@pytest.mark.parametrize("switch", ["", "off"])
def test_scripts_read_the_same(daemon, switch):
    code, said, _ = run(daemon, "status", "--json", HOOKLINE_DAEMON=switch)
    told = json.loads(said)

    assert code == 0
    assert told["this_installation"]
    assert {name: told[name] for name in ("runs", "off", "process", "calls", "idle", "folder")} == {
        "runs": True,
        "off": switch == "off",
        "process": daemon.process.pid,
        "calls": 0,
        "idle": 1800.0,
        "folder": str(daemon.folder),
    }


def test_scripts_read_that_none_runs(house):
    code, said, _ = run(house, "status", "--json")

    assert code == 1
    assert json.loads(said) == {
        "runs": False,
        "folder": str(house.folder),
        "off": False,
        "hangs": False,
        "problems": [],
    }


@pytest.mark.slow
def test_it_is_started_once_and_stopped(house):
    first, second = run(house, "start"), run(house, "start")
    (process,) = house.running()
    stopped, again = run(house, "stop"), run(house, "stop")

    assert first == (0, f"daemon started, process {process}\n", "")
    assert second == (0, "the daemon is already running; see `hookline daemon status`\n", "")
    assert stopped == (0, "daemon stopped; the next call starts it again\n", "")
    assert again == (0, "no daemon is running\n", "")
    assert house.running() == []


@pytest.mark.slow
def test_none_is_started_where_it_is_switched_off(house):
    code, _, wrong = run(house, "start", HOOKLINE_DAEMON="off")

    assert code == 2
    assert "HOOKLINE_DAEMON=off" in wrong
    assert "HOOKLINE_DAEMON=off" in run(house, "status", HOOKLINE_DAEMON="off")[1]
    assert house.running() == []


@pytest.mark.slow
def test_one_that_hangs_is_described_and_stopped(daemon):
    daemon.process.send_signal(signal.SIGSTOP)
    code, said, _ = run(daemon, "status")
    stopped = run(daemon, "stop")

    assert code == 1
    process = daemon.process.pid
    assert said == f"process {process} holds {daemon.folder} and does not answer; the next call replaces it\n"
    assert stopped[0] == 0
    assert daemon.process.wait(20) == -signal.SIGKILL


def test_a_folder_that_others_can_open_is_reported(house):
    house.folder.chmod(0o770)
    why = f"other users can write to {house.folder}"

    assert f"{house.folder} is not used: {why}" in run(house, "status")[1]


@pytest.mark.slow
def test_one_that_cannot_start_is_reported(house):
    (house.folder / "lock").mkdir()
    code, _, wrong = run(house, "start")

    assert code == 1
    assert "see `hookline daemon logs`" in wrong
    assert "cannot run" in run(house, "logs")[1]


def test_an_empty_log_is_described(house):
    assert run(house, "logs")[1].endswith(" is empty\n")


def test_control_sequences_in_the_log_are_not_printed(house):
    (house.folder / "log").write_bytes(b"one\x1b[2J\ntwo\xff\n")

    assert run(house, "logs")[1] == "one␛[2J\ntwo\ufffd\n"


def test_an_unknown_action_is_refused(house):
    assert run(house, "restart")[0] == 2


@pytest.mark.slow
def test_the_last_uninstall_stops_the_daemon(daemon):
    daemon.run("init", "--user", "--yes", "--host", "claude-code", "--host", "codex")
    daemon.ask(daemon.user.shell("ls"))
    seen = [
        at_terminal(daemon, "uninstall", "--user", "--yes", "--host", host)
        for host in ("codex", "claude-code")
    ]

    assert ["the daemon was stopped" in said for said in seen] == [False, True]
    assert str(daemon.client) in seen[1]
    assert daemon.status() is None


def at_terminal(house, *words):
    """Run `hookline` of the installation at a terminal and return its output."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(house.user.project)
        os.execve(house.root / "bin/hookline", ["hookline", *words], house.environment(TERM="xterm"))
    seen = b""
    with suppress(OSError):  # Linux reports EIO once the other end is closed
        while data := os.read(terminal, 65536):
            seen += data
    os.close(terminal)
    os.waitpid(child, 0)
    return seen.decode()


@pytest.mark.slow
def test_an_agent_cannot_stop_it(daemon):
    code, _, told = run(daemon, "stop", CLAUDECODE="1")

    assert (code, "not allowed inside claude-code" in told) == (1, True)
    assert daemon.running()
