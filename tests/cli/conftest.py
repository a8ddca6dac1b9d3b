"""A terminal with a person at it, for what only a person may do."""

import os
import pty
import sys
from pathlib import Path

import pytest

HOOKLINE = str(Path(sys.executable).parent / "hookline")


@pytest.fixture
def at_terminal(user):
    """Run `hookline` as if typed: (exit code, everything that the person saw)."""

    def run(*words, answer="", stdin="", **env):
        child, terminal = pty.fork()
        if child == 0:
            if stdin:
                os.dup2(os.open(stdin, os.O_RDONLY), 0)
            os.chdir(user.project)
            os.execve(HOOKLINE, [HOOKLINE, *words], user.environment(TERM="xterm", **env))
        os.write(terminal, answer.encode())
        seen = b"".join(iter(lambda: _read(terminal), b""))
        os.close(terminal)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), seen.decode().replace("\r\n", "\n")

    return run


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
