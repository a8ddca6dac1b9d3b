"""Test that the daemon signs grants for a person, and that no other grant counts."""

import json
import os
import pty
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from hookline.core.values import replace
from hookline.daemon.grant_key import AgentProcesses, GrantKey
from hookline.policy import grants
from hookline.system.process import identity
from hookline.system.session_record import CallingSession

RULE = "dangerous-command:git-push-force"
RUN = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))"
"""A program that starts another one, as a host starts its hooks."""
SIGN = """
import os, sys
from hookline.daemon import control
from hookline.daemon.paths import DaemonFolder
from hookline.policy import grants
place = DaemonFolder(path=sys.argv[1])
grant = grants.new_grant(os.getcwd(), "off", "off", now=__import__("time").time(), seconds=600)
reply = control.ask(place, "sign", grants.format_grants([grant]).encode())
print(reply and (reply.code, reply.stdout.decode(), reply.stderr.decode()))
"""
"""A program that asks the daemon for a signature itself."""


def at_terminal(house, *words, program="", **env):
    """Run `hookline` or *program* at a terminal and return (exit code, output)."""
    command = [str(house.root / "bin" / (program or "hookline")), *words]
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(house.user.project)
        os.execve(command[0], command, house.environment(**env))
    seen = b""
    while chunk := _read(terminal):
        seen += chunk
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), seen.decode().replace("\r\n", "\n")


def _read(terminal):
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux reports EIO once the other end is closed
        return b""


def is_stopped(house, call="first", **env):
    payload = {**house.user.shell("git push --force"), "tool_use_id": call}
    return b'"deny"' in house.ask(payload, client=(sys.executable, "-c", RUN, house.client), **env).stdout


def notes(house):
    return " ".join(step.get("note", "") for step in house.user.log()[-1]["trail"])


def grant_file(house):
    return house.user.home / ".local/state/hookline/passes.json"


def write_grant(house, **changes):
    made = grants.new_grant(str(house.user.project), "off", "off", now=time.time(), seconds=600)
    grants.add_grant(str(grant_file(house)), replace(made, **changes), time.time())


@pytest.mark.slow
def test_a_signed_exception_counts_once_for_all_entries_of_a_call(daemon):
    code, seen = at_terminal(daemon, "allow", "--once", RULE)

    assert (code, f"one call that {RULE} would stop" in seen) == (0, True)
    with ThreadPoolExecutor(2) as pool:
        entries = [pool.submit(is_stopped, daemon) for _ in range(2)]
    assert [entry.result() for entry in entries] == [False, False]
    assert is_stopped(daemon, "second")


@pytest.mark.slow
def test_the_command_starts_a_daemon(house):
    assert at_terminal(house, "off", "10m")[0] == 0
    assert not is_stopped(house)


@pytest.mark.slow
def test_a_grant_ends_with_its_daemon(daemon):
    at_terminal(daemon, "off", "10m")
    at_terminal(daemon, "approve", ".env")
    at_terminal(daemon, "allow", "--once", RULE)
    assert not is_stopped(daemon)
    assert at_terminal(daemon, "daemon", "stop")[0] == 0
    explained = daemon.run("explain", "claude-code", "git push --force").stdout
    daemon.process.wait(20)
    daemon.start()

    assert is_stopped(daemon, "second")
    assert "`hookline off` is ignored: it ended with the daemon that signed it" in notes(daemon)
    assert f"`hookline allow --once {RULE}` is ignored: it ended with the daemon" in notes(daemon)
    assert "PreToolUse: block" in explained
    assert "`hookline off` is ignored: it ended with the daemon that signed it" in explained
    assert "/.env  ignored: it ended with the daemon" in daemon.run("approve", "--list").stdout
    assert "3 grants revoked" in daemon.run("on").stdout


@pytest.mark.slow
def test_a_call_without_the_daemon_honours_no_grant(daemon):
    at_terminal(daemon, "off", "10m")

    assert is_stopped(daemon, HOOKLINE_DAEMON="off")
    assert f"`hookline off` is ignored: {grants.WITHOUT_DAEMON}" in notes(daemon)
    assert not is_stopped(daemon, "second")


def test_no_grant_is_issued_if_the_daemon_is_off(house):
    code, seen = at_terminal(house, "off", "10m", HOOKLINE_DAEMON="off")

    assert (code, "HOOKLINE_DAEMON=off disables it" in seen) == (1, True)
    assert not grant_file(house).exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, grants.UNSIGNED),
        ({"kind": ""}, grants.UNSIGNED),  # as earlier releases wrote it
        ({"signature": "0" * 64}, grants.ENDED),
        ({"signature": "é"}, grants.ENDED),
    ],
)
def test_a_forged_grant_is_ignored_and_reported(daemon, changes, reason):
    write_grant(daemon, **changes)
    findings = json.loads(daemon.run("doctor", "--json").stdout)["findings"]

    ignored = "`hookline off`" if changes.get("kind", "off") else "`grant off`"

    assert is_stopped(daemon)
    assert [one["text"] for one in findings if one["id"] == "guards.grant-ignored"] == [
        f"{ignored} is ignored: {reason}; `hookline on` removes it"
    ]


@pytest.mark.slow
def test_an_agent_gets_no_signature_from_the_socket(daemon):
    words = ("-c", SIGN, str(daemon.folder))
    without = subprocess.run(
        [daemon.root / "bin/python", *words],
        capture_output=True,
        text=True,
        cwd=daemon.user.project,
        check=False,
    ).stdout
    person = at_terminal(daemon, *words, program="python")[1]
    agent = at_terminal(daemon, *words, program="python", CLAUDECODE="1")[1]
    is_stopped(daemon)  # the daemon learns that a process of this test is a host
    hidden = subprocess.run(
        [sys.executable, "-c", HOST, daemon.client, daemon.root / "bin/python", *words],
        input=json.dumps({**daemon.user.shell("ls"), "session_id": "another"}),
        capture_output=True,
        text=True,
        cwd=daemon.user.project,
        env=daemon.environment(),
        check=False,
    ).stdout

    assert "requires an interactive terminal" in without
    assert '"signature": "' in person
    assert "not allowed inside claude-code" in agent
    assert "not allowed inside an agent" in hidden


HOST = """
import os, pty, subprocess, sys
subprocess.run([sys.argv[1], "hook", "claude-code"], check=True)
pty.spawn(["env", "-i", "PATH=/usr/bin:/bin", *sys.argv[2:]])
"""
"""A host without variables of its own, whose agent opens a terminal for the program."""


@pytest.mark.slow
def test_grants_that_are_signed_at_the_same_time_all_count(daemon):
    with ThreadPoolExecutor(4) as pool:
        codes = [code for code, _ in pool.map(lambda _: at_terminal(daemon, "approve", ".env"), range(4))]

    assert codes == [0] * 4
    assert daemon.run("approve", "--list").stdout.count("/.env  until ") == 4


@pytest.mark.slow
def test_a_daemon_does_not_exit_while_a_grant_lasts(house):
    house.start("1")
    at_terminal(house, "off", "10m")
    time.sleep(3)

    assert house.running()


@pytest.mark.slow
@pytest.mark.skipif(os.getuid() == 0, reason="root reads the memory of every process")
def test_the_memory_of_the_daemon_cannot_be_read(daemon):
    with pytest.raises(PermissionError):
        os.open(f"/proc/{daemon.process.pid}/mem", os.O_RDONLY)


def new(seconds=600.0):
    return grants.new_grant("/p", "rule", "r", now=time.time(), seconds=seconds)


def test_a_grant_is_used_once_by_many_threads():
    key, used, start = GrantKey(), [], threading.Barrier(8)
    signed = key.sign(new())

    def use():
        start.wait()
        used.append(key.spend(signed))

    threads = [threading.Thread(target=use) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]

    assert sorted(used) == [False] * 7 + [True]


@pytest.mark.parametrize("changes", [{"ends": 9e18}, {"until": 0.0}, {"boot": "another"}])
def test_a_grant_without_an_end_is_not_signed(changes):
    with pytest.raises(ValueError, match="at most 28800 seconds"):
        GrantKey().sign(replace(new(), **changes))


@pytest.mark.parametrize(
    "changes", [{"root": "/q"}, {"kind": "off"}, {"subject": "s"}, {"until": 9e9}, {"ends": 9e9}, {"id": "i"}]
)
def test_every_field_is_signed(changes):
    key = GrantKey()
    signed = key.sign(new())

    assert key.check(signed) == ""
    assert key.check(replace(signed, **changes)) == grants.ENDED
    assert GrantKey().check(signed) == grants.ENDED


@pytest.mark.parametrize(("terminal", "refused"), [(b"3", False), (b"0", True)])
def test_a_hook_that_a_person_calls_makes_no_agent_of_the_terminal(monkeypatch, terminal, refused):
    rest = [b"7"] * 15
    stats = {
        10: ("hookline-client", [b"S", b"11", b"0", b"0", terminal, *rest]),
        11: ("bash", [b"S", b"12", b"0", b"0", terminal, *rest]),
        12: ("tmux", [b"S", b"1", b"0", b"0", b"0", *rest]),
    }
    monkeypatch.setattr(identity, "read_stat", stats.__getitem__)
    monkeypatch.setattr("hookline.daemon.grant_key.find_agent_above", lambda process: "")
    agents = AgentProcesses()
    agents.record(CallingSession(id="s", process=10))

    assert ("inside an agent" in agents.explain_refusal(11)) == refused
