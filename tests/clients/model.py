"""The scripted model: a server on loopback that answers with given replies and remembers what it was sent."""

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

# Fixed, so that settings can be written before the server runs: in a fresh network namespace it is free.
PORT = 8080
URL = f"http://127.0.0.1:{PORT}"
ASIDE = say("ok")
EXHAUSTED = say("(nothing more is scripted)")


@dataclass(frozen=True, kw_only=True, slots=True)
class Dialect:
    """How one vendor's protocol spells a request and a reply."""

    path: str | tuple[str, ...]
    """How the paths that ask for a reply end."""
    streams: Callable[[str, Mapping[str, Any]], bool]
    tools: Callable[[Mapping[str, Any]], bool]
    """Whether a request offers tools; one that does not is an aside (a title, say) and uses up no reply."""
    whole: Callable[[Reply, Mapping[str, Any], int], Mapping[str, Any]]
    stream: Callable[[Reply, Mapping[str, Any], int], Iterator[Mapping[str, Any]]]
    encode: Callable[[Mapping[str, Any]], str]
    """One event of a stream, as it goes over the wire."""


def load(name: str) -> Dialect:
    module = importlib.import_module(f".{name.replace('-', '_')}", __package__)
    dialect: Dialect = module.DIALECT
    return dialect


@contextmanager
def serve(dialect: Dialect, replies: Sequence[Reply], port: int = PORT) -> Iterator["Model"]:
    """Serve while the block runs; port 0 is any that is free."""
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
        """The number of this request, which is remembered, and the reply to it."""
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
        """Requests are remembered, not printed."""
