"""Test concurrent calls and idle clients: no answer is lost, and no call waits for an unrelated one."""

import json
import os
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.daemon.conftest import FORCE

from hookline import __version__
from hookline.daemon import client, messages
from hookline.daemon.paths import DaemonFolder
from hookline.daemon.server import MAX_CALLS, MIN_WORKERS, Server
from hookline.daemon.sockets import Connection
from hookline.system.process import identity

CROWD = 150
REQUEST = b"hookline/2 hook 1.0 id 0 0 2\n/\0/\0{}"


def connect(house):
    line = socket.socket(socket.AF_UNIX)
    line.connect(str(house.folder / "socket"))
    return line


def encode(house, payload, number):
    env = [f"{name}={value}" for name, value in house.environment().items()]
    body = json.dumps({**payload, "tool_use_id": f"c{number}"}).encode()
    head = f"hookline/2 hook {__version__} crowd.{number} 1 {len(env)} {len(body)}\n".encode()
    strings = [f"{house.root}/bin", "claude-code", *env, str(house.user.project)]
    return head + b"".join(os.fsencode(one) + b"\0" for one in strings) + body


def reply(line):
    with line:
        return b"".join(iter(lambda: line.recv(1 << 16), b""))


def threads(house):
    return sum(1 for _ in Path(f"/proc/{house.process.pid}/task").iterdir())


def test_a_crowd_is_answered_and_its_threads_end_with_the_calls_that_follow(daemon):
    before = threads(daemon)
    lines = []
    for number in range(CROWD):
        lines.append(connect(daemon))
        lines[-1].sendall(encode(daemon, daemon.user.shell(FORCE), number))
    for line in lines:
        assert b"deny" in reply(line)
    for number in range(CROWD, CROWD + threads(daemon)):
        with connect(daemon) as line:
            line.sendall(encode(daemon, daemon.user.shell(FORCE), number))
            assert b"deny" in reply(line)

    assert threads(daemon) <= before + MIN_WORKERS


@pytest.mark.slow
def test_clients_that_say_nothing_keep_nobody_from_an_answer(asked):
    with ExitStack() as stack:
        for _ in range(MAX_CALLS + 70):
            stack.enter_context(connect(asked))
        denied = asked.ask_force()
        calls = asked.calls()

    assert denied
    assert calls == 1, "the daemon did not answer the call"


def slow_prompt(house, number, seconds=3):
    hook = {"UserPromptSubmit": [{"command": f"sleep {seconds}", "timeout": 10}]}
    house.user.write("~/.config/hookline/hooks.json", {"version": 1, "hooks": hook})
    return {**house.user.payload("UserPromptSubmit"), "session_id": f"s{number}"}


@pytest.mark.slow
def test_calls_that_wait_for_something_keep_nobody_from_an_answer(daemon):
    slow = MIN_WORKERS + 4
    sent = [slow_prompt(daemon, number) for number in range(slow)]
    with ThreadPoolExecutor(slow) as pool:
        asking = [pool.submit(daemon.ask, one) for one in sent]
        time.sleep(1)
        denied = daemon.ask_force()
        still = [not one.done() for one in asking]

    assert denied
    assert all(still), "the slow calls ended before the fast one"
    assert daemon.calls() == slow + 1


@pytest.mark.slow
def test_a_call_behind_more_slow_ones_than_are_answered_at_once_does_not_take_it_for_hung(daemon):
    """Check that a call that waits longer than the client's timeout does not replace the daemon."""
    slow, process = MAX_CALLS + 20, daemon.process.pid
    sent = [encode(daemon, slow_prompt(daemon, number, seconds=4), number) for number in range(slow)]
    lines = [connect(daemon) for _ in sent]
    for line, call in zip(lines, sent, strict=True):
        line.sendall(call)
    denied = daemon.ask_force()
    for line in lines:
        assert reply(line).startswith(b".\n")

    assert denied
    assert daemon.status()["process"] == process


def test_signs_of_life_end_at_the_deadline_of_the_host():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        line = Connection(ours, identity.now())
        theirs.sendall(REQUEST)
        line.read_request()
        line.answer_within(0.2)
        line.send_working(every=0.0)
        in_time = theirs.recv(100)
        line.since -= 1
        line.send_working(every=0.0)
        theirs.settimeout(0.1)
        with pytest.raises(TimeoutError):
            theirs.recv(100)

    assert in_time == messages.WORKING


def test_a_client_that_does_not_read_its_reply_delays_no_sign_of_life():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        line = Connection(ours, identity.now())
        theirs.sendall(REQUEST)
        line.read_request()
        sending = threading.Thread(target=line.send, args=(bytes(8 << 20),))
        sending.start()
        time.sleep(0.2)
        began = time.monotonic()
        line.send_working(every=0.0)
        took = time.monotonic() - began
        assert sending.is_alive(), "the reply was sent before the check"
        theirs.close()
        sending.join()

    assert took < 0.1


def test_a_client_that_sends_slowly_is_given_up():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        line = Connection(ours, identity.now() - 60)
        theirs.sendall(REQUEST[:10])
        with pytest.raises(messages.Malformed):
            line.read_request()


def test_threads_that_fail_are_replaced(tmp_path, monkeypatch):
    def fail(*_):
        raise RuntimeError("unexpected")

    tmp_path.chmod(0o700)
    server = Server(DaemonFolder(path=str(tmp_path)), "/bin")
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    monkeypatch.setattr(server, "_answer", fail)
    monkeypatch.setattr("hookline.daemon.server.CHECK_EVERY", 0.1)
    serving = threading.Thread(target=server.serve)
    serving.start()
    try:
        for _ in range(3 * MIN_WORKERS):
            with socket.socket(socket.AF_UNIX) as line:
                line.settimeout(client.SILENCE)
                line.connect(str(tmp_path / "socket"))
                assert line.recv(10) == b"", "no worker closed the connection"
    finally:
        server.stop_listening()
        serving.join()
        server.close()
