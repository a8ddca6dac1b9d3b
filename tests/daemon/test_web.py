"""Who asks over http reads what the command would have printed; everybody else is refused, and quickly."""

import json
import os
import shutil
import signal
import socket
import threading
import time
from contextlib import ExitStack

import pytest
from tests.conftest import CAPTURES, user_at
from tests.daemon.conftest import House
from tests.daemon.over_http import Asking, keep, request

from hookline import hosts
from hookline.daemon import control
from hookline.daemon.paths import Place
from hookline.daemon.registered import asks
from hookline.daemon.server import READY

LONG = bool(os.environ.get("HOOKLINE_LONG"))
FORCE = "git push --force"
HOSTS = [name for name in hosts.names() if asks(name)]
EVERY = sorted(path for path in CAPTURES.glob("*/*.json") if path.parent.name in HOSTS)
SOME = EVERY if LONG else EVERY[:: max(1, len(EVERY) // 12)]
SWITCHES = ({}, {"AR_DISABLE_DANGEROUS_COMMAND": "1"}, {"AUTORESEARCH_BUDGET_END": "100"})


@pytest.fixture
def web(house):
    """A daemon that can be asked over http, and that a command told of the captured session."""
    house.kept = keep(house)
    house.start()
    tell(house)
    return house


def tell(house, **env):
    return house.ask(json.dumps(house.user.payload("SessionStart")), **env)


def asking(house):
    return Asking(house.kept)


def denied(said):
    return said[0] == 200 and json.loads(said[2])["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_connections_that_stay_open_take_nobodys_place(web):
    """As many calls come over loopback as would be too many, if threads went because of those that stay."""
    with ExitStack() as stack:
        lines = [stack.enter_context(asking(web)) for _ in range(2 * READY)]
        assert all(denied(line.ask(web.user.shell(FORCE))) for line in lines)
        before = status(web)["calls"]
        said = [web.ask(json.dumps(web.user.shell(FORCE))) for _ in range(3 * READY)]
        after = status(web)["calls"]
        with asking(web) as line:
            assert denied(line.ask(web.user.shell(FORCE)))

    assert all(b"deny" in one.stdout for one in said)
    assert after == before + len(said), "they were answered, but not by the daemon"


def status(house):
    return control.status(Place(folder=str(house.folder)))


def test_a_guard_answers(web):
    with asking(web) as line:
        assert denied(line.ask(web.user.shell(FORCE)))
        assert line.ask(web.user.shell("ls"))[::2] == (200, b"")
        assert denied(line.ask(web.user.shell(FORCE), "/claude-code/PreToolUse"))


def captured(path, house):
    """As if sent from the user's project; and the moment, where the payload does not say it."""
    return json.loads(path.read_text().replace('"/repo', f'"{house.user.project}'))


@pytest.mark.parametrize("switches", SWITCHES, ids=lambda one: next(iter(one), "plain"))
def test_every_captured_payload_is_answered_as_the_command_answers(house, switches):
    house.kept = keep(house)
    house.start()
    wrong = {}
    for path in SOME:
        host, sent = hosts.load(path.parent.name), captured(path, house)
        name, session = sent.get(host.names_event), sent.get(host.common["session"])
        if name not in host.moments or name in host.wiring.way.http.never or not session:
            continue
        states = [f"{house.runtime}/{which}{path.stem}" for which in "ab"]
        shutil.rmtree(house.user.home / ".local" / "state" / "hookline" / "spool", ignore_errors=True)
        off = {**switches, "HOOKLINE_DAEMON": "off"}
        apart = house.ask(json.dumps(sent), host=host.name, **off, XDG_STATE_HOME=states[0])
        # A command tells of the session with something that is judged by nobody.
        told = json.dumps({host.common["session"]: session, host.names_event: "Nothing"})
        house.ask(told, host=host.name, **switches, XDG_STATE_HOME=states[1])
        with asking(house) as line:
            status, headers, content = line.ask(sent, f"/{host.name}")
        if (status, headers["content-type"], content) != (200, "application/json", apart.stdout):
            wrong[f"{host.name}:{path.stem}"] = (status, content, apart)

    assert wrong == {}


def test_a_switch_of_the_session_that_a_command_told_of_holds(web):
    tell(web, AR_DISABLE_DANGEROUS_COMMAND="1")
    with asking(web) as line:
        assert line.ask(web.user.shell(FORCE))[::2] == (200, b"")
        tell(web)
        assert denied(line.ask(web.user.shell(FORCE)))


def test_a_session_that_no_command_told_of_is_not_judged(web):
    with asking(web) as line:
        status, _, said = line.ask({**web.user.shell(FORCE), "session_id": "another"})

    assert (status, b"no command has told" in said) == (503, True)


@pytest.mark.parametrize("stem", ["SessionStart", "PreCompact.manual"])
def test_what_cannot_be_answered_over_http_says_so(web, stem):
    found = next(iter(sorted((CAPTURES / "claude-code").glob(f"{stem.partition('.')[0]}*.json"))))
    with asking(web) as line:
        status, _, said = line.ask({**json.loads(found.read_text()), "cwd": str(web.user.project)})

    assert (status, b"only be answered by the command" in said) == (404, True)


STRANGE = {
    "no secret": (401, {"without": ("Authorization",)}),
    "a wrong secret": (401, {"Authorization": "Bearer " + "0" * 48}),
    "an empty secret": (401, {"Authorization": "Bearer "}),
    "another scheme": (401, {"Authorization": "Basic dXNlcjpwYXNz"}),
    "another name for this machine": (421, {"Host": "rebound.example:{port}"}),
    "another port": (421, {"Host": "127.0.0.1:1"}),
    "no port": (421, {"Host": "127.0.0.1"}),
    "no host": (421, {"without": ("Host",)}),
    "all addresses": (421, {"Host": "0.0.0.0:{port}"}),
    "a page": (403, {"Origin": "http://127.0.0.1:{port}"}),
    "a page without origin": (403, {"Origin": "null"}),
    "a browser": (403, {"Sec-Fetch-Site": "same-origin"}),
    "GET": (405, {"method": "GET"}),
    "OPTIONS": (405, {"method": "OPTIONS"}),
    "PUT": (405, {"method": "PUT"}),
    "CONNECT": (405, {"method": "CONNECT"}),
    "a form": (415, {"Content-Type": "application/x-www-form-urlencoded"}),
    "plain text": (415, {"Content-Type": "text/plain"}),
    "no type": (415, {"without": ("Content-Type",)}),
    "no length": (411, {"without": ("Content-Length",)}),
    "two ways to say the length": (400, {"Transfer-Encoding": "chunked"}),
    "more than is taken": (413, {"length": (64 << 20) + 1}),
    "a host that starts commands": (404, {"path": "/codex"}),
    "a host that there is not": (404, {"path": "/nobody"}),
    "a moment that there is not": (404, {"path": "/claude-code/Nothing"}),
    "a way out": (404, {"path": "/claude-code/../codex"}),
    "a question": (404, {"path": "/claude-code?x=y"}),
    "no path": (404, {"path": "/"}),
    "huge headers": (431, {"X-Huge": "x" * 20_000}),
    "no JSON": (400, {"payload": b"{"}),
    "nothing": (400, {"payload": b""}),
    "no UTF-8": (400, {"payload": b'{"a": "\xff"}'}),
    "too deep": (400, {"payload": b"[" * 200_000}),
    "a list": (503, {"payload": b"[]"}),
    "a number": (503, {"payload": b"1"}),
    "a session that is no text": (503, {"payload": b'{"session_id": {}}'}),
}


@pytest.fixture(scope="module")
def open_house(tmp_path_factory):
    """One daemon for all that changes nothing."""
    place = tmp_path_factory.mktemp("web")
    (place / "run").mkdir(mode=0o700)
    made = House(user_at(place), place / "run")
    made.kept = keep(made)
    made.start()
    tell(made)
    yield made
    made.kill()


@pytest.mark.parametrize("name", STRANGE)
def test_what_is_no_question_of_a_host_is_refused(open_house, name):
    status, told = STRANGE[name]
    how = {
        key: value.format(port=open_house.kept.port) if isinstance(value, str) else value
        for key, value in told.items()
    }
    sent = how.pop("payload", open_house.user.shell(FORCE))
    with asking(open_house) as line:
        got, headers, said = line.ask(sent, **{key.replace("-", "_"): one for key, one in how.items()})
        assert (got, headers["connection"], line.closed()) == (status, "close", True)

    assert said.startswith(b"hookline: ")
    assert not any(one.startswith("access-control") for one in headers)
    with asking(open_house) as line:
        assert denied(line.ask(open_house.user.shell(FORCE)))


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "127.0.0.1"])
def test_both_names_of_this_machine_are_ours(open_house, host):
    with asking(open_house) as line:
        assert denied(line.ask(open_house.user.shell(FORCE), Host=f"{host}:{open_house.kept.port}"))


def test_what_node_adds_to_a_request_is_no_browser(open_house):
    more = {"Sec_Fetch_Mode": "cors", "Accept_Language": "*", "User_Agent": "node", "Accept_Encoding": "br"}
    with asking(open_house) as line:
        assert denied(line.ask(open_house.user.shell(FORCE), **more))


def test_a_body_in_chunks_is_read(open_house):
    content = json.dumps(open_house.user.shell(FORCE)).encode()
    chunks = b"".join(
        b"%x\r\n%s\r\n" % (len(content[at : at + 99]), content[at : at + 99])
        for at in range(0, len(content), 99)
    )
    with asking(open_house) as line:
        line.send(
            request(open_house.kept, b"", without=("Content-Length",), Transfer_Encoding="chunked")
            + chunks
            + b"0\r\n\r\n"
        )
        assert denied(line.hear())


def test_requests_that_do_not_wait_are_answered_in_their_order(open_house):
    blocked, let = open_house.user.shell(FORCE), open_house.user.shell("ls")
    with asking(open_house) as line:
        line.send(b"".join(request(open_house.kept, one) for one in (blocked, let, blocked)))
        assert [denied(line.hear()) if n != 1 else line.hear()[2] for n in range(3)] == [True, b"", True]


def test_what_hides_in_a_body_is_no_request(open_house):
    hidden = request(open_house.kept, open_house.user.shell("ls"))
    with asking(open_house) as line:
        line.send(request(open_house.kept, hidden))
        assert line.hear()[0] == 400
        assert line.closed()


def test_a_client_that_asks_first_whether_to_send_is_told_to(open_house):
    content = json.dumps(open_house.user.shell(FORCE)).encode()
    with asking(open_house) as line:
        line.send(request(open_house.kept, b"", length=len(content), Expect="100-continue"))
        assert line.hear()[0] == 100
        line.send(content)
        assert denied(line.hear())


def test_whoever_wants_the_connection_closed_gets_that(open_house):
    with asking(open_house) as line:
        status, headers, _ = line.ask(open_house.user.shell("ls"), Connection="close")
        assert (status, headers["connection"], line.closed()) == (200, "close", True)


def test_a_connection_stays_for_as_many_requests_as_come(open_house):
    count = 1_000 if LONG else 200
    with asking(open_house) as line:
        told = [
            line.ask({**open_house.user.shell(FORCE if n % 2 else "ls"), "tool_use_id": f"kept-{n}"})
            for n in range(count)
        ]

    assert [one[0] for one in told] == [200] * count
    assert [b"deny" in one[2] for one in told] == [bool(n % 2) for n in range(count)]


@pytest.mark.parametrize("size", [1 << 20, (64 << 20) - 4096] if LONG else [1 << 20, 8 << 20])
def test_a_large_body_is_judged(open_house, size):
    sent = {**open_house.user.shell(FORCE), "more": "x" * size}
    with asking(open_house) as line:
        assert denied(line.ask(sent))


def test_the_slow_hold_nobody_up(open_house):
    """More of them than the daemon answers at the same time, at every point at which one can be slow."""
    whole = request(open_house.kept, open_house.user.shell("ls"))
    begun = [b"", b"P", b"hookl", whole[:40], whole[:-10]]
    slow = [asking(open_house) for _ in range(100)]
    try:
        for number, one in enumerate(slow):
            one.send(begun[number % len(begun)])
        with asking(open_house) as line:
            assert denied(line.ask(open_house.user.shell(FORCE)))
        assert b"deny" in open_house.ask(json.dumps(open_house.user.shell(FORCE))).stdout
        said = slow[3].hear()
        assert said[0] in (0, 408)  # it was not waited for longer than a moment
        assert said[0] == 408
    finally:
        for one in slow:
            one.line.close()


def test_both_ways_at_once_are_recorded_once(web):
    """The host asks by an entry of its user's and by one of the project's: the same moment."""
    slow = {"command": "sleep 1; echo x >> ran", "timeout": 20}
    web.user.write("~/.config/hookline/hooks.json", {"version": 1, "hooks": {"PreToolUse": [slow]}})
    sent, said = web.user.shell(FORCE.replace("--force", "-f")), []

    def over_http():
        with asking(web) as line:
            said.append(line.ask(sent)[2])

    thread = threading.Thread(target=over_http)
    thread.start()
    by_command = web.ask(json.dumps(sent))
    thread.join()
    web.kill(signal.SIGTERM)
    kept = [one for one in web.user.log() if one["event"] == "PreToolUse"]

    assert said == [by_command.stdout]
    assert [one["action"] for one in kept if one["action"] == "block"] == ["block"]
    assert len([one for one in kept if one.get("counts") != {}]) <= 2


def test_killed_and_started_again_it_knows_its_port_its_secret_and_its_sessions(web):
    with asking(web) as line:
        assert denied(line.ask(web.user.shell(FORCE)))
        web.kill()
        assert line.ask(web.user.shell(FORCE))[0] == 0
    with pytest.raises(ConnectionRefusedError):
        asking(web)
    (web.folder / "address").unlink()
    web.start()
    with asking(web) as line:
        assert denied(line.ask(web.user.shell(FORCE)))


def test_what_is_asked_while_it_goes_is_still_answered(web):
    slow = {"command": "touch begun; sleep 1", "timeout": 20}
    web.user.write("~/.config/hookline/hooks.json", {"version": 1, "hooks": {"PreToolUse": [slow]}})
    with asking(web) as line:
        line.send(request(web.kept, web.user.shell("ls")))
        until = time.monotonic() + 20
        while not (web.user.project / "begun").exists() and time.monotonic() < until:
            time.sleep(0.02)
        web.process.send_signal(signal.SIGTERM)
        assert line.hear()[0] == 200
    assert web.process.wait(20) == 0


def test_a_port_that_is_taken_leaves_commands_as_they_are(house):
    house.kept = keep(house)
    with socket.socket() as other:
        other.bind(("127.0.0.1", house.kept.port))
        other.listen()
        house.start()
        assert b"deny" in house.ask(json.dumps(house.user.shell(FORCE))).stdout
        assert int((house.folder / "address").read_text().split()[1]) != house.kept.port


def test_nobody_is_answered_over_http_where_nobody_wanted_that(daemon):
    port = int((daemon.folder / "address").read_text().split()[1])
    with socket.create_connection(("127.0.0.1", port), timeout=30) as line:
        line.sendall(b"POST /claude-code HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n")
        assert line.recv(100) == b""
