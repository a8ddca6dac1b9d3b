"""Load on a daemon: many calls at once, and how long each reply took."""

import selectors
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from hookline import __version__
from hookline.cli._bench.world import HOST, Sandbox

REPLY_TIMEOUT = 30.0
"""Seconds to wait for a reply."""


class LoadResult(Struct, frozen=True, kw_only=True):
    """The replies of one load test."""

    seconds: float
    took: Sequence[float]
    """Seconds from the due time of each call until its reply was complete."""
    failed: int = 0


def build_encoder(sandbox: Sandbox, sessions: int = 1) -> Callable[[int], bytes]:
    """Return a function that encodes a call by its number for the daemon's socket, sessions in turn."""
    env = [f"{name}={value}" for name, value in sandbox.env.items()]
    context = "\0".join([f"{sandbox.folder}/bin", HOST, *env, sandbox.project]).encode() + b"\0"
    bodies = [sandbox.payload(f"bench-{number}", 0) for number in range(sessions)]

    def encode(number: int) -> bytes:
        body = bodies[number % sessions].replace(b'"call-0"', b'"call-%d"' % number)
        head = f"hookline/2 hook {__version__} bench.{number} 1 {len(env)} {len(body)}\n".encode()
        return head + context + body

    return encode


def run_closed_loop(
    sandbox: Sandbox, encode: Callable[[int], bytes], numbers: Iterable[int], concurrency: int
) -> LoadResult:
    """Make calls as fast as possible, *concurrency* of them at once."""
    return _drive(sandbox.place.socket, encode, ((0.0, number) for number in numbers), concurrency)


def _drive(
    path: str, encode: Callable[[int], bytes], due: Iterator[tuple[float, int]], concurrency: int
) -> LoadResult:
    """Make the *due* calls from one thread, because the switching of several would be measured too."""
    began, answers = time.perf_counter(), list[tuple[float, bool]]()
    upcoming = next(due, None)
    with selectors.DefaultSelector() as selector:
        while upcoming or selector.get_map():
            timeout = REPLY_TIMEOUT
            if upcoming and len(selector.get_map()) < concurrency:
                timeout = max(0.0, upcoming[0] - time.perf_counter())
                if not timeout:
                    since = upcoming[0] or time.perf_counter()
                    selector.register(_send_call(path, encode(upcoming[1])), selectors.EVENT_READ, since)
                    upcoming = next(due, None)
            answers += _collect_replies(selector, timeout)
    took = [seconds for seconds, _ in answers]
    return LoadResult(
        seconds=time.perf_counter() - began, took=took, failed=sum(not correct for _, correct in answers)
    )


def _collect_replies(selector: selectors.BaseSelector, timeout: float) -> Iterator[tuple[float, bool]]:
    """Yield, for each reply that has arrived, its duration and whether it is correct."""
    for key, _ in selector.select(timeout):
        connection = key.fileobj
        selector.unregister(connection)
        if isinstance(connection, socket.socket):
            correct = _read_reply(connection)
            yield time.perf_counter() - key.data, correct


def _send_call(path: str, call: bytes) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(REPLY_TIMEOUT)
    connection.connect(path)
    connection.sendall(call)
    return connection


def _read_reply(connection: socket.socket) -> bool:
    """Return whether the call was let through; reading to the end shows that the reply is complete."""
    with connection:
        return b"".join(iter(lambda: connection.recv(1 << 16), b"")).lstrip(b".\n").startswith(b"0 ")
