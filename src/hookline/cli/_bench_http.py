"""Ask a daemon over http on a connection that stays open, as hosts do that can; where it serves that."""

import importlib
import importlib.util
import socket
import time
from typing import Any

from hookline.cli._bench_world import HOST, World, spawned
from hookline.cli._client import client

PORT = "hookline.daemon.port"
SESSION = "bench-http"


def served() -> bool:
    """Whether daemons of this installation answer over http."""
    return importlib.util.find_spec(PORT) is not None


def wanted(at: World) -> None:
    """Have the daemon that is started afterwards listen for it."""
    _port().chosen(at.env)


def opened(at: World) -> "Line":
    """A connection; a command tells of the session before, as hosts have it do."""
    spawned([*client(at.folder), "hook", HOST], at.payload(SESSION, -1), at.env)
    known = _port().kept(at.env)
    return Line(known.port, known.secret)


class Line:
    """One connection; must be closed."""

    def __init__(self, port: int, secret: str) -> None:
        self._line = socket.create_connection(("127.0.0.1", port), timeout=10)
        self._line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        told = f"POST /{HOST} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {secret}\r\n"
        self._head = told + "Content-Type: application/json\r\nContent-Length: "

    def asked(self, payload: bytes) -> float:
        """Seconds until the whole answer was there."""
        request = f"{self._head}{len(payload)}\r\n\r\n".encode() + payload
        began = time.perf_counter()
        self._line.sendall(request)
        status = self._heard()
        took = time.perf_counter() - began
        if status != b"200":
            raise OSError(f"a call over http was answered by status {status.decode(errors='replace')!r}")
        return took

    def _heard(self) -> bytes:
        """The status of an answer, after all of it has come."""
        data = b""
        while b"\r\n\r\n" not in data:
            data += self._more()
        head, _, body = data.partition(b"\r\n\r\n")
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        missing = int(fields.get(b"content-length", b"0")) - len(body)
        while missing > 0:
            missing -= len(self._more())
        return head.split(b" ", 2)[1]

    def _more(self) -> bytes:
        data = self._line.recv(1 << 16)
        if not data:
            raise OSError("the connection that should stay open was closed")
        return data

    def close(self) -> None:
        self._line.close()


def _port() -> Any:
    return importlib.import_module(PORT)
