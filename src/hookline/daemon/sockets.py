"""The two sockets, who may speak on them, and one connection of either."""

import _socket
import contextlib
import os
import socket
import struct
import threading
from functools import partial

from hookline.daemon import messages
from hookline.system import lives

BACKLOG = 512
HEAR_WITHIN = 10.0
OVERDUE = 0.5
"""Seconds after which an answer that is due will not come any more: the client has it from another then."""
AT_ONCE = 0.001
SHORT = 4096
"""Bytes of an answer that go out at once, whoever reads them when."""
_CREDENTIALS = struct.Struct("3i")
Connection = _socket.socket
"""What `socket` builds its own on: that one takes as long to be made as a call takes to be heard."""


def unix(path: str) -> socket.socket:
    """A socket in the file system that only its user can connect to; one that was left there goes."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
    made = socket.socket(socket.AF_UNIX)
    made.bind(path)
    os.chmod(path, 0o600)
    made.listen(BACKLOG)
    return made


def loopback(port: int = 0) -> socket.socket:
    """A socket that this machine alone can reach, on that *port* if it is free, else on any."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # else what was closed just now holds it
    try:
        made.bind(("127.0.0.1", port))
    except OSError:
        made.bind(("127.0.0.1", 0))
    made.listen(BACKLOG)
    return made


def listening(path: str, port: int = 0) -> list[socket.socket]:
    """Both, or the one that this machine has; raises `OSError` where it has neither."""
    made, wrong = list[socket.socket](), list[OSError]()
    for begin in (partial(unix, path), partial(loopback, port)):
        try:
            made.append(begin())
        except OSError as error:
            wrong.append(error)
    if not made:
        raise wrong[0]
    return made


def accepted(listener: socket.socket, family: int) -> Connection:
    """The next one who connects, on a socket of that *family*."""
    number, _ = listener._accept()  # type: ignore[attr-defined]  # noqa: SLF001 -- see `Connection`
    return Connection(family, _socket.SOCK_STREAM, 0, number)


def _hurry(connection: Connection) -> None:
    """Have what comes confirmed at once: who sends in pieces waits for that, forty milliseconds each time."""
    if hasattr(_socket, "TCP_QUICKACK"):
        connection.setsockopt(_socket.IPPROTO_TCP, _socket.TCP_QUICKACK, 1)


class Line:
    """One connection: a call comes in, signs of life and one answer go out."""

    def __init__(self, connection: Connection, since: float) -> None:
        self.since = self._told = since
        self._due = float("inf")
        self.connection = connection
        self._lock = threading.Lock()
        self._over = True
        self.unix = connection.family == _socket.AF_UNIX
        self._heard, self._waits = False, HEAR_WITHIN
        connection.settimeout(HEAR_WITHIN)

    def _wait(self, seconds: float) -> None:
        """Have what is asked of the connection from now on take so long at most."""
        if seconds != self._waits:
            self._waits = seconds
            self.connection.settimeout(seconds)

    @property
    def speaks(self) -> bool:
        """Whether a call has begun to come in, and is not answered yet."""
        return not self._over

    def first(self) -> bytes:
        """What it begins with, enough to tell who speaks; all that came, if that is less."""
        begun = self._receive()
        while begun and len(begun) < len(messages.HELLO) and messages.HELLO.startswith(begun):
            more = self._receive()
            if not more:
                break
            begun += more
        return begun

    def hear(self, begun: bytes, knock: str, proof: str) -> messages.Asked:
        """The call; on loopback, whoever knows the *knock* wants *proof* first that we are no stranger."""
        if not self.unix:
            begun = messages.greeted(self._receive, knock, begun)
            self.connection.sendall(f"{proof}\n".encode())
        self._over = False  # from now on signs of life are understood
        self._wait(HEAR_WITHIN)
        return messages.hear(self._receive, begun)

    def _receive(self) -> bytes:
        if not self.unix:
            _hurry(self.connection)
        if self._over and self._heard:  # a stranger as yet, who has one time for all that it says
            self._wait(max(AT_ONCE, self.since + HEAR_WITHIN - lives.now()))
        self._heard = True
        return self.connection.recv(1 << 16)

    def still(self, *, every: float) -> None:
        """Say that the answer takes time, so often while it does; not when it has taken too much."""
        now = lives.now()
        if now - self._told < every or now - self.since > self._due + OVERDUE:
            return
        self._told = now
        if not self._lock.acquire(blocking=False):
            return  # the answer is on its way, and who reads it slowly must not keep the others waiting
        try:
            if not self._over:
                self.connection.send(messages.STILL, socket.MSG_DONTWAIT)
        except OSError:
            return
        finally:
            self._lock.release()

    def wanted(self, within: float) -> None:
        """The host wants an answer within so many seconds."""
        self._due = within

    def say(self, said: messages.Said) -> None:
        data = said.encoded()
        with self._lock, contextlib.suppress(OSError):
            self._over = True
            if len(data) > SHORT:
                self._wait(HEAR_WITHIN)
            self.connection.sendall(data)
            self.connection.close()

    def left(self) -> bool:
        """Whether whoever asked has gone, so that nobody would hear the answer."""
        self._wait(0)
        try:
            return self.connection.recv(1, socket.MSG_PEEK) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def peer(self) -> tuple[int, int] | None:
        """Process and user at the other end of a Unix socket, by the system's word; None without one."""
        if not self.unix or not hasattr(_socket, "SO_PEERCRED"):
            return None
        raw = self.connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, _CREDENTIALS.size)
        process, user, _ = _CREDENTIALS.unpack(raw)
        return process, user
