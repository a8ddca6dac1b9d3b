"""Test that the settings of a repository choose no proxy, certificate or receiver of what hookline sends."""

import json
import os
import socket
import ssl
import subprocess
import sys
import threading
import time
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from unittest.mock import patch

import pytest

from hookline.cli.hook import _open as open_runtime
from hookline.hosts import load as host
from hookline.kinds._connection import find_proxy
from hookline.policy.repository_env import DEFAULT_PATH
from hookline.runtime.setup import load_setup
from hookline.system.session_record import CallingSession

pytestmark = pytest.mark.slow

TOML, HOOKS = "~/.config/hookline/hookline.toml", "~/.config/hookline/hooks.json"
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "grpc_proxy")
TOOLS = Path(__file__).parent / "kinds" / "servers" / "tools.py"


class Receiver:
    """An HTTP server that counts its requests; as a proxy, it refuses them."""

    def __init__(self, status=200, context=None):
        self.got, outer = [], self

        class Handler(BaseHTTPRequestHandler):
            def answer(self):
                outer.got.append(f"{self.command} {self.path}")
                self.rfile.read(int(self.headers["content-length"] or 0))
                self.send_response(status)
                self.send_header("content-length", "0")
                self.end_headers()

            do_POST = do_GET = do_CONNECT = answer  # noqa: N815 -- names of the library

            def log_message(self, *words):
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def get_request(self):
                connection, address = super().get_request()
                outer.got += [] if context else ["connection"]
                return (context.wrap_socket(connection, server_side=True) if context else connection), address

            def handle_error(self, *words):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def wait(self, seconds=30):
        until = time.monotonic() + seconds
        while not self.got:
            assert time.monotonic() < until, "timeout while waiting for a request"
            time.sleep(0.05)


@pytest.fixture
def proxy():
    with closing(Receiver(502)) as made:
        yield made


@pytest.fixture
def receiver():
    with closing(Receiver()) as made:
        yield made


def payload(user, stem="PreToolUse"):
    """Return a payload of a new session: real processes have one record of the variables of all tests."""
    return user.payload(stem, session_id=os.urandom(8).hex())


def proxies(proxy):
    return dict.fromkeys(PROXIES, f"http://127.0.0.1:{proxy.port}")


def from_repository(user, variables):
    """Return the environment of a host that applied the *variables* of its repository's settings."""
    user.write(".claude/settings.json", {"env": variables})
    return variables


@pytest.fixture(params=["process", "in-process"])
def sender(request, user):
    user.starts_processes = request.param == "process"
    return user


@pytest.mark.parametrize("owner", ["repository", "user"])
def test_telemetry_through_a_proxy(user, collector, protocol, proxy, owner):
    user.write(
        TOML, f'[sinks.otel]\nendpoint = "{collector.endpoint}"\nprotocol = "{protocol}"\ntimeout = 5.0\n'
    )
    env = from_repository(user, proxies(proxy)) if owner == "repository" else proxies(proxy)
    user.hook(payload(user), **env)
    if owner == "user":
        proxy.wait()
        return
    collector.wait(lambda one: one.spans)

    assert proxy.got == []


@pytest.mark.parametrize("owner", ["repository", "user"])
def test_a_webhook_through_a_proxy(user, receiver, proxy, owner):
    env = from_repository(user, proxies(proxy)) if owner == "repository" else proxies(proxy)
    user.hook(payload(user, "SessionEnd"), AR_NOTIFY_WEBHOOK=f"http://127.0.0.1:{receiver.port}/x", **env)
    (receiver if owner == "repository" else proxy).wait()

    assert (proxy.got == []) is (owner == "repository")


def test_a_webhook_of_the_repository_is_not_sent(user, receiver):
    url = f"http://127.0.0.1:{receiver.port}/x"
    user.hook(payload(user, "SessionEnd"), **from_repository(user, {"AR_NOTIFY_WEBHOOK": url}))
    time.sleep(1)

    assert receiver.got == []


def test_a_hook_with_a_url_through_a_proxy(sender, receiver, proxy):
    sender.write(HOOKS, {"hooks": {"PreToolUse": [{"url": f"http://127.0.0.1:{receiver.port}/"}]}})
    sender.hook(payload(sender), **from_repository(sender, proxies(proxy)))

    assert receiver.got[-1] == "POST /"
    assert proxy.got == []


@pytest.fixture(scope="module")
def mcp_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, TOOLS, "http", str(port)])
    until = time.monotonic() + 30
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except ConnectionRefusedError:
            time.sleep(0.05)
    yield port
    process.kill()
    process.wait()


@pytest.mark.parametrize("owner", ["repository", "user", "user-with-exception"])
def test_an_mcp_server_through_a_proxy(sender, mcp_port, proxy, owner):
    server = {"url": f"http://127.0.0.1:{mcp_port}/mcp"}
    hooks = {"PreToolUse": [{"tool": "mine.some", "timeout": 50}]}
    sender.write("~/.config/hookline/mcp.json", {"mcpServers": {"mine": server}, "hooks": hooks})
    env = from_repository(sender, proxies(proxy)) if owner == "repository" else proxies(proxy)
    env |= {"no_proxy": "localhost,127.0.0.1"} if owner == "user-with-exception" else {}
    _, reply, _ = sender.hook(payload(sender), **env)

    assert ("PreToolUse of" in json.dumps(reply)) is (owner != "user")
    assert (proxy.got == []) is (owner != "user")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """Return the path of a certificate for 127.0.0.1 that is its own authority, with its key."""
    path = tmp_path_factory.mktemp("tls") / "cert.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=x"]
    words += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", path, "-out", f"{path}.crt"]
    if subprocess.run(words, check=False, capture_output=True).returncode:
        pytest.skip("openssl is not available")
    path.write_text(path.read_text() + Path(f"{path}.crt").read_text())
    return path


@pytest.mark.parametrize("owner", ["repository", "user"])
def test_a_hook_with_a_certificate(sender, certificate, owner):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    variables = {"SSL_CERT_FILE": f"{certificate}.crt", "SSLKEYLOGFILE": str(sender.project / "keys")}
    env = from_repository(sender, variables) if owner == "repository" else variables
    with closing(Receiver(context=context)) as receiver:
        sender.write(HOOKS, {"hooks": {"PreToolUse": [{"url": f"https://127.0.0.1:{receiver.port}/"}]}})
        sender.hook(payload(sender), **env)

    assert receiver.got == ([] if owner == "repository" else ["POST /"])
    assert not (sender.project / "keys").exists()


@pytest.mark.parametrize(
    "name",
    [
        *(*PROXIES, "no_proxy", "NO_PROXY", "Http_Proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "SSLKEYLOGFILE"),
        *("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "OTEL_EXPORTER_OTLP_ENDPOINT"),
        *("OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_CERTIFICATE", "OTEL_RESOURCE_ATTRIBUTES"),
        *("HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS", "OPENSSL_CONF", "GIT_SSL_CAINFO", "GIT_PROXY_COMMAND"),
    ],
)
def test_a_variable_for_connections_counts_only_from_the_user(user, name):
    own = load_setup(user.environment(**{name: "x"}), str(user.project), host("claude-code")).env
    env = user.environment(**from_repository(user, {name: "x"}))
    setup = load_setup(env, str(user.project), host("claude-code"))

    assert own[name] == "x"
    assert name not in setup.env
    assert setup.config.waiting == (f".claude/settings.json: sets {name}",)


def test_the_process_of_a_call_loses_the_variables_of_the_repository(user):
    env = user.environment(MY_OWN="x", **from_repository(user, {"HOSTALIASES": "/x", "PATH": "/x"}))
    with patch.dict(os.environ, env, clear=True):
        open_runtime(str(user.project), env, host("claude-code"), CallingSession(id="s")).close()
        left = dict(os.environ)

    assert "HOSTALIASES" not in left
    assert (left["PATH"], left["MY_OWN"], left["HOME"]) == (DEFAULT_PATH, "x", str(user.home))


URL = "https://api.example.org:8443/x"


@pytest.mark.parametrize(
    ("env", "proxy"),
    [
        ({}, None),
        ({"HTTPS_PROXY": "http://a:1"}, "http://a:1"),
        ({"HTTPS_PROXY": "http://a:1", "https_proxy": "http://b:1"}, "http://b:1"),
        ({"HTTP_PROXY": "http://a:1"}, None),
        ({"ALL_PROXY": "a:1"}, "http://a:1"),
        ({"ALL_PROXY": "http://a:1", "https_proxy": "http://b:1"}, "http://b:1"),
        ({"https_proxy": "http://b:1", "no_proxy": "other.org, example.org"}, None),
        ({"https_proxy": "http://b:1", "NO_PROXY": ".example.org"}, None),
        ({"https_proxy": "http://b:1", "no_proxy": "*"}, None),
        ({"https_proxy": "http://b:1", "no_proxy": "api.example.org:8443"}, None),
        ({"https_proxy": "http://b:1", "no_proxy": "ample.org,api.example.org:1,"}, "http://b:1"),
        ({"https_proxy": ""}, None),
    ],
)
def test_the_proxy_of_a_url(env, proxy):
    assert find_proxy(URL, env) == proxy
