"""Test a kept child process: messages in lines, any other output, and the end of its whole process tree."""

import contextlib
import os
import secrets
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from hookline.system.process.child import MAX_MESSAGE_BYTES, TAIL_BYTES
from hookline.system.process.run_command import NotStarted, start

BY = 0.5 + 0.3  # seconds that closing may take, plus tolerance for a busy machine
WORKER = """
import os, signal, sys, time
hear = os.fdopen(int(os.environ["HOOKLINE_IN"]), "rb")
say = os.fdopen(int(os.environ["HOOKLINE_OUT"]), "wb", buffering=0)
"""
ECHO = "for line in hear: say.write(line)\n"
SLEEP = "time.sleep(60)\n"


@pytest.fixture
def worker():
    """Yield a function that starts a worker with some code; workers are closed afterwards."""
    with contextlib.ExitStack() as stack:

        def started(code, *argv):
            child = start(
                [sys.executable, "-I", "-S", "-c", WORKER + code, *argv], cwd="/", env=dict(os.environ)
            )
            return stack.enter_context(contextlib.closing(child))

        yield started


def test_answers_line_by_line(worker):
    child = worker(ECHO)
    child.send(b"one")
    child.send(b"two\n")

    assert [child.receive(5), child.receive(5), child.alive] == [b"one", b"two", True]


def test_prints_do_not_disturb_it(worker):
    child = worker("print('to stdout'); sys.stdout.flush(); os.write(2, b'to stderr\\n')\n" + ECHO)
    child.send(b"one")

    assert (child.receive(5), child.tail) == (b"one", "to stdout\nto stderr\n")


def test_keeps_the_end_of_what_it_printed(worker):
    child = worker("os.write(1, b'x' * 500_000 + b'end')\n" + ECHO)
    child.send(b"one")

    assert (child.receive(5), len(child.tail), child.tail[-4:]) == (b"one", TAIL_BYTES, "xend")


def test_an_answer_may_come_in_pieces(worker):
    child = worker(
        "for piece in (b'a', b'b', b'c\\nd', b'\\n'): say.write(piece); time.sleep(0.05)\n" + SLEEP
    )

    assert [child.receive(5), child.receive(5)] == [b"abc", b"d"]


def test_garbage_is_handed_on(worker):
    child = worker("say.write(b'\\0\\xff{\\n\\n')\n" + SLEEP)

    assert [child.receive(5), child.receive(5)] == [b"\0\xff{", b""]


def test_is_silent(worker):
    child = worker(SLEEP)
    began = time.monotonic()

    assert (child.receive(0.2), child.alive) == (None, True)
    assert 0.2 <= time.monotonic() - began < 0.5


DEATHS = {
    "at once": "",
    "by exit": "os._exit(3)",
    "by a signal": "os.kill(os.getpid(), 9)",
    "by an exception": "raise SystemError('gone')",
    "in the middle of an answer": "say.write(b'half an ans')",
    "while something else holds its pipe": "if os.fork() == 0: time.sleep(60)",
}


@pytest.mark.parametrize("code", DEATHS.values(), ids=DEATHS)
def test_dies(worker, code):
    child = worker(code)
    child.send(b"x" * 1_000_000)
    began = time.monotonic()

    assert child.receive(5) is None
    assert time.monotonic() - began < 2
    child.send(b"more")
    assert (child.receive(5), child.alive) == (None, False)


def test_its_last_words_are_heard(worker):
    child = worker("print('why', file=sys.stderr); say.write(b'answer\\n'); os._exit(1)")

    assert [child.receive(5), child.receive(5), child.tail] == [b"answer", None, "why\n"]


def test_lives_on_but_says_no_more(worker):
    child = worker("say.close()\n" + SLEEP)

    assert (child.receive(5), child.alive) == (None, False)


def test_never_reads_what_it_is_sent(worker):
    child = worker(SLEEP)
    began = time.monotonic()
    child.send(b"x" * 10_000_000)

    assert child.receive(0.1) is None
    assert time.monotonic() - began < 0.5


def test_prints_without_end(worker):
    child = worker("while True: os.write(1, b'y' * 65536)")
    child.send(b"x" * 1_000_000)

    assert (child.receive(0.2), child.alive) == (None, True)


def test_long_lines_go_both_ways(worker):
    child = worker(ECHO)
    line = secrets.token_hex(5_000_000).encode()
    child.send(line)

    assert child.receive(10) == line


@pytest.mark.parametrize(("size", "whole"), [(MAX_MESSAGE_BYTES, True), (MAX_MESSAGE_BYTES + 1, False)])
def test_there_is_a_longest_line(worker, size, whole):
    child = worker(f"say.write(b'x' * {size} + b'\\n')\n" + SLEEP)
    line = child.receive(20)

    assert (line is not None, len(line or b"")) == (whole, size if whole else 0)


ESCAPES = {
    "does as it is told": ECHO,
    "does not listen": SLEEP,
    "ignores SIGTERM": "signal.signal(15, signal.SIG_IGN)\n" + SLEEP,
    "stops itself": "os.kill(os.getpid(), signal.SIGSTOP)",
    "has children": "[os.fork() for _ in range(3)]\n" + SLEEP,
    "has a child of its own session": "if os.fork() == 0: os.setsid()\n" + SLEEP,
    "has a daemon": "if os.fork() == 0: os.setsid(); os.fork() and os._exit(0)\n" + SLEEP,
    "has died and left a daemon": "os.fork() and os._exit(0)\nos.setsid(); os.fork() and os._exit(0)\n"
    + SLEEP,
    "has a daemon without an environment": (
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0: os.execve('/bin/sleep', ['sleep', sys.argv[1]], {})\n"
        "    os._exit(0)\n" + SLEEP
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("code", ESCAPES.values(), ids=ESCAPES)
def test_closing_ends_all_of_it(worker, code):
    mark = f"97.{secrets.randbelow(10**12):012}"
    child = worker(code, mark)
    time.sleep(0.3)
    began = time.monotonic()
    child.close()
    took = time.monotonic() - began

    assert (alive(mark), child.alive, child.receive(1)) == ([], False, None)
    assert took < BY


def alive(mark):
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if mark.encode() in path.read_bytes():
                found.append(path.parent.name)
    return found


def test_closing_leaves_what_came_later_alone(worker):
    first, second = worker(SLEEP), worker(ECHO)
    echo = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "start_new_session": True}
    with subprocess.Popen(["cat"], **echo) as other:
        first.close()
        second.send(b"still here")

        assert (second.receive(5), other.communicate(b"me too")[0]) == (b"still here", b"me too")


def test_may_be_closed_again_and_leaves_no_descriptor(worker):
    before = os.listdir("/proc/self/fd")
    child = worker(ECHO)
    child.close()
    child.close()

    assert os.listdir("/proc/self/fd") == before


def test_is_kept_by_another_thread(worker):
    heard = []

    def ask():
        child = worker(ECHO)
        child.send(b"one")
        heard.append(child.receive(5))

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()

    assert heard == [b"one"]


def test_says_why_it_could_not_start():
    before = os.listdir("/proc/self/fd")
    with pytest.raises(NotStarted, match="cannot start 'no-such-program': no such program"):
        start(["no-such-program"], cwd="/", env={})

    assert os.listdir("/proc/self/fd") == before
