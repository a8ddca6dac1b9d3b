"""The scripted model: a loopback server that sends given replies and records the requests."""

import importlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from .script import Reply, say

# The port is fixed, so that settings can be written before the server runs. It is free in a new namespace.
PORT = 8080
URL = f"http://127.0.0.1:{PORT}"
ASIDE = say("ok")
EXHAUSTED = say("(nothing more is scripted)")


@dataclass(frozen=True, kw_only=True, slots=True)
class Dialect:
    """The format of requests and replies in one vendor's protocol."""

    path: str | tuple[str, ...]
    """Ends of the paths that request a reply."""
    streams: Callable[[str, Mapping[str, Any]], bool]
    tools: Callable[[Mapping[str, Any]], bool]
    """Returns true if a request offers tools; one without, such as for a title, uses no scripted reply."""
    whole: Callable[[Reply, Mapping[str, Any], int], Mapping[str, Any]]
    stream: Callable[[Reply, Mapping[str, Any], int], Iterator[Mapping[str, Any]]]
    encode: Callable[[Mapping[str, Any]], str]
    """Returns one stream event as it is sent."""


def load(name: str) -> Dialect:
    module = importlib.import_module(f".{name.replace('-', '_')}", __package__)
    dialect: Dialect = module.DIALECT
    return dialect


@contextmanager
def serve(dialect: Dialect, replies: Sequence[Reply], port: int = PORT) -> Iterator["Model"]:
    """Serve *replies* while the block runs; port 0 selects a free port."""
    with Model(dialect, replies, port) as model:
        threading.Thread(target=model.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield model
        finally:
            model.shutdown()


class Model(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, dialect: Dialect, replies: Sequence[Reply], port: int) -> None:
        super().__init__(("127.0.0.1", port), Conversation)
        self.dialect = dialect
        self.replies = list(replies)
        self.requests: list[dict[str, Any]] = []
        self.lock = threading.Lock()

    def choose(self, path: str, body: dict[str, Any]) -> tuple[int, Reply]:
        """Record a request, and return its number and its reply."""
        with self.lock:
            aside = not self.dialect.tools(body)
            self.requests.append({"path": path, "body": body, "aside": aside})
            if aside:
                return len(self.requests), ASIDE
            return len(self.requests), self.replies.pop(0) if self.replies else EXHAUSTED


class Conversation(BaseHTTPRequestHandler):
    server: Model
    timeout = 60

    def do_POST(self) -> None:
        dialect, path = self.server.dialect, urlsplit(self.path).path
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not path.endswith(dialect.path):
            self.answer(404, "application/json", '{"error": {"message": "not scripted"}}')
            return
        number, reply = self.server.choose(path, body)
        if dialect.streams(path, body):
            events = dialect.stream(reply, body, number)
            self.answer(200, "text/event-stream", "".join(map(dialect.encode, events)))
        else:
            self.answer(200, "application/json", json.dumps(dialect.whole(reply, body, number)))

    def answer(self, status: int, kind: str, text: str) -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *words: object) -> None:
        """Do nothing, because requests are recorded instead of logged."""
