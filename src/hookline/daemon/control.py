"""Control of the running daemon: its process, its status, and how to stop it."""

import json
import os
import signal
import socket
import time
from typing import Any, NamedTuple

import hookline
from hookline.daemon import client
from hookline.daemon.paths import DaemonFolder, describe_problem
from hookline.system import own_command
from hookline.system.file_lock import is_locked
from hookline.system.process import identity

SWITCH = "HOOKLINE_DAEMON"
"""Environment variable; with the value `off`, every call is answered in its own process."""
REPLY_TIMEOUT = 2.0
"""Seconds to wait for a reply."""
STOP_TIMEOUT = 15.0
"""Seconds that a daemon gets to finish the calls in progress."""
POLL_INTERVAL = 0.02
"""Seconds between two checks whether the daemon has ended."""


def is_served(place: DaemonFolder) -> bool:
    """Return whether a daemon holds the place, hung or not."""
    return not describe_problem(place.path) and is_locked(place.lock)


def holder(place: DaemonFolder) -> str:
    """Return the name, as of `identity.new_name`, of the last process that held the place."""
    try:
        with open(place.lock, encoding="ascii") as file:
            return file.read(200).strip()
    except (OSError, ValueError):
        return ""


def status(place: DaemonFolder, within: float = REPLY_TIMEOUT) -> dict[str, Any] | None:
    """Return the daemon's status; None if no daemon answers."""
    reply = ask(place, "status", within=within)
    try:
        return dict(json.loads(reply.stdout)) if reply is not None else None
    except (ValueError, TypeError):
        return None


def is_ours(status: dict[str, Any] | None, programs: str = "") -> bool:
    """Return whether *status* comes from a daemon of this release and installation."""
    own = (hookline.__version__, programs or own_command.find_programs())
    return status is not None and (status.get("release"), status.get("programs")) == own


def ensure(place: DaemonFolder) -> bool:
    """Return whether a daemon of this installation answers, after starting one if necessary."""
    if is_ours(status(place)):
        return True
    connection = client.wait_for_daemon(place.path, own_command.find_programs())
    if connection is not None:
        connection.close()
    return connection is not None


def stop(place: DaemonFolder, within: float = STOP_TIMEOUT) -> bool:
    """Stop the daemon, kill it if it does not answer, and wait for its end; return whether it ended."""
    name = holder(place)
    within = within if ask(place, "stop") is not None else POLL_INTERVAL
    for number in (None, signal.SIGTERM, signal.SIGKILL):
        if number is not None and identity.is_alive(name):  # not a later process with the same pid
            os.kill(int(name.partition(":")[0]), number)
        if _wait_until_gone(place, name, within if number is None else REPLY_TIMEOUT):
            return True
    return False


def is_crowded(place: DaemonFolder) -> bool:
    """Return whether the queue of connections is full, because the daemon no longer accepts any."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(REPLY_TIMEOUT)
        try:
            connection.connect(place.socket)
        except (TimeoutError, BlockingIOError):
            return True
        except OSError:
            return False
    return False


def _wait_until_gone(place: DaemonFolder, name: str, within: float) -> bool:
    deadline = time.monotonic() + within
    while is_served(place) or identity.is_alive(name):
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_INTERVAL)
    return True


class ControlReply(NamedTuple):
    """The daemon's reply to a request that is not a hook call."""

    code: int
    stdout: bytes
    stderr: bytes


def ask(
    place: DaemonFolder, verb: str, payload: bytes = b"", within: float = REPLY_TIMEOUT
) -> ControlReply | None:
    """Return the daemon's reply; None if there is none."""
    connection = None if describe_problem(place.path) else client.connect(place.path)
    if connection is None:
        return None
    with connection:
        connection.settimeout(within)
        try:
            programs = own_command.find_programs()
            call = client.encode_call(verb, hookline.__version__, "-", programs, [], payload)
            code, _, stdout, stderr, _ = client.exchange(connection, call)
            return ControlReply(code, stdout, stderr)
        except (OSError, ValueError, client.Refused, client.Replaced):
            return None
