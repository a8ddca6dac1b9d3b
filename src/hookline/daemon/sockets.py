"""The daemon's Unix socket, and a connection to it."""

import os
import socket
import threading
from contextlib import suppress

from hookline.daemon import client, messages
from hookline.system.process import identity

BACKLOG = 512
TRANSFER_TIMEOUT = 10.0
"""Seconds for a whole request, or for a client to read its reply."""
OVERDUE_SECONDS = 0.5
"""Seconds after the host's deadline in which a reply may still be sent."""
SHORT_REPLY_BYTES = 4096
"""Bytes of a reply that always fit into a socket's buffer."""


class Listener(socket.socket):
    """A listening Unix socket; `accept` does not look up its family and type for every connection."""

    family = socket.AF_UNIX
    type = socket.SOCK_STREAM
    proto = 0


def listen(path: str) -> Listener:
    """Return a socket that only this user can connect to; replace the file of a dead daemon."""
    with suppress(FileNotFoundError):
        os.unlink(path)
    listener = Listener(socket.AF_UNIX)
    previous = os.umask(0o177)  # at creation, because a client checks the mode before it connects
    try:
        listener.bind(path)
    finally:
        os.umask(previous)
    listener.listen(BACKLOG)
    return listener


class Connection:
    """A connection: one request arrives; progress messages and one reply are sent."""

    def __init__(self, connection: socket.socket, since: float) -> None:
        self.since = self._last_message = since
        self._deadline = float("inf")
        self._connection = connection
        self._lock = threading.Lock()
        self._replied = False

    def close(self) -> None:
        self._connection.close()

    def peer(self) -> tuple[int, int]:
        """Return process and user of the client."""
        return client.peer(self._connection)

    def read_request(self) -> messages.Request:
        return messages.read_request(self._receive)

    def _receive(self) -> bytes:
        left = self.since + TRANSFER_TIMEOUT - identity.now()
        if left <= 0:
            raise messages.Malformed("took too long")
        self._connection.settimeout(left)
        return self._connection.recv(1 << 16)

    def answer_within(self, seconds: float) -> None:
        """Set the host's deadline, after which no progress message is sent."""
        self._deadline = seconds

    def send_working(self, *, every: float) -> None:
        """Tell the client that its call is in progress, unless a message was sent recently."""
        now = identity.now()
        if now - self._last_message < every or now - self.since > self._deadline + OVERDUE_SECONDS:
            return
        self._last_message = now
        if not self._lock.acquire(blocking=False):
            return  # the reply is being sent; a slow reader must not delay the other clients
        with suppress(OSError):
            if not self._replied:
                self._connection.send(messages.WORKING, socket.MSG_DONTWAIT)
        self._lock.release()

    def send(self, reply: bytes) -> None:
        """Send the last message and close."""
        with self._lock, suppress(OSError):
            self._replied = True
            if len(reply) > SHORT_REPLY_BYTES:
                self._connection.settimeout(TRANSFER_TIMEOUT)
            self._connection.sendall(reply)
            self._connection.close()

    def client_left(self) -> bool:
        """Return whether the client has disconnected, so that nobody would read the reply."""
        self._connection.settimeout(0)
        try:
            return self._connection.recv(1, socket.MSG_PEEK) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True
