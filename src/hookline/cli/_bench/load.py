"""Ask a daemon many things at once, or so many a second, and note how long each answer took."""

import selectors
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from hookline import __version__
from hookline.cli._bench.world import HOST, World

WITHIN = 30.0
"""Seconds after which an answer that has not come is no answer."""


class Load(Struct, frozen=True, kw_only=True):
    """What came of it."""

    seconds: float
    took: Sequence[float]
    """Seconds from when each was due until its answer was whole."""
    failed: int = 0


def asking(at: World, sessions: int = 1) -> Callable[[int], bytes]:
    """How the call of a number is told to the daemon over its Unix socket, by turns for each session."""
    env = [f"{name}={value}" for name, value in at.env.items()]
    around = "\0".join([f"{at.folder}/bin", HOST, *env, at.project]).encode() + b"\0"
    bodies = [at.payload(f"bench-{number}", 0) for number in range(sessions)]

    def said(number: int) -> bytes:
        body = bodies[number % sessions].replace(b'"call-0"', b'"call-%d"' % number)
        head = f"hookline/2 hook {__version__} bench.{number} 1 {len(env)} {len(body)}\n".encode()
        return head + around + body

    return said


def closed(at: World, said: Callable[[int], bytes], numbers: Iterable[int], many: int) -> Load:
    """As fast as it goes with so *many* calls under way at once."""
    return _driven(at.place.socket, said, ((0.0, number) for number in numbers), many)


def _driven(path: str, said: Callable[[int], bytes], due: Iterator[tuple[float, int]], many: int) -> Load:
    """One thread, because threads that wait for each other would be measured too."""
    began, answers = time.perf_counter(), list[tuple[float, bool]]()
    following = next(due, None)
    with selectors.DefaultSelector() as watch:
        while following or watch.get_map():
            wait = WITHIN
            if following and len(watch.get_map()) < many:
                wait = max(0.0, following[0] - time.perf_counter())
                if not wait:
                    since = following[0] or time.perf_counter()
                    watch.register(_begun(path, said(following[1])), selectors.EVENT_READ, since)
                    following = next(due, None)
            answers += _heard(watch, wait)
    took = [seconds for seconds, _ in answers]
    return Load(seconds=time.perf_counter() - began, took=took, failed=sum(not well for _, well in answers))


def _heard(watch: selectors.BaseSelector, wait: float) -> Iterator[tuple[float, bool]]:
    """How long each took whose answer is there, and whether that is right."""
    for key, _ in watch.select(wait):
        line = key.fileobj
        watch.unregister(line)
        if isinstance(line, socket.socket):
            well = _answered(line)
            yield time.perf_counter() - key.data, well


def _begun(path: str, call: bytes) -> socket.socket:
    line = socket.socket(socket.AF_UNIX)
    line.settimeout(WITHIN)
    line.connect(path)
    line.sendall(call)
    return line


def _answered(line: socket.socket) -> bool:
    """Whether the call was let through; who waits for the end sees that all of it came."""
    with line:
        return b"".join(iter(lambda: line.recv(1 << 16), b"")).lstrip(b".\n").startswith(b"0 ")
