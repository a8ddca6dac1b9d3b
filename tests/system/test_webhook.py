"""Test webhooks against a real receiver: reachable, down, slow, failing, redirecting or hostile."""

import json
import socket
import threading
import time
from contextlib import closing, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from hookline.system import send_webhook, webhook

SAID = b'{"text": "done"}'
SECRET_PATH = "/services/T0/B0/xK3vQ9mZ7bN1cR8tY5wL3pJ6"


class Receiver:
    """An HTTP server that gives its *answers* in turn and repeats the last one."""

    def __init__(self, *answers):
        self.got, self._answers = [], list(answers)
        self.release = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                outer.got.append((self.path, self.headers["content-type"], body))
                answer = outer._answers.pop(0) if len(outer._answers) > 1 else outer._answers[0]
                with suppress(ConnectionError):
                    outer._answer(self, answer)

            def do_GET(self):
                outer.got.append((self.path, "GET", b""))
                self.send_error(404)

            def log_message(self, *words):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}{SECRET_PATH}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def _answer(self, handler, answer):
        if answer == "hangs":
            self.release.wait(30)
        elif answer == "drips":
            handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
            while not self.release.wait(0.2):
                handler.wfile.write(b"x-more: y\r\n")
        elif answer == "floods":
            handler.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n" + b"x" * 100_000)
            self.release.wait(30)
        elif answer == "garbage":
            handler.wfile.write(b"\x00\xff not http at all\r\n\r\n")
        else:
            handler.send_response(answer)
            if 300 <= answer < 400:
                handler.send_header("location", "/elsewhere")
            handler.send_header("content-length", "0")
            handler.end_headers()

    def close(self):
        self.release.set()
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def receiver():
    made = []

    def make(*answers):
        made.append(Receiver(*answers))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def nowhere():
    """Return an address at which no server listens."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}{SECRET_PATH}"


def sent(url, within=send_webhook.TIMEOUT_SECONDS):
    slept = []
    return send_webhook.send(url, SAID, within, slept.append), slept


def test_it_is_posted_as_json_once(receiver):
    there = receiver(200)

    assert sent(there.url) == ("", [0.0])
    assert there.got == [(SECRET_PATH, "application/json", SAID)]


@pytest.mark.parametrize("answers", [(500, 200), (503, 429, 204), ("garbage", 200)])
def test_what_may_be_over_soon_is_tried_again_after_a_while(receiver, answers):
    there = receiver(*answers)

    assert sent(there.url) == ("", [0.0, *send_webhook.PAUSES_SECONDS][: len(answers)])
    assert len(there.got) == len(answers)


def test_after_three_tries_it_is_given_up(receiver):
    there = receiver(500)

    assert sent(there.url)[0] == "status 500, the last of 3 attempts"
    assert len(there.got) == 3


def test_nobody_who_listens_is_found_out_three_times(nowhere):
    why, slept = sent(nowhere)

    assert (why, len(slept)) == ("could not connect (ConnectionRefusedError), the last of 3 attempts", 3)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed_and_not_tried_again(receiver, status):
    there = receiver(status)

    assert sent(there.url)[0] == f"redirected with status {status}, which is not followed"
    assert [path for path, _, _ in there.got] == [SECRET_PATH]


@pytest.mark.parametrize("status", [400, 401, 404, 410])
def test_a_refusal_is_not_tried_again(receiver, status):
    there = receiver(status)

    assert sent(there.url) == (f"refused with status {status}", [0.0])


@pytest.mark.parametrize("way", ["hangs", "drips"])
def test_a_try_ends_in_time_whatever_the_receiver_does(receiver, way):
    there = receiver(way)

    why, slept = sent(there.url, 0.5)

    assert (why, len(slept)) == ("timed out after 0.5 s, the last of 3 attempts", 3)
    assert len(there.got) <= 3


def test_what_comes_back_is_not_read(receiver):
    assert sent(receiver("floods").url)[0] == ""


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://h/x",
        "http://",
        "https:///x",
        "hook",
        "http://h:0/",
        "http://h:x/",
        "http://[/",
    ],
)
def test_only_addresses_of_the_web_will_do(url):
    assert webhook.check_url(url) == "the URL must begin with http:// or https:// and have a host"


@pytest.mark.parametrize("url", ["http://h/x", "https://h:8443/x?y=z", "HTTPS://h"])
def test_both_sorts_of_them_do(url):
    assert webhook.check_url(url) == ""


def end(user, url, **env):
    user.hook(user.payload("SessionStart"))
    return user.hook(user.payload("SessionEnd"), AR_NOTIFY_WEBHOOK=url, **env)


def eventually(look, seconds=30.0):
    until = time.monotonic() + seconds
    while not (found := look()) and time.monotonic() < until:
        time.sleep(0.1)
    return found


def failures(user):
    return [row for row in user.log() if "webhook" in row["summary"]]


def test_the_end_of_a_session_reaches_the_receiver(user, receiver):
    there = receiver(200)
    code, reply, err = end(user, there.url)
    got = eventually(lambda: there.got)
    told = json.loads(got[0][2])

    assert (code, err) == (0, "")
    assert "]777;notify;hookline;project (main): the session ended after" in reply["terminalSequence"]
    assert {**told, "message": "", "duration": ""} == {
        "text": "autoresearch session completed",
        "project": "project",
        "branch": "main",
        "duration": "",
        "tsv_summary": "",
        "message": "",
    }
    assert told["message"] == f"project (main): the session ended after {told['duration']}"


@pytest.mark.slow
def test_a_failure_is_seen_in_the_trail_without_the_address(user, receiver):
    there = receiver(404)
    end(user, there.url)
    found = eventually(lambda: failures(user))

    assert [row["summary"] for row in found] == ["the webhook failed: refused with status 404"]
    assert [(step["hook"], step["said"]) for step in found[0]["trail"]] == [("stop-notify", "failed")]
    assert SECRET_PATH not in user.run("log", "--json").stdout.decode()


@pytest.mark.slow
def test_a_receiver_that_is_in_trouble_twice_is_told_the_third_time(user, receiver):
    there = receiver(500, 503, 200)
    end(user, there.url)
    eventually(lambda: len(there.got) == 3)

    assert [json.loads(body)["project"] for _, _, body in there.got] == ["project"] * 3
    assert failures(user) == []


@pytest.mark.slow
def test_a_receiver_that_is_away_is_told_of_by_status_and_doctor(user, nowhere):
    end(user, nowhere)
    eventually(lambda: failures(user))
    cause = "could not connect (ConnectionRefusedError), the last of 3 attempts (last at "
    told = f"the webhook failed: {cause}"
    status, doctor = user.run("status"), user.run("doctor", "--json")
    findings = {one["id"]: one for one in json.loads(doctor.stdout)["findings"]}
    rows = user.run("log", "--json", "--rule", webhook.RULE).stdout.splitlines()

    assert told in status.stderr.decode()
    assert findings["effect.failed"]["text"].startswith(told)
    assert (findings["effect.failed"]["weight"], len(rows)) == ("attention", 1)
    assert SECRET_PATH not in (status.stderr + doctor.stdout).decode()


def test_an_address_that_is_none_is_told_at_once(user):
    code, _, err = end(user, "file:///etc/passwd")

    assert (code, err) == (
        0,
        "hookline: the webhook failed: the URL must begin with http:// or https:// and have a host\n",
    )
    assert len(failures(user)) == 1


@pytest.mark.slow
def test_nobody_waits_for_a_receiver_that_hangs(user, receiver):
    there = receiver("hangs")
    code, _, err = end(user, there.url)
    answered = list(failures(user))
    eventually(lambda: there.got)

    assert (code, err, answered) == (0, "", [])
    assert eventually(lambda: failures(user))


@pytest.mark.slow
def test_a_repository_cannot_say_itself_where_the_end_is_told(user, receiver):
    there = receiver(200)
    user.write(".claude/settings.json", {"env": {"AR_NOTIFY_WEBHOOK": there.url}})
    end(user, there.url, CLAUDE_PROJECT_DIR=str(user.project))

    assert (there.got, failures(user)) == ([], [])


@pytest.mark.parametrize(
    ("address", "asked"),
    [
        ("http://h/\xfc?q=\xe4 b", "http://h/%C3%BC?q=%C3%A4%20b"),
        ("http://b\xfccher.example/a%20b", "http://xn--bcher-kva.example/a%20b"),
        ("https://[::1]:9/x", "https://[::1]:9/x"),
        ("http://me:p%40ss@h:80/x?y=1#part", "http://h:80/x?y=1"),
    ],
)
def test_an_address_is_taken_as_people_write_it(address, asked):
    request = send_webhook._request(address, b"{}")  # noqa: SLF001 -- shows the request without a receiver

    assert request.full_url == asked
    assert request.headers.get("Authorization") == ("Basic bWU6cEBzcw==" if "me:" in address else None)


def test_all_proxy_holds_for_what_has_none_of_its_own(monkeypatch):
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("all_proxy", "http://a")
    monkeypatch.setenv("https_proxy", "http://b")

    proxies = send_webhook._proxies()  # noqa: SLF001 -- shows the proxies without a receiver

    assert (proxies["http"], proxies["https"]) == ("http://a", "http://b")
