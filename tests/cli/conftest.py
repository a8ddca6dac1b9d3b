"""A terminal with a person at it, for what only a person may do."""

import json
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests import forked_commands

HOOKLINE = str(Path(sys.executable).parent / "hookline")


@pytest.fixture
def alone(user):
    """A user with no agent installed but what a test wires, who does without a daemon."""
    here = str(Path(sys.executable).parent)
    user.env |= {"PATH": f"{here}:/usr/bin:/bin", "HOOKLINE_DAEMON": "off"}
    return user


@pytest.fixture
def at_terminal(user):
    """Run `hookline` as if typed: (exit code, everything that the person saw)."""

    def run(*words, answer="", stdin="", **env):
        told = user.environment(TERM="xterm", **env)
        if forked_commands.can(words, told):
            return forked(words, answer, stdin, told)
        child, terminal = pty.fork()
        if child == 0:
            if stdin:
                os.dup2(os.open(stdin, os.O_RDONLY), 0)
            os.chdir(user.project)
            os.execve(HOOKLINE, [HOOKLINE, *words], told)
        seen = _typed(terminal, answer)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), seen

    def forked(words, answer, stdin, env):
        terminal, theirs = pty.openpty()
        first = os.open(stdin, os.O_RDONLY) if stdin else theirs
        one = forked_commands.Started(
            words, (first, theirs, theirs), cwd=user.project, env=env, terminal=True
        )
        seen = _typed(terminal, answer)
        return one.wait(), seen

    return run


def _typed(terminal, answer):
    os.write(terminal, answer.encode())
    seen = b"".join(iter(lambda: _read(terminal), b""))
    os.close(terminal)
    return seen.decode().replace("\r\n", "\n")


def _read(terminal):
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end is gone
        return b""


@pytest.fixture
def trusted(user, at_terminal):
    """Files of the project, which its user has trusted."""

    def write(files):
        for name, content in files.items():
            user.write(name, content)
        code, seen = at_terminal("trust", "--yes")
        assert code == 0, seen

    return write


@pytest.fixture
def wired(alone):
    """One with one agent wired, with whom all is well."""
    ran = alone.run("init", "--host", "claude-code", "--yes")
    assert ran.returncode == 0, ran.stderr
    return alone


@pytest.fixture
def examined(wired):
    """What `hookline doctor` says: each finding by its id, as (weight, text); in a world of its own if told.

    What takes long here is no fault of whom it is said to.
    """

    def examine(*, inside="", **env):
        own = ["unshare", "-rm", "sh", "-c", f'{inside} && exec "$0" "$@"', HOOKLINE, "doctor", "--json"]
        told = wired.environment(**env)
        ran = (
            subprocess.run(own, capture_output=True, cwd=wired.project, env=told, check=False, timeout=60)
            if inside
            else forked_commands.run(("doctor", "--json"), cwd=wired.project, env=told)
        )
        assert ran.returncode in (0, 1), ran.stderr
        report = json.loads(ran.stdout)
        found = [*report["findings"], *(one for host in report["hosts"] for one in host["findings"])]
        assert report["well"] == (ran.returncode == 0) == all(one["weight"] != "attention" for one in found)
        return {one["id"]: (one["weight"], one["text"]) for one in found if one["id"] != "latency"}

    return examine


@pytest.fixture
def troubles(examined):
    """Only what needs somebody, as text by id."""

    def examine(**how):
        return {name: text for name, (weight, text) in examined(**how).items() if weight == "attention"}

    return examine


def can_mount():
    """Whether a user may have a disk of their own here."""
    if not shutil.which("unshare"):
        return False
    tried = ["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    return subprocess.run(tried, capture_output=True, check=False, timeout=10).returncode == 0


@pytest.fixture(scope="session")
def mounts():
    if not can_mount():
        pytest.skip("no disks of one's own here (unshare -rm, mount)")
