"""Many at once, and some who only wait: nobody's answer is lost, and nobody is kept from one."""

import json
import socket
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.daemon.conftest import CLIENTS

from hookline.daemon import control
from hookline.daemon.messages import STILL, Said
from hookline.daemon.paths import Place
from hookline.daemon.server import READY, Daemon
from hookline.daemon.sockets import Line
from hookline.system import lives

CROWD = 150


def told(house):
    return control.read(Place(folder=str(house.folder)))


def connect(house, kind):
    if kind == "unix":
        line = socket.socket(socket.AF_UNIX)
        line.connect(str(house.folder / "socket"))
        return line
    return socket.create_connection(("127.0.0.1", told(house).port))


def call(house, number):
    """A call as a client says it on the Unix socket."""
    env = [f"{name}={value}" for name, value in house.environment().items()]
    payload = json.dumps({**house.user.shell("git push --force"), "tool_use_id": f"c{number}"})
    parts = ["claude-code", *env, str(house.user.project), payload]
    head = f"hookline/1 {told(house).secret} 1 crowd.{number} 1 {len(env)}\n"
    return head.encode() + "\0".join(parts).encode() + b"\0"


def answered(line):
    with line:
        return b"".join(iter(lambda: line.recv(1 << 16), b""))


def threads(house):
    return sum(1 for _ in Path(f"/proc/{house.process.pid}/task").iterdir())


def test_a_crowd_is_answered_by_few(daemon):
    calls = [call(daemon, number) for number in range(CROWD)]
    before, most, lines = threads(daemon), 0, []
    for one in calls:
        lines.append(connect(daemon, "unix"))
        lines[-1].sendall(one)
    for line in lines:
        assert b"deny" in answered(line)
        most = max(most, threads(daemon))

    assert most < before + CROWD / 2


@pytest.mark.parametrize("client", CLIENTS)
def test_who_connects_and_says_nothing_keeps_nobody_from_an_answer(house, client):
    house.client = CLIENTS[client]
    house.start()
    with ExitStack() as stack:
        for kind in ("unix", "loopback"):
            for _ in range(70):
                stack.enter_context(connect(house, kind))
        before = control.status(Place(folder=str(house.folder)))["calls"]
        said = house.ask(json.dumps(house.user.shell("git push --force")))
        after = control.status(Place(folder=str(house.folder)))["calls"]

    assert b"deny" in said.stdout
    assert after == before + 1, "it was answered, but not by the daemon"


def test_calls_that_wait_for_something_keep_nobody_from_an_answer(daemon):
    """More slow ones than there are threads as a rule: others are added for them."""
    slow = READY + 4
    held = {"UserPromptSubmit": [{"command": "sleep 3", "timeout": 10}]}
    daemon.user.write("~/.config/hookline/hooks.json", {"version": 1, "hooks": held})
    prompt = json.dumps(
        {"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": str(daemon.user.project)}
        | {"prompt": "x"}
    )
    asking = [
        threading.Thread(target=daemon.ask, args=(prompt.replace('"s"', f'"s{number}"'),))
        for number in range(slow)
    ]
    for one in asking:
        one.start()
    time.sleep(1)
    before = control.status(Place(folder=str(daemon.folder)))["calls"]
    said = daemon.ask(json.dumps(daemon.user.shell("git push --force")))
    after = control.status(Place(folder=str(daemon.folder)))["calls"]
    still = [one.is_alive() for one in asking]
    for one in asking:
        one.join()

    assert b"deny" in said.stdout
    assert after == before + 1
    assert all(still), "the slow ones were over before"


def test_signs_of_life_end_where_no_answer_comes_in_time():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        line = Line(ours, lives.now())
        theirs.sendall(b"hookline/1 s 1 n 1 0\nclaude-code\0/\0{}\0")
        line.hear(line.first(), "", "")
        line.wanted(0.2)
        line.still(every=0.0)
        in_time = theirs.recv(100)
        line.since -= 1
        line.still(every=0.0)
        theirs.settimeout(0.1)
        with pytest.raises(TimeoutError):
            theirs.recv(100)

    assert in_time == STILL


def test_who_does_not_read_its_answer_keeps_nobody_from_a_sign_of_life():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        line = Line(ours, lives.now())
        theirs.sendall(b"hookline/1 s 1 n 1 0\nclaude-code\0/\0{}\0")
        line.hear(line.first(), "", "")
        speaking = threading.Thread(target=line.say, args=(Said(0, bytes(8 << 20)),))
        speaking.start()
        time.sleep(0.2)
        began = time.monotonic()
        line.still(every=0.0)
        took = time.monotonic() - began
        assert speaking.is_alive(), "it was all read"
        theirs.close()
        speaking.join()

    assert took < 0.1


def test_threads_that_break_are_made_up_for(tmp_path, monkeypatch):
    def breaks(*_):
        raise RuntimeError("what nobody thought of")

    tmp_path.chmod(0o700)
    daemon = Daemon(Place(folder=str(tmp_path)))
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    monkeypatch.setattr(daemon, "_serve", breaks)
    monkeypatch.setattr("hookline.daemon.server.LOOK_EVERY", 0.1)
    serving = threading.Thread(target=daemon.serve)
    serving.start()
    try:
        for _ in range(3 * READY):
            with socket.socket(socket.AF_UNIX) as line:
                line.settimeout(5)
                line.connect(str(tmp_path / "socket"))
                assert line.recv(10) == b"", "nobody took it"
    finally:
        daemon.stopping.set()
        serving.join()
        daemon.close()
