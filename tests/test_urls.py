"""Test addresses: a repository names none, and no server sends a hook's event to another address."""

import json
import threading
import time
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from hookline import PreToolUse, State
from hookline.core.kind import Declaration, HookFailed, Machine, Resources
from hookline.kinds import load

WAIT_SECONDS = (0.0, 1.5)
"""Seconds that a process in the background would need to send its request: no process, a process."""
EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd")


@contextmanager
def serving(status=200, location=""):
    """Yield the address of a server, and the requests that it got as (path, headers)."""
    requests = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            requests.append((self.path, dict(self.headers)))
            self.rfile.read(int(self.headers.get("content-length", 0)))
            self.send_response(status)
            self.send_header("content-length", "0")
            if location:
                self.send_header("location", location)
            self.end_headers()

        do_GET = do_CONNECT = do_POST  # noqa: N815 -- names of the base class

        def log_message(self, *_):
            """Suppress the request log."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", requests
    finally:
        server.shutdown()
        server.server_close()


def write_hooks(user, url):
    user.write(".hookline/hooks.json", {"hooks": {name: [{"url": url}] for name in ("PreToolUse", "Stop")}})


def write_server(user, url):
    user.write(".hookline/mcp.json", {"mcpServers": {"mine": {"url": f"{url}/mcp"}}})
    user.write(".hookline/hooks.json", {"hooks": {"PreToolUse": [{"tool": "mine.x"}]}})


def write_settings(text):
    return lambda user, url: user.write(".hookline/hookline.toml", text.replace("URL", url))


def write_environment(user, url):
    names = ("AR_NOTIFY_WEBHOOK", "http_proxy", "OTEL_EXPORTER_OTLP_ENDPOINT", "HOOKLINE_STORE_ADDRESS")
    user.write(".claude/settings.json", {"env": dict.fromkeys(names, url)})
    user.env |= dict.fromkeys(names[:1], url)  # as the agent gives it to its hooks


CONFIGURATIONS = {
    "hooks": write_hooks,
    "server": write_server,
    "gate": write_settings('[hooks.turn-gate]\ncommands = [{url = "URL"}]'),
    "sink": write_settings('[sinks.otel]\nendpoint = "URL"'),
    "store": write_settings('store = "postgres"\nstore_address = "URL"'),
    "environment": write_environment,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_no_address_of_a_repository_is_used(user, name):
    with serving() as (url, requests):
        CONFIGURATIONS[name](user, url)
        for event in EVENTS:
            user.run("hook", "claude-code", stdin=json.dumps(user.payload(event, session_id="s")))
        time.sleep(WAIT_SECONDS[name == "environment"])

    assert requests == []


@pytest.mark.slow
def test_the_users_own_address_is_used(user):
    with serving() as (url, requests):
        user.run("hook", "claude-code", stdin=json.dumps(user.payload("SessionStart")), AR_NOTIFY_WEBHOOK=url)
        user.run("hook", "claude-code", stdin=json.dumps(user.payload("SessionEnd")), AR_NOTIFY_WEBHOOK=url)
        deadline = time.monotonic() + 30
        while not requests and time.monotonic() < deadline:
            time.sleep(0.05)

    assert len(requests) == 1


def call(kind, spec, servers, env):
    machine = Machine(
        run=None, start=None, env=env, clock=lambda: 0.0, resources=Resources(), servers=servers
    )
    hook = Declaration(kind=kind, name="h", on=(PreToolUse,), spec=spec, root="/")
    try:
        return load(kind).bind(hook, machine)(PreToolUse(tool="Bash"), State(now=0.0), 10.0)
    finally:
        machine.resources.close()


@pytest.mark.slow
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("kind", ["http", "mcp"])
def test_a_redirect_is_not_followed(kind, status):
    with serving() as (other, stolen), serving(status, f"{other}/x") as (url, requests):
        headers = {"authorization": "Bearer secret"}
        spec = {"url": url, "headers": headers} if kind == "http" else {"tool": "mine.x"}
        with pytest.raises(HookFailed):
            call(kind, spec, {"mine": {"url": f"{url}/mcp", "headers": headers}}, {})

    assert len(requests) > 0
    assert stolen == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["http", "mcp"])
@pytest.mark.parametrize("variable", ["http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"])
def test_a_proxy_of_the_process_is_not_used(kind, variable, monkeypatch):
    with serving() as (proxy, stolen), serving(204) as (url, requests):
        monkeypatch.setenv(variable, proxy)
        spec = {"url": url} if kind == "http" else {"tool": "mine.x"}
        with suppress(HookFailed):  # the server does not speak MCP
            call(kind, spec, {"mine": {"url": f"{url}/mcp"}}, {})

    assert stolen == []
    assert len(requests) > 0
