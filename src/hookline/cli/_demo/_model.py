"""The scripted model: a server on loopback that sends replies in order and keeps results of tool calls."""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from hookline.cli._demo._client import Protocol, Reply

ASIDE = Reply(text="ok")
"""Reply to requests outside the conversation, and after the end of the script."""
POLL_SECONDS = 0.05


@contextmanager
def serve(protocol: Protocol, replies: Sequence[Reply]) -> Iterator["Model"]:
    """Serve *replies* while the block runs."""
    with Model(protocol, replies) as model:
        threading.Thread(target=model.serve_forever, args=(POLL_SECONDS,), daemon=True).start()
        try:
            yield model
        finally:
            model.shutdown()


class Model(ThreadingHTTPServer):
    """A server on a free port, which refuses every request that is not for a reply of the model."""

    daemon_threads = True

    def __init__(self, protocol: Protocol, replies: Sequence[Reply]) -> None:
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.protocol = protocol
        self._replies = list(replies)
        self._lock = threading.Lock()
        self.result = ""
        """The result of the last tool call, as the agent reported it."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def choose(self, body: Mapping[str, Any]) -> Reply:
        """Return the next reply of the script for a request of the conversation."""
        if not self.protocol.has_tools(body):
            return ASIDE
        with self._lock:
            self.result = self.protocol.read_result(body) or self.result
            return self._replies.pop(0) if self._replies else ASIDE


class _Conversation(BaseHTTPRequestHandler):
    server: Model
    timeout = 60

    def do_POST(self) -> None:
        """Answer a request for a reply; all other methods are refused by the base class."""
        text = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not urlsplit(self.path).path.endswith(self.server.protocol.path):
            self.send_error(404)
            return
        body = json.loads(text)
        kind, answer = self.server.protocol.encode(body, self.server.choose(body))
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(answer.encode())))
        self.end_headers()
        self.wfile.write(answer.encode())

    def log_message(self, *words: object) -> None:
        """Print nothing."""
