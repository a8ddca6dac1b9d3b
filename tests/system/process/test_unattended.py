"""Test unattended programs: they are asked to end before they are killed, and leave no processes."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from hookline.system.process import unattended
from hookline.system.process.unattended import Command, RunResult

QUICK = ((signal.SIGINT, 0.5), (signal.SIGTERM, 0.5))


@pytest.fixture
def ran(tmp_path):
    def run(script, *, limit=20.0, stdin=None, ladder=QUICK, **more):
        work = Command(
            argv=("sh", "-c", script), cwd=str(tmp_path), env=dict(os.environ), stdin=stdin, **more
        )
        return unattended.run(work, limit=limit, log=str(tmp_path / "log"), end_signals=ladder)

    return run


def there(name):
    """Return the processes with *name* in their command line."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found += [path] * (name.encode() in path.read_bytes())
    return found


def test_what_it_prints_is_in_the_log_and_its_end_at_hand(ran, tmp_path):
    over = ran("echo out; echo err >&2; exit 3")

    assert (over.code, over.timed_out, over.tail) == (3, False, "out\nerr\n")
    assert (tmp_path / "log").read_text() == "out\nerr\n"


def test_it_has_no_stdin_unless_it_is_given_one(ran):
    assert ran("cat; echo end").tail == "end\n"
    assert ran("cat", stdin="told\n" * 50_000).tail[-5:] == "told\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("traps", "said"),
    [
        ("trap 'echo INT; exit' INT; trap 'echo TERM; exit' TERM", ["INT"]),
        ("trap 'echo INT' INT; trap 'echo TERM; exit' TERM", ["INT", "TERM"]),
        ("trap 'echo INT' INT; trap 'echo TERM' TERM", ["INT", "TERM"]),
        ("kill -STOP $$", []),
    ],
)
def test_it_is_asked_twice_and_then_killed(ran, traps, said):
    over = ran(f"{traps}; while :; do sleep 0.05; done", limit=0.3)

    heard = [line for line in over.tail.splitlines() if line in ("INT", "TERM")]

    assert (over.timed_out, heard) == (True, said)


def test_children_of_any_kind_do_not_outlive_it(ran):
    name = f"10{os.getpid()}"
    script = f"sleep {name} & setsid sleep {name} & setsid env -i setsid sleep {name} & sleep 0.1; true"
    over = ran(script)

    assert over.leftover >= 1
    assert not there(name)


def test_the_log_of_a_program_that_prints_too_much_is_cut(ran, tmp_path):
    over = ran("head -c 20000000 /dev/zero | tr '\\0' x; echo; echo the end")
    told = (tmp_path / "log").read_bytes()

    assert len(told) < unattended.HEAD_BYTES + unattended.TAIL_BYTES + 100
    assert b" bytes omitted]\n" in told
    assert told.endswith(b"\nthe end\n")
    assert over.tail.endswith("\nthe end\n")


def test_no_secret_is_in_the_log(ran, tmp_path):
    secret = "a1B2" * 9
    ran(f"echo before; printf 'token gh'; sleep 0.1; echo 'p_{secret}'; echo after")

    assert secret not in (tmp_path / "log").read_text()
    assert (tmp_path / "log").read_text().startswith("before\n")


def test_what_cannot_be_started_is_said(tmp_path):
    work = Command(argv=("/nowhere/agent",), cwd=str(tmp_path), env={})
    over = unattended.run(work, limit=1.0, log=str(tmp_path / "log"))

    assert over == RunResult(code=None, problem=over.problem)
    assert "no such program" in over.problem


STARTER = """
import os, sys
from hookline.system.process import unattended
work = unattended.Command(argv=("sh", "-c", sys.argv[2]), cwd="/", env=dict(os.environ), mark=sys.argv[1])
unattended.run(work, limit=60.0, log=os.devnull)
"""


def test_what_a_killed_program_left_running_is_found_and_ended():
    name, mark = f"11{os.getpid()}", unattended.new_mark()
    script = f"setsid env -i sleep {name} & env -u HOOKLINE_MARK sleep {name} & sleep {name}"
    starter = subprocess.Popen([sys.executable, "-c", STARTER, mark, script])
    until = time.monotonic() + 30
    while len(there(name)) < 4 and time.monotonic() < until:  # the starter's own command line contains it too
        time.sleep(0.05)
    starter.kill()
    starter.wait()

    assert there(name)
    assert unattended.end_marked(mark) >= 3
    assert not there(name)
    assert unattended.end_marked(mark) == 0
