"""The daemon that is there: who holds the place, what it says of itself, and how it is made to go."""

import json
import os
import signal
import socket
import time
from typing import Any

from hookline.daemon import messages
from hookline.daemon.paths import Place, locked, trouble
from hookline.system import lives
from hookline.tuples import NamedTuple

ANSWERS_WITHIN = 2.0
DRAINS_WITHIN = 15.0
"""Seconds that one gets for the calls that are under way."""
LOOK_EVERY = 0.02


def held(place: Place) -> bool:
    """Whether a daemon lives there, however it fares. Looks without holding who would be it for long."""
    if trouble(place.folder) or not os.path.exists(place.lock):
        return False
    with locked(place.lock) as lock:
        return lock is None


def holder(place: Place) -> str:
    """The name of the process that took the place last, as `lives` knows it."""
    try:
        with open(place.lock, encoding="ascii") as file:
            return file.read(200).strip()
    except (OSError, ValueError):
        return ""


class Told(NamedTuple):
    """What clients are told of a daemon."""

    word: str
    port: int
    knock: str
    """What it must be told first there, before it answers at all."""
    proof: str
    """What it answers first on loopback, where a stranger may have taken the port of one that died."""
    secret: str


def read(place: Place) -> Told | None:
    """What the daemon announced; None where there is none."""
    try:
        with open(place.address, "rb") as file:
            word, port, knock, proof, secret = file.readline(300).decode("ascii").split()
        return Told(word, int(port), knock, proof, secret)
    except (OSError, ValueError):
        return None


def status(place: Place, within: float = ANSWERS_WITHIN) -> dict[str, Any] | None:
    """What it says of itself; None where none answers."""
    said = _told(place, "status", within)
    while said.startswith(messages.STILL):
        said = said.removeprefix(messages.STILL)
    _, _, text = said.partition(b"\n")
    try:
        return dict(json.loads(text))
    except (ValueError, TypeError):
        return None


def stop(place: Place, within: float = DRAINS_WITHIN) -> bool:
    """Tell it to go, and wait until it has; one that does not hear is ended. Whether none is left."""
    name = holder(place)
    within = within if _told(place, "stop", ANSWERS_WITHIN) else LOOK_EVERY
    for number in (None, signal.SIGTERM, signal.SIGKILL):
        if number is not None and lives.alive(name):  # not whoever has its number now
            os.kill(int(name.partition(":")[0]), number)
        if _gone(place, within if number is None else 2.0):
            return True
    return False


def _gone(place: Place, within: float) -> bool:
    until = time.monotonic() + within
    while held(place):
        if time.monotonic() > until:
            return False
        time.sleep(LOOK_EVERY)
    return True


def _told(place: Place, word: str, within: float) -> bytes:
    """All that comes back; nothing where nobody listens."""
    told = read(place) or Told("", 0, "", "", "-")
    said = f"hookline/1 {told.secret} {os.getpid()} - 1 0\n{word}\0/\0\0".encode()
    for family, address in ((socket.AF_UNIX, place.socket), (socket.AF_INET, ("127.0.0.1", told.port))):
        try:
            with socket.socket(family) as line:
                line.settimeout(within)
                line.connect(address)
                if family == socket.AF_INET and not _proven(line, told):
                    continue
                line.sendall(said)
                return b"".join(iter(lambda: line.recv(1 << 16), b""))
        except OSError:
            continue
    return b""


def _proven(line: socket.socket, told: Told) -> bool:
    line.sendall(messages.HELLO + f" {told.knock}\n".encode())
    with line.makefile("rb", buffering=0) as heard:
        return heard.readline(200) == f"{told.proof}\n".encode()
