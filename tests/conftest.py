"""A user of their own for every test that needs one: home, project, and the installed command."""

import atexit
import gc
import json
import os
import re
import shutil
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import settings
from tests import forked_commands, worker_groups

HOOKLINE = Path(sys.executable).parent / "hookline"
CAPTURES = Path(__file__).parent / "captures"
WIRED_PROGRAM = re.compile(r"[\w./-]*\bhookline(?:-client)?(?= (?:hook|>/dev/null) ?)")
"""The program in the settings that init writes, where a guard tests for it and where it is called."""

SCRATCH = tempfile.mkdtemp(prefix="hl-")
"""A temporary folder with a name so short that sockets find room in it; gone with the process."""
atexit.register(shutil.rmtree, SCRATCH, ignore_errors=True)

EXAMPLES = 100 if os.environ.get("HOOKLINE_LONG") else 25
settings.register_profile("house", deadline=None, max_examples=EXAMPLES)  # machines are slow now and then
settings.load_profile("house")


gc.disable()  # until the tests are found: none of what is made for them is garbage


def pytest_collection_modifyitems(items):
    worker_groups.by_what_they_need(items)


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


@dataclass
class User:
    """A home and a project that nobody else uses."""

    home: Path
    project: Path
    env: dict[str, str] = field(default_factory=dict)

    def environment(self, **more):
        base = {"HOME": str(self.home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        base["HOOKLINE_DAEMON"] = "off"  # one would outlive the test; those about it ask for it
        base["TMPDIR"] = SCRATCH
        return {**base, **self.env, **more}

    def run(self, *words, stdin="", **env):
        data = stdin if isinstance(stdin, bytes) else stdin.encode()
        return forked_commands.run(words, stdin=data, cwd=self.project, env=self.environment(**env))

    def hook(self, payload, *words, **env):
        """What Claude Code would read back: (exit code, the reply as JSON, stderr)."""
        stdin = payload if isinstance(payload, bytes) else json.dumps(payload)
        ran = self.run("hook", "claude-code", *words, stdin=stdin, **env)
        return ran.returncode, json.loads(ran.stdout or b"{}"), ran.stderr.decode()

    def payload(self, stem, **changes):
        """A captured payload of Claude Code, as if sent from this project."""
        captured = json.loads((CAPTURES / "claude-code" / f"{stem}.json").read_text())
        return {**captured, "cwd": str(self.project), **changes}

    def shell(self, command):
        return self.payload("PreToolUse", tool_input={"command": command})

    def write(self, name, content):
        """A file of the project, or with ~/ of the home."""
        path = self.home / name[2:] if name.startswith("~/") else self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def log(self):
        ran = self.run("log", "--json")
        return [json.loads(line) for line in ran.stdout.splitlines()]


@pytest.fixture
def user(tmp_path):
    return user_at(tmp_path)


def user_at(place):
    """A user whose home and project lie at *place*."""
    home, project = place / "home", place / "project"
    for folder in (home, project / ".git"):
        folder.mkdir(parents=True)
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    return User(home=home, project=project)


@dataclass
class Collector:
    """What a receiver of OpenTelemetry's protocol was sent, decoded."""

    endpoint: str = ""
    requests: list = field(default_factory=list)
    """(headers, the request) in the order of arrival."""
    behaviour: str = "well"
    release: threading.Event = field(default_factory=threading.Event)

    def take(self, headers, request):
        self.requests.append((headers, request))
        if self.behaviour == "hangs":
            self.release.wait(60)

    @property
    def spans(self):
        """Every span, as (resource attributes, span)."""
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
        """Until *enough* of this holds; whoever starts late must be waited for."""
        until = time.monotonic() + seconds
        while not enough(self):
            assert time.monotonic() < until, "the receiver was not sent what it waits for"
            time.sleep(0.05)
        return self


def attributes(span):
    """The attributes of something that was received, as a dict."""
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
            """Tests say enough."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_):
            """Who hangs up on one that hangs is right."""

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
        def Export(self, request, context):  # noqa: N802 -- the service is called so
            return taken(request, context, traces.ExportTraceServiceResponse)

    class Metrics(metrics_grpc.MetricsServiceServicer):
        def Export(self, request, context):  # noqa: N802 -- the service is called so
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
    """Both ways of the protocol."""
    return request.param


@pytest.fixture
def collector(protocol):
    """A receiver on this machine that decodes what it is sent."""
    with receiving(protocol) as one:
        yield one


@pytest.fixture(scope="module")
def watched(protocol, tmp_path_factory):
    """A user and a receiver that the tests of a module share."""
    with receiving(protocol) as one:
        yield user_at(tmp_path_factory.mktemp("watched")), one


@contextmanager
def receiving(protocol):
    with {"http": over_http, "grpc": over_grpc}[protocol](Collector()) as one:
        one.attributes = attributes
        yield one
