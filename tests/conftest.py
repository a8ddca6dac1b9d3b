"""Shared fixtures: an isolated user with the installed command, and an OpenTelemetry receiver."""

import atexit
import gc
import json
import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import settings
from tests import commands, worker_groups

from hookline.core.values import replace
from hookline.daemon import request_grants
from hookline.daemon.grant_key import GrantKey
from hookline.runtime.runtime import Runtime
from hookline.system import session_record

HOOKLINE = Path(sys.executable).parent / "hookline"
CAPTURES = Path(__file__).parent / "captures"
WIRED_PROGRAM = re.compile(r"[\w./-]*\bhookline(?:-client)?(?= (?:hook|>/dev/null) ?)")
"""Pattern for the program in the settings that init writes, both in its guard and in its call."""

SCRATCH = tempfile.mkdtemp(prefix="hl-")
"""Temporary folder, removed at exit. Its short name keeps socket paths below their length limit."""
atexit.register(shutil.rmtree, SCRATCH, ignore_errors=True)

EXAMPLES = 100 if os.environ.get("HOOKLINE_LONG") else 25
settings.register_profile(
    "house", deadline=None, max_examples=EXAMPLES
)  # a busy machine would exceed any deadline
settings.load_profile("house")


_leave = subprocess.Popen.__exit__


def _kill_and_leave(process, kind, value, traceback):
    """Kill the process of a failed test; otherwise `with` would wait for it, perhaps for ever."""
    if kind:
        process.kill()
    _leave(process, kind, value, traceback)


subprocess.Popen.__exit__ = _kill_and_leave

gc.disable()  # objects created during collection are never garbage


def pytest_collection_modifyitems(items):
    worker_groups.by_what_they_need(items)


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


@dataclass
class User:
    """An isolated home and project."""

    home: Path
    project: Path
    env: dict[str, str] = field(default_factory=dict)
    starts_processes: bool = False
    """True if each command runs in its own process, as with a real host."""

    def environment(self, **more):
        base = {"HOME": str(self.home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        base["HOOKLINE_DAEMON"] = "off"  # a daemon would outlive the test; tests of the daemon enable it
        base["TMPDIR"] = SCRATCH
        return {**base, **self.env, **more}

    def run(self, *words, stdin="", **env):
        data = stdin if isinstance(stdin, bytes) else stdin.encode()
        run = commands.start if self.starts_processes else commands.run
        return run(words, stdin=data, cwd=self.project, env=self.environment(**env))

    def hook(self, payload, *words, **env):
        """Run `hookline hook claude-code` and return (exit code, reply as JSON, stderr)."""
        stdin = payload if isinstance(payload, bytes) else json.dumps(payload)
        ran = self.run("hook", "claude-code", *words, stdin=stdin, **env)
        return ran.returncode, json.loads(ran.stdout or b"{}"), ran.stderr.decode()

    def payload(self, stem, **changes):
        """Return a captured payload of Claude Code with this project as its cwd."""
        captured = json.loads((CAPTURES / "claude-code" / f"{stem}.json").read_text())
        return {**captured, "cwd": str(self.project), **changes}

    def shell(self, command):
        return self.payload("PreToolUse", tool_input={"command": command})

    def write(self, name, content):
        """Write a file in the project, or in the home if the name starts with `~/`, and return its path."""
        path = self.home / name[2:] if name.startswith("~/") else self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def log(self):
        ran = self.run("log", "--json")
        return [json.loads(line) for line in ran.stdout.splitlines()]


@pytest.fixture(autouse=True)
def own_records(monkeypatch):
    """Give each test its own records of sessions, because the sessions of many tests have the same id."""
    folder = f"{SCRATCH}/records-{os.urandom(6).hex()}"
    monkeypatch.setattr(session_record, "variable_folders", lambda: (f"{folder}/variables",))


@pytest.fixture
def user(tmp_path, monkeypatch):
    made, entry = user_at(tmp_path), list(pwd.getpwuid(os.getuid()))
    entry[5] = str(made.home)  # the home of the user's login, as of a real user
    monkeypatch.setattr(pwd, "getpwuid", lambda _: pwd.struct_passwd(entry))
    return made


@pytest.fixture
def signer(monkeypatch):
    """Return a key that signs and verifies grants in the test's own process, as the key of a daemon does."""
    key, load = GrantKey(), Runtime.load

    def load_with_key(*words, **options):
        runtime = load(*words, **options)
        runtime.grants = replace(runtime.grants, check=key.check, spend=key.spend)
        return runtime

    monkeypatch.setattr(Runtime, "load", load_with_key)
    monkeypatch.setattr(request_grants, "sign_grant", key.sign)
    monkeypatch.setattr(request_grants, "check_grant", key.check)
    monkeypatch.setattr(request_grants, "revoke_grants", lambda revoked: [*map(key.spend, revoked)])
    return key


def user_at(place):
    """Return a user whose home and project are in *place*."""
    home, project = place / "home", place / "project"
    for folder in (home, project / ".git"):
        folder.mkdir(parents=True)
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    return User(home=home, project=project)


@dataclass
class Collector:
    """The decoded requests that an OpenTelemetry receiver has received."""

    endpoint: str = ""
    requests: list = field(default_factory=list)
    """(headers, request) pairs in order of arrival."""
    behaviour: str = "well"
    release: threading.Event = field(default_factory=threading.Event)

    def take(self, headers, request):
        self.requests.append((headers, request))
        if self.behaviour == "hangs":
            self.release.wait(60)

    @property
    def spans(self):
        return [
            span
            for _, request in self.requests
            for one in getattr(request, "resource_spans", ())
            for scope in one.scope_spans
            for span in scope.spans
        ]

    @property
    def metrics(self):
        return [
            metric
            for _, request in self.requests
            for one in getattr(request, "resource_metrics", ())
            for scope in one.scope_metrics
            for metric in scope.metrics
        ]

    def wait(self, enough, seconds=30):
        """Wait until *enough* returns true for this collector, and return the collector."""
        until = time.monotonic() + seconds
        while not enough(self):
            assert time.monotonic() < until, "timeout while waiting for the receiver's requests"
            time.sleep(0.05)
        return self


def attributes(span):
    """Return the attributes of a received span or metric point as a dict."""
    return {one.key: _value(one.value) for one in span.attributes}


def _value(value):
    kind = value.WhichOneof("value")
    return (
        [_value(one) for one in value.array_value.values] if kind == "array_value" else getattr(value, kind)
    )


@contextmanager
def over_http(collector):
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2 as metrics
    from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as traces

    sorts = {
        "/v1/traces": traces.ExportTraceServiceRequest,
        "/v1/metrics": metrics.ExportMetricsServiceRequest,
    }

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            request = sorts[self.path]()
            request.ParseFromString(self.rfile.read(int(self.headers["content-length"])))
            collector.take(dict(self.headers), request)
            if collector.behaviour == "garbage":
                self.wfile.write(b"\xff\x00 this is no answer at all\r\n\r\n")
                self.close_connection = True
                return
            self.send_response(400 if collector.behaviour == "refuses" else 200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_):
            """Suppress the request log."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_):
            """Ignore connections that the client closed early."""

    server = Server(("127.0.0.1", 0), Handler)
    collector.endpoint = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield collector
    finally:
        collector.release.set()
        server.shutdown()
        server.server_close()


@contextmanager
def over_grpc(collector):
    from concurrent.futures import ThreadPoolExecutor

    import grpc
    from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2 as metrics
    from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2_grpc as metrics_grpc
    from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as traces
    from opentelemetry.proto.collector.trace.v1 import trace_service_pb2_grpc as traces_grpc

    def taken(request, context, answer):
        collector.take(dict(context.invocation_metadata()), request)
        if collector.behaviour in ("refuses", "garbage"):
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "not wanted here")
        return answer()

    class Traces(traces_grpc.TraceServiceServicer):
        def Export(self, request, context):  # noqa: N802 -- the generated service defines this name
            return taken(request, context, traces.ExportTraceServiceResponse)

    class Metrics(metrics_grpc.MetricsServiceServicer):
        def Export(self, request, context):  # noqa: N802 -- the generated service defines this name
            return taken(request, context, metrics.ExportMetricsServiceResponse)

    server = grpc.server(ThreadPoolExecutor(4))
    traces_grpc.add_TraceServiceServicer_to_server(Traces(), server)
    metrics_grpc.add_MetricsServiceServicer_to_server(Metrics(), server)
    collector.endpoint = f"http://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    try:
        yield collector
    finally:
        collector.release.set()
        server.stop(None).wait(5)


@pytest.fixture(params=["http", "grpc"], scope="module")
def protocol(request):
    """Return the transport of the OpenTelemetry protocol: HTTP or gRPC."""
    return request.param


@pytest.fixture
def collector(protocol):
    """Yield a local receiver that decodes its requests."""
    with receiving(protocol) as one:
        yield one


@pytest.fixture(scope="module")
def watched(protocol, tmp_path_factory):
    """Yield a user and a receiver, shared by the tests of a module."""
    with receiving(protocol) as one:
        yield user_at(tmp_path_factory.mktemp("watched")), one


@contextmanager
def receiving(protocol):
    with {"http": over_http, "grpc": over_grpc}[protocol](Collector()) as one:
        one.attributes = attributes
        yield one
