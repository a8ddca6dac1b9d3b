"""Fixtures for commands that require an interactive terminal, and for `hookline doctor`."""

import json
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests import commands

HOOKLINE = str(Path(sys.executable).parent / "hookline")


@pytest.fixture
def alone(user):
    """Return a user on whose PATH no agent is installed, with the daemon off."""
    here = str(Path(sys.executable).parent)
    user.env |= {"PATH": f"{here}:/usr/bin:/bin", "HOOKLINE_DAEMON": "off"}
    return user


@pytest.fixture(autouse=True)
def one_latency_run(monkeypatch):
    """Let `hookline doctor` measure each latency once, because the tests do not compare times."""
    monkeypatch.setattr("hookline.cli._doctor.environment.RUNS", 1)


@pytest.fixture
def at_terminal(user):
    """Return a function that runs `hookline` at a terminal and returns (exit code, output)."""

    def run(*words, answer="", stdin="", **env):
        told = user.environment(TERM="xterm", **env)
        child, terminal = pty.fork()
        if child == 0:
            if stdin:
                os.dup2(os.open(stdin, os.O_RDONLY), 0)
            commands.run_and_exit(words, cwd=user.project, env=told)
        seen = _typed(terminal, answer)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), seen

    return run


def _typed(terminal, answer):
    os.write(terminal, answer.encode())
    seen = b"".join(iter(lambda: _read(terminal), b""))
    os.close(terminal)
    return seen.decode().replace("\r\n", "\n")


def _read(terminal):
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux reports EIO once the other end is closed
        return b""


@pytest.fixture
def trusted(user, at_terminal):
    """Return a function that writes files of the project and trusts them."""

    def write(files):
        for name, content in files.items():
            user.write(name, content)
        code, seen = at_terminal("trust", "--yes")
        assert code == 0, seen

    return write


@pytest.fixture
def wired(alone):
    """Return a user for whom hookline is installed in Claude Code, without problems."""
    ran = alone.run("init", "--host", "claude-code", "--yes")
    assert ran.returncode == 0, ran.stderr
    return alone


@pytest.fixture
def examined(wired):
    """Return a function that runs `hookline doctor` and returns {id: (weight, text)} of its findings.

    With *inside*, it runs in its own mount namespace after that shell command. Findings on latency are left
    out, because they depend on the load of the machine.
    """

    def examine(*, inside="", **env):
        own = ["unshare", "-rm", "sh", "-c", f'{inside} && exec "$0" "$@"', HOOKLINE, "doctor", "--json"]
        told = wired.environment(**env)
        ran = (
            subprocess.run(own, capture_output=True, cwd=wired.project, env=told, check=False, timeout=60)
            if inside
            else commands.run(("doctor", "--json"), cwd=wired.project, env=told)
        )
        assert ran.returncode in (0, 1), ran.stderr
        report = json.loads(ran.stdout)
        found = [*report["findings"], *(one for host in report["hosts"] for one in host["findings"])]
        assert report["well"] == (ran.returncode == 0) == all(one["weight"] != "attention" for one in found)
        return {one["id"]: (one["weight"], one["text"]) for one in found if one["id"] != "latency"}

    return examine


@pytest.fixture
def troubles(examined):
    """Return a function that returns the findings that need attention, as {id: text}."""

    def examine(**how):
        return {name: text for name, (weight, text) in examined(**how).items() if weight == "attention"}

    return examine


def can_mount():
    """Return whether this user can mount a file system."""
    if not shutil.which("unshare"):
        return False
    tried = ["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    return subprocess.run(tried, capture_output=True, check=False, timeout=10).returncode == 0


@pytest.fixture(scope="session")
def mounts():
    if not can_mount():
        pytest.skip("requires mount namespaces (unshare -rm, mount)")
