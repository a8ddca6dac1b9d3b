"""The daemon that is running: which process it is, its own account of itself, and how it is stopped."""

import json
import os
import signal
import socket
import time
from typing import Any

import hookline
from hookline.daemon import client
from hookline.daemon.paths import Place, problem
from hookline.system import own_command
from hookline.system.file_lock import is_locked
from hookline.system.process import identity

ANSWERS_WITHIN = 2.0
STOPS_WITHIN = 15.0
"""Seconds that a daemon gets for the calls in progress."""
LOOK_EVERY = 0.02


def held(place: Place) -> bool:
    """Return whether a daemon serves there, hung or not."""
    return not problem(place.folder) and is_locked(place.lock)


def holder(place: Place) -> str:
    """Return the name, as in `lives`, of the process that took the place last."""
    try:
        with open(place.lock, encoding="ascii") as file:
            return file.read(200).strip()
    except (OSError, ValueError):
        return ""


def status(place: Place, within: float = ANSWERS_WITHIN) -> dict[str, Any] | None:
    """Return the daemon's account of itself; None if none answers."""
    told = _ask(place, "status", within)
    try:
        return dict(json.loads(told)) if told is not None else None
    except (ValueError, TypeError):
        return None


def is_ours(status: dict[str, Any] | None, programs: str = "") -> bool:
    """Return whether that *status* is of a daemon of this release and installation."""
    own = (hookline.__version__, programs or own_command.programs())
    return status is not None and (status.get("release"), status.get("programs")) == own


def stop(place: Place, within: float = STOPS_WITHIN) -> bool:
    """Stop the daemon and wait until it is gone; one that does not answer is killed. Return whether it is."""
    name = holder(place)
    within = within if _ask(place, "stop", ANSWERS_WITHIN) is not None else LOOK_EVERY
    for number in (None, signal.SIGTERM, signal.SIGKILL):
        if number is not None and identity.alive(name):  # not a later process with the same number
            os.kill(int(name.partition(":")[0]), number)
        if _gone(place, name, within if number is None else ANSWERS_WITHIN):
            return True
    return False


def is_crowded(place: Place) -> bool:
    """Return whether the queue of connections is full, because the daemon no longer accepts any."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(ANSWERS_WITHIN)
        try:
            connection.connect(place.socket)
        except (TimeoutError, BlockingIOError):
            return True
        except OSError:
            return False
    return False


def _gone(place: Place, name: str, within: float) -> bool:
    until = time.monotonic() + within
    while held(place) or identity.alive(name):
        if time.monotonic() > until:
            return False
        time.sleep(LOOK_EVERY)
    return True


def _ask(place: Place, verb: str, within: float) -> bytes | None:
    """Return the daemon's reply; None if there is none."""
    connection = None if problem(place.folder) else client.connect(place.folder)
    if connection is None:
        return None
    with connection:
        connection.settimeout(within)
        try:
            call = client.encode_call(verb, hookline.__version__, "-", own_command.programs(), [], b"")
            return client.exchange(connection, call)[2]
        except (OSError, ValueError, client.Refused, client.Replaced):
            return None
