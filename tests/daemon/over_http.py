"""A host that asks over http, by hand: every byte is the test's."""

import json
import socket

from hookline.daemon import port


class Asking:
    """One connection, which stays open."""

    def __init__(self, kept):
        self.kept = kept
        self.line = socket.create_connection(("127.0.0.1", kept.port), timeout=30)
        self.data = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.line.close()

    def ask(self, payload, path="/claude-code", **how):
        self.send(request(self.kept, payload, path, **how))
        return self.hear()

    def send(self, data):
        self.line.sendall(data)

    def hear(self):
        """(status, headers, body); (0, {}, b"") where the connection was closed instead."""
        while b"\r\n\r\n" not in self.data:
            if not self._more():
                return 0, {}, b""
        head, _, self.data = self.data.partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        status, length = int(first.split()[1]), int(headers.get("content-length", 0))
        while len(self.data) < length:
            assert self._more()
        body, self.data = self.data[:length], self.data[length:]
        return status, headers, body

    def _more(self):
        try:
            new = self.line.recv(1 << 16)
        except ConnectionResetError:
            new = b""
        self.data += new
        return bool(new)

    def closed(self):
        """Whether the other end has closed it."""
        return not self._more()


def request(kept, payload, path="/claude-code", *, method="POST", without=(), length=None, **headers):
    """What a host sends; *headers* are further ones, or others, with `_` for `-`."""
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    usual = {
        "Host": f"127.0.0.1:{kept.port}",
        "Content-Type": "application/json",
        "Authorization": f"Bearer {kept.secret}",
        "Content-Length": str(len(body) if length is None else length),
    }
    told = {**usual, **{name.replace("_", "-"): value for name, value in headers.items()}}
    lines = [f"{name}: {value}" for name, value in told.items() if name not in without]
    return "\r\n".join([f"{method} {path} HTTP/1.1", *lines, "", ""]).encode() + body


def keep(house):
    """What `init --http` chooses."""
    return port.chosen(house.environment())
