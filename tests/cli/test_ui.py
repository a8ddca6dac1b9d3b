"""Test `hookline ui`: who may start it, and the link that it prints."""

import fcntl
import os
import pty
import signal
import subprocess
import sys
import termios
from pathlib import Path
from urllib.request import urlopen

import pytest

HOOKLINE = str(Path(sys.executable).parent / "hookline")


def test_an_agent_cannot_start_one_that_changes_something(at_terminal):
    code, seen = at_terminal("ui", CLAUDECODE="1")

    assert code == 1
    assert "is not allowed inside" in seen


def test_a_script_cannot_start_one_that_changes_something(user):
    ran = user.run("ui")

    assert (ran.returncode, b"requires an interactive terminal" in ran.stderr) == (1, True)


def test_an_invalid_port(user):
    assert user.run("ui", "--port", "99999").returncode == 2


@pytest.mark.slow
@pytest.mark.parametrize("words", [["--read-only"], []])
def test_the_link_leads_to_the_page_until_the_user_interrupts(user, words):
    terminal, other_end = pty.openpty()
    process = subprocess.Popen(
        [HOOKLINE, "ui", *words],
        stdin=other_end,
        stdout=subprocess.PIPE,
        env=user.environment(),
        cwd=user.project,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 -- no other thread
    )
    try:
        with process.stdout as lines:
            address, _, key = lines.readline().split()[-1].partition("/#")
            with urlopen(f"{address}/static/dashboard.css", timeout=20) as answer:
                served = answer.status
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)
        os.close(terminal)
        os.close(other_end)

    assert (address.startswith("http://127."), len(key), served) == (True, 32, 200)
    assert process.returncode == 130
