"""Hosts that ask over http: the same answers as a command's, on a connection that stays open."""

import contextlib
import hmac
import json
import socket
import threading
import time
from collections.abc import Callable
from typing import Protocol

from hookline import hosts
from hookline.answering import Answer
from hookline.daemon import hypertext
from hookline.daemon.hypertext import Gone, Refused
from hookline.daemon.messages import LONGEST
from hookline.daemon.registered import Caller, Sessions
from hookline.daemon.sockets import Connection
from hookline.host import Host
from hookline.wiring import Http, Listed

MOST = 256
"""Connections at the same time."""
HEAD_WITHIN, BODY_WITHIN = 5.0, 60.0
STAYS = 86_400.0
"""Seconds for which a connection that said the secret stays open without a request: one that we close just
when a host asks would be a question that nobody answers."""
LINGER = 1.0
PIECE = 1 << 16
"""Bytes that are taken at once; for more, the system would map new memory and take it back, each time."""
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
BROWSERS = (b"origin", b"sec-fetch-site")
"""Headers that only a browser sends, for a page that has no business here; `Sec-Fetch-Mode` is Node's too."""


During = Callable[[], contextlib.AbstractContextManager[None]]


class Answers(Protocol):
    def __call__(self, host: str, event: str, payload: bytes, caller: Caller) -> Answer: ...


class Web:
    """Answers requests, each on the thread of its connection."""

    def __init__(
        self, *, port: int, secret: str, sessions: Sessions, answers: Answers, ends: Callable[[], bool]
    ) -> None:
        self.sessions = sessions
        self._ends = ends
        self._hosts = {f"{name}:{port}".encode() for name in ("127.0.0.1", "localhost")}
        self._bearer = b"Bearer " + secret.encode()
        self._answers = answers
        self._lock = threading.Lock()
        self._open = 0

    def converse(self, connection: Connection, begun: bytes, during: During) -> None:
        """Answer what comes until either side has enough; *during* every answer something may be held."""
        with self._lock:
            full = self._open >= MOST
            self._open += 1
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if full:
                _refuse(connection, Refused(503, "too many connections are open"))
            else:
                self._requests(connection, bytearray(begun), during)
        finally:
            with self._lock:
                self._open -= 1

    def _requests(self, connection: Connection, data: bytearray, during: During) -> None:
        within = HEAD_WITHIN
        while True:
            try:
                asked = hypertext.head(data, _Receiving(connection, within, then=HEAD_WITHIN))
                with during():
                    keeps = self._request(connection, asked, data)
            except Gone:
                return
            except Refused as why:
                _refuse(connection, why)
                return
            if not keeps:
                return
            within = STAYS  # whoever comes so far knows the secret

    def _request(self, connection: Connection, asked: hypertext.Head, data: bytearray) -> bool:
        """Answer one; whether another may come."""
        self._check(asked)
        host, event = _addressed(asked.path)
        if asked.headers.get(b"expect", b"").lower() == b"100-continue":
            connection.sendall(CONTINUE)
        payload = hypertext.body(asked, data, _Receiving(connection, BODY_WITHIN), LONGEST)
        caller = self._caller(host, event, payload)
        keeps = asked.keeps and not self._ends()
        reply, _, after = self._answers(host.name, event, payload, caller)
        text = reply.stdout if not reply.stdout or reply.stdout.endswith("\n") else f"{reply.stdout}\n"
        _wait(connection, BODY_WITHIN)
        try:
            connection.sendall(hypertext.reply(200, text.encode("utf-8", "backslashreplace"), keeps=keeps))
        finally:
            after()
        return keeps

    def _check(self, asked: hypertext.Head) -> None:
        if asked.method != b"POST":
            raise Refused(405, "only POST is answered")
        if asked.headers.get(b"host", b"").lower() not in self._hosts:
            raise Refused(421, "the Host is not ours: a name that leads to this machine is not enough")
        if any(name in asked.headers for name in BROWSERS):
            raise Refused(403, "what a page in a browser asks is not answered")
        if not hmac.compare_digest(asked.headers.get(b"authorization", b""), self._bearer):
            raise Refused(401, "the secret is missing or wrong: `hookline init --user --http` writes it anew")
        kind = asked.headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        if kind != b"application/json":
            raise Refused(415, "only application/json is read")

    def _caller(self, host: Host, event: str, payload: bytes) -> Caller:
        """Who asks, as a command told before; there is no environment in a request."""
        try:
            sent = json.loads(payload)
        except (ValueError, RecursionError):
            raise Refused(400, f"the body is no JSON ({len(payload):,} bytes)") from None
        told = sent.get(host.names_event) if isinstance(sent, dict) else None
        over = _http(host)
        if over and (told or event) in over.never:
            raise Refused(404, f"{host.name} can only be answered by the command at {told or event}")
        found = self.sessions.find(host, sent)
        if found is None:
            raise Refused(503, "no command has told of this session yet, so it cannot be judged over http")
        return found


def _addressed(path: str) -> tuple[Host, str]:
    """The host and, if it is said, the moment that a request is for."""
    name, _, event = path[1:].partition("/")
    host = hosts.load(name) if name in hosts.names() else None
    if host is None or _http(host) is None or (event and event not in host.moments):
        raise Refused(404, "the path is the name of a host that asks over http, and perhaps its moment")
    return host, event


def _http(host: Host) -> Http | None:
    way = host.wiring.way if host.wiring else None
    return way.http if isinstance(way, Listed) else None


class _Receiving:
    """Bytes of a connection, all of them within a time that begins anew only when *then* says so."""

    def __init__(self, connection: Connection, within: float, then: float = 0.0) -> None:
        self._connection, self._then = connection, then
        self._until = time.monotonic() + within

    def __call__(self) -> bytes:
        new = self._new()
        if self._then:  # it has begun to speak
            self._until, self._then = time.monotonic() + self._then, 0.0
        return new

    def _new(self) -> bytes:
        while (left := self._until - time.monotonic()) > 0:
            with contextlib.suppress(TimeoutError):
                _wait(self._connection, min(left, BODY_WITHIN))
                return self._connection.recv(PIECE)
        raise Refused(408, "it took too long to come")


def _wait(connection: Connection, seconds: float) -> None:
    """Have what is asked of it from now on take so long at most; the system is told only what is new."""
    if connection.gettimeout() != seconds:
        connection.settimeout(seconds)


def _refusal(why: Refused) -> bytes:
    return hypertext.reply(why.status, f"hookline: {why}\n".encode(), kind="text/plain", keeps=False)


def _refuse(connection: Connection, why: Refused) -> None:
    """Say so, and let it be read: what is closed with bytes unread is reset."""
    with contextlib.suppress(OSError):
        connection.settimeout(LINGER)
        connection.sendall(_refusal(why))
        connection.shutdown(socket.SHUT_WR)
        receive = _Receiving(connection, LINGER)
        with contextlib.suppress(Refused):
            while receive():
                pass
