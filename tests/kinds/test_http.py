"""Test HTTP hooks with loopback servers that answer, redirect, respond slowly, hang, or send too much."""

import json
import re
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from hookline.core.events import PreToolUse, SessionStart
from hookline.core.frozen import Frozen, freeze
from hookline.core.kind import MAX_OUTPUT_BYTES, Declaration, HookFailed, Machine, Resources
from hookline.core.response import Response
from hookline.core.state import State
from hookline.core.values import replace
from hookline.hosts.claude_code import HOST
from hookline.kinds import load
from hookline.kinds.http import KIND
from hookline.system.process.run_command import run, start

STATE = State(now=1.0)
EVENT = SessionStart(session="s1", source="startup", native=Frozen(session_id="s1"))
PORTABLE = {
    "version": 1,
    "hook": "SessionStart",
    "timestamp": "1970-01-01T00:00:01.000Z",
    "sessionId": "s1",
    "source": "startup",
}


@pytest.fixture
def machine() -> Iterator[Machine]:
    made = Machine(
        run=run,
        start=start,
        env={"TOKEN": "t0k", "OTHER": "o"},
        clock=time.monotonic,
        dialects=(HOST.dialect,),
    )
    yield made
    made.resources.close()


@contextmanager
def serving(status: int, body: bytes = b"", headers: dict[str, str] | None = None):
    """Run a server with a fixed answer; yield its URL, the requests, and the addresses of connections."""
    asked: list[tuple[str, dict[str, str], bytes]] = []
    connections: set[tuple[str, int]] = set()

    class Answering(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            sent = self.rfile.read(int(self.headers["content-length"]))
            asked.append((self.path, {key.lower(): value for key, value in self.headers.items()}, sent))
            connections.add(self.client_address)
            self.send_response(status)
            for key, value in {"content-length": str(len(body)), **(headers or {})}.items():
                self.send_header(key, value)
            self.end_headers()
            with suppress(ConnectionError):
                self.wfile.write(body)

        def log_message(self, *args):
            pass

    ThreadingHTTPServer.request_queue_size = 64  # slow machines accept simultaneous connections late
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/hook", asked, connections
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def speaking(speak: Callable[[socket.socket], None]):
    """Run a server that calls *speak* for each connection; yield its port, and an event for its return."""
    listener = socket.create_server(("127.0.0.1", 0))
    dropped = threading.Event()
    held: list[socket.socket] = []

    def accept() -> None:
        with suppress(OSError):
            while True:
                held.append(listener.accept()[0])
                with suppress(OSError):
                    speak(held[-1])
                dropped.set()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1], dropped
    finally:
        for each in (listener, *held):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        thread.join()
        for each in (listener, *held):
            each.close()


def declared(url: str, **spec) -> Declaration:
    return Declaration(kind="http", name="mine", on=(SessionStart,), spec=freeze({"url": url, **spec}))


def carried(machine: Machine, url: str, event=EVENT, *, limit: float = 10.0, **spec) -> Response:
    return KIND.bind(declared(url, **spec), machine)(event, STATE, limit)


@pytest.mark.parametrize(
    ("status", "body", "response"),
    [
        (200, b'{"action": "injectContext", "additionalContext": ["c"]}', Response(context=("c",))),
        (201, b' {"action": "block", "reason": "no"}\n', Response(verdict="block", reason="no")),
        (200, b'{"decision": "block", "reason": "no"}', Response(verdict="block", reason="no")),
        (200, b"{}", Response()),
        (200, b"", Response()),
        (200, b" \n", Response()),
        (204, b"", Response()),
    ],
)
def test_the_answer_counts(machine, status, body, response) -> None:
    with serving(status, body) as (url, _, _):
        assert carried(machine, url, PreToolUse(tool="Bash")) == response


@pytest.mark.parametrize(
    ("status", "body", "how"),
    [
        (200, b"hello", "answered with text that is not a JSON object"),
        (200, b"[1]", "answered with text that is not a JSON object"),
        (200, b'{"x": 1}', "returned JSON that is not an answer: 'action' is missing; the keys are 'x'"),
        (
            200,
            b'{"action": "deny"}',
            "returned an invalid answer: field 'action' must be one of: passThrough",
        ),
        (400, b'{"action": "block"}', "was answered with status 400"),
        (404, b"", "was answered with status 404"),
        (500, b"oops", "was answered with status 500"),
    ],
)
def test_a_failure_is_told(machine, status, body, how) -> None:
    with serving(status, body) as (url, _, _), pytest.raises(HookFailed) as caught:
        carried(machine, url)

    assert str(caught.value).startswith(how)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_refused(machine, status) -> None:
    with (
        serving(200, b'{"action": "block"}') as (aim, asked, _),
        serving(status, headers={"location": aim}) as (url, _, _),
        pytest.raises(HookFailed) as caught,
    ):
        carried(machine, url)

    assert asked == []
    assert str(caught.value) == (
        f"was redirected (status {status}), which is not followed; declare the final url"
    )


@pytest.mark.parametrize(
    ("spec", "sent"),
    [
        ({}, PORTABLE),
        ({"payload": "native"}, {"session_id": "s1"}),
        ({"payload": "claude"}, {"hook_event_name": "SessionStart", "session_id": "s1", "source": "startup"}),
    ],
)
def test_the_event_is_posted_as_json(machine, spec, sent) -> None:
    with serving(204) as (url, asked, _):
        carried(machine, url + "?a=b", **spec)

    [(path, headers, body)] = asked
    assert headers["accept-encoding"] == "identity"
    assert (path, headers["content-type"], json.loads(body)) == ("/hook?a=b", "application/json", sent)


def test_a_header_holds_the_variables_that_are_listed(machine) -> None:
    headers = {"Authorization": "Bearer $TOKEN", "X-Price": "$$5 ${TOKEN}s", "User-Agent": "me"}
    with serving(204) as (url, asked, _):
        carried(machine, url, headers=headers, env=["TOKEN"])

    got = asked[0][1]
    assert (got["authorization"], got["x-price"], got["user-agent"]) == ("Bearer t0k", "$5 t0ks", "me")


def test_a_variable_that_is_not_set_is_told(machine) -> None:
    with serving(204) as (url, asked, _), pytest.raises(HookFailed, match=r"variable 'GONE' .* not set"):
        carried(machine, url, headers={"a": "$GONE"}, env=["GONE"])

    assert asked == []


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "\xe4\u25b2"])
def test_a_value_that_is_no_header_is_told(machine, value) -> None:
    machine = replace(machine, env={"BAD": value})
    with serving(204) as (url, asked, _), pytest.raises(HookFailed, match="could not be reached"):
        carried(machine, url, headers={"a": "$BAD"}, env=["BAD"])

    assert asked == []


def test_a_connection_is_kept(machine) -> None:
    with serving(200, b"{}") as (url, asked, connections):
        for _ in range(3):
            carried(machine, url)

    assert (len(asked), len(connections)) == (3, 1)


def test_a_connection_that_the_server_closed_is_opened_again(machine) -> None:
    with serving(200, b"{}", headers={"connection": "close"}) as (url, asked, connections):
        carried(machine, url)
        carried(machine, url)

    assert (len(asked), len(connections)) == (2, 2)


def padded(size: int) -> bytes:
    answer = b'{"action": "passThrough", "warnings": "w", "pad": ""}'
    return answer[:-2] + b"x" * (size - len(answer)) + answer[-2:]


@pytest.mark.parametrize(
    ("size", "fits"),
    [(MAX_OUTPUT_BYTES, True), (MAX_OUTPUT_BYTES + 1, False), (20 * MAX_OUTPUT_BYTES, False)],
)
def test_an_answer_is_read_up_to_256_kib(machine, size, fits) -> None:
    with serving(200, padded(size)) as (url, _, _):
        if fits:
            assert carried(machine, url) == Response(warnings=("w",))
        else:
            with pytest.raises(HookFailed, match="answered with more than 256 KiB"):
                carried(machine, url)


def flood(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n{")
    while True:
        connection.sendall(b" " * 65536)


def test_a_flood_is_not_read_to_its_end(machine) -> None:
    with speaking(flood) as (port, dropped):
        with pytest.raises(HookFailed, match="answered with more than 256 KiB"):
            carried(machine, f"http://127.0.0.1:{port}/")

        assert dropped.wait(2)


def until_let_go(connection: socket.socket) -> None:
    while connection.recv(65536):
        pass


def dribble(*opening: bytes) -> Callable[[socket.socket], None]:
    def speak(connection: socket.socket) -> None:
        for part in opening:
            connection.sendall(part)
        while True:
            connection.sendall(b"x")
            time.sleep(0.05)

    return speak


SLOW = {
    "silent": ("http", until_let_go),
    "never-shakes-hands": ("https", until_let_go),
    "dribbles-headers": ("http", dribble(b"HTTP/1.1 200 OK\r\nx-slow: ")),
    "dribbles-a-body": ("http", dribble(b"HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n{")),
    "hangs-in-a-body": (
        "http",
        lambda c: (c.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"), until_let_go(c)),
    ),
}


@pytest.mark.parametrize("case", SLOW)
def test_a_slow_server_is_left_in_time(machine, case) -> None:
    scheme, speak = SLOW[case]
    carrying = KIND.bind(declared(f"{scheme}://127.0.0.1:1/"), machine)
    with suppress(HookFailed):
        carrying(EVENT, STATE, 5.0)  # the first call is slower, and only the server's time is to be measured
    with speaking(speak) as (port, dropped):
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            carried(machine, f"{scheme}://127.0.0.1:{port}/", limit=0.4)

        assert 0.3 < time.monotonic() - began < 0.4 + 0.5
        assert dropped.wait(2), "the connection to the slow server is still open"


def test_a_server_that_never_accepts_is_left_in_time(machine) -> None:
    with socket.socket() as listener, ExitStack() as waiting:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(4):  # a full queue accepts no more connections
            knocking = waiting.enter_context(socket.socket())
            knocking.settimeout(0)
            knocking.connect_ex(listener.getsockname())
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            carried(machine, f"http://127.0.0.1:{listener.getsockname()[1]}/", limit=0.6)

        assert time.monotonic() - began < 0.6 + 0.5


HANGING_LOOKUP = """
import socket, time
socket.getaddrinfo = lambda *args, **kwargs: time.sleep(60)
from hookline.core.events import Stop
from hookline.core.kind import Declaration, Machine
from hookline.kinds.http import KIND
from hookline.core.state import State
declaration = Declaration(kind="http", name="mine", on=(Stop,), spec={"url": "http://example.invalid/"})
machine = Machine(run=None, start=None, env={}, clock=time.monotonic)
try:
    KIND.bind(declaration, machine)(Stop(), State(now=1.0), 0.5)
except TimeoutError:
    print("late")
"""


def test_a_name_that_is_never_found_does_not_keep_the_program_from_ending() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", HANGING_LOOKUP], capture_output=True, timeout=20, check=True
    )

    assert ended.stdout == b"late\n"


def test_many_may_ask_at_once(machine) -> None:
    body = b'{"action": "passThrough", "warnings": "w"}'
    with serving(200, body) as (url, asked, _), ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: carried(machine, url), range(64)))

    assert (answers, len(asked)) == ([Response(warnings=("w",))] * 64, 64)


def test_nothing_heavy_is_imported_before_such_a_hook_runs() -> None:
    program = "import sys; import hookline.kinds.http, hookline.kinds.command; print(*sys.modules)"
    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout

    assert set(printed.split()) & {"asyncio", "httpx", "ssl"} == set()


def test_a_spent_limit_is_a_timeout(machine) -> None:
    with serving(204) as (url, _, _), pytest.raises(TimeoutError):
        carried(machine, url, limit=0.0)


@pytest.mark.parametrize("host", ["127.0.0.1:1", "no-such-host.invalid", "x" * 70 + ".invalid"])
def test_a_server_that_is_not_there_is_told(machine, host) -> None:
    with pytest.raises(HookFailed, match="could not be reached: "):
        carried(machine, f"http://{host}/")


@pytest.mark.parametrize("said", [b"", b"nonsense\r\n\r\n", b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"])
def test_a_server_that_breaks_off_is_told(machine, said) -> None:
    def speak(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(said)
        connection.shutdown(socket.SHUT_RDWR)

    with speaking(speak) as (port, _), pytest.raises(HookFailed, match="could not be reached: "):
        carried(machine, f"http://127.0.0.1:{port}/")


def test_a_certificate_of_nobody_is_refused(machine, tmp_path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    make = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-subj",
        "/CN=localhost",
        "-days",
        "1",
    ]
    made = subprocess.run([*make, "-keyout", key, "-out", certificate], check=False, capture_output=True)
    if made.returncode:
        pytest.skip("openssl is not available")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    def speak(connection: socket.socket) -> None:
        with suppress(ssl.SSLError), context.wrap_socket(connection.dup(), server_side=True) as secure:
            secure.recv(65536)
            secure.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")

    with (
        speaking(speak) as (port, _),
        pytest.raises(HookFailed, match=r"could not be reached: .*CERTIFICATE"),
    ):
        carried(machine, f"https://127.0.0.1:{port}/")


def test_a_proxy_of_the_environment_is_not_asked(machine, monkeypatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    with serving(204) as (url, asked, _):
        carried(machine, url)

    assert len(asked) == 1


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        (
            {"url": "ftp://a/"},
            "hook 'mine' requires a url with http:// or https:// and a host",
        ),
        (
            {"url": "file:///etc/passwd"},
            "hook 'mine' requires a url with http:// or https:// and a host",
        ),
        (
            {"url": "http:///x"},
            "hook 'mine' requires a url with http:// or https:// and a host",
        ),
        ({"url": "a/b"}, "hook 'mine' requires a url with http:// or https:// and a host"),
        (
            {"url": "http://a/", "payload": "x"},
            "hook 'mine' has an unknown payload 'x'; available: portable, native, claude",
        ),
        (
            {"url": "http://a/", "headers": {"b": 1}},
            "header 'b' of hook 'mine' is not valid text; write a dollar sign as $$",
        ),
        (
            {"url": "http://a/", "headers": {"b": "5 $"}},
            "header 'b' of hook 'mine' is not valid text; write a dollar sign as $$",
        ),
        (
            {"url": "http://a/", "headers": {"b": "$OTHER $TOKEN"}, "env": ["OTHER"]},
            "header 'b' of hook 'mine' uses $TOKEN; list that name in its 'env'",
        ),
    ],
)
def test_a_declaration_that_cannot_be_carried_out_is_refused(machine, spec, complaint) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(complaint)}$"):
        KIND.bind(declared(**spec), machine)


def test_closing_ends_its_threads() -> None:
    before = set(threading.enumerate())
    machine = Machine(run=run, start=start, env={}, clock=time.monotonic, resources=Resources())
    with serving(200, b"{}") as (url, _, _):
        carried(machine, url)
        machine.resources.close()

    assert {thread for thread in threading.enumerate() if "hookline" in thread.name} <= before


def test_it_is_found_by_being_there() -> None:
    assert load("http") is KIND
