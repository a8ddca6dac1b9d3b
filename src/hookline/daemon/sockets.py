"""The daemon's Unix socket, and one connection to it."""

import os
import socket
import threading
from contextlib import suppress

from hookline.daemon import client, messages
from hookline.system.process import identity

BACKLOG = 512
RECEIVE_WITHIN = 10.0
"""Seconds for a whole request, or for a client to read its reply."""
OVERDUE = 0.5
"""Seconds after the host's deadline in which a reply may still come."""
SHORT = 4096
"""Bytes of a reply that a socket's buffer takes at once."""


def listen(path: str) -> socket.socket:
    """Return a socket that only its user can connect to; the file of a dead daemon is replaced."""
    with suppress(FileNotFoundError):
        os.unlink(path)
    made = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)  # from the start: a client checks the mode before it connects
    try:
        made.bind(path)
    finally:
        os.umask(before)
    made.listen(BACKLOG)
    return made


class Line:
    """One connection: a request comes in, signs of life and one reply go out."""

    def __init__(self, connection: socket.socket, since: float) -> None:
        self.since = self._told = since
        self._deadline = float("inf")
        self._connection = connection
        self._lock = threading.Lock()
        self._over = False

    def close(self) -> None:
        self._connection.close()

    def peer(self) -> tuple[int, int]:
        """Return process and user at the other end."""
        return client.peer(self._connection)

    def read_request(self) -> messages.Request:
        return messages.read_request(self._receive)

    def _receive(self) -> bytes:
        left = self.since + RECEIVE_WITHIN - identity.now()
        if left <= 0:
            raise messages.Malformed("took too long")
        self._connection.settimeout(left)
        return self._connection.recv(1 << 16)

    def answer_within(self, seconds: float) -> None:
        """Note the host's deadline, after which no sign of life is sent."""
        self._deadline = seconds

    def send_working(self, *, every: float) -> None:
        """Tell the client that its call is being worked on, if it was not told lately."""
        now = identity.now()
        if now - self._told < every or now - self.since > self._deadline + OVERDUE:
            return
        self._told = now
        if not self._lock.acquire(blocking=False):
            return  # the reply is being sent; a slow reader must not delay the other clients
        with suppress(OSError):
            if not self._over:
                self._connection.send(messages.WORKING, socket.MSG_DONTWAIT)
        self._lock.release()

    def send(self, reply: bytes) -> None:
        """Send the last message and close."""
        with self._lock, suppress(OSError):
            self._over = True
            if len(reply) > SHORT:
                self._connection.settimeout(RECEIVE_WITHIN)
            self._connection.sendall(reply)
            self._connection.close()

    def left(self) -> bool:
        """Return whether the client has gone, so that nobody would read the reply."""
        self._connection.settimeout(0)
        try:
            return self._connection.recv(1, socket.MSG_PEEK) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True
