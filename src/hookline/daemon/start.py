"""Start the daemon, and be it: one for a user, however many clients try at once."""

import fcntl
import gc
import os
import signal
import sys
import time
from collections.abc import Sequence

from hookline.daemon import client, control, log
from hookline.daemon.paths import Place, make
from hookline.daemon.server import IDLE, Server
from hookline.system import own_command
from hookline.system.file_lock import try_lock
from hookline.system.process import identity

SWITCH = "HOOKLINE_DAEMON"
"""Variable that, set to `off`, has every call answered in a process of its own."""
TAKES_OVER_WITHIN = 10.0
"""Seconds in which another daemon must have left the folder."""
LARGEST_LOG = 1 << 20
GC_THRESHOLD = (20_000, 20, 20)
SWITCH_INTERVAL = 0.0005
"""Seconds after which a thread yields: the one that answers does not wait for the one that stores."""


def ensure(place: Place) -> bool:
    """Return whether a daemon of this installation answers, started if need be."""
    if control.is_ours(control.status(place)):
        return True
    connection = client.wait_for_daemon(place.folder, own_command.programs())
    if connection is not None:
        connection.close()
    return connection is not None


def main(arguments: Sequence[str]) -> int:
    """Serve, unless a daemon of this installation does: `python -m hookline.daemon [PROGRAMS [IDLE]]`."""
    os.chdir("/")
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # pipes of the host that called: it may wait for their end
    programs = arguments[0] if arguments else own_command.programs()
    idle = float(arguments[1]) if len(arguments) > 1 else IDLE
    try:
        place = make()
        _shorten_log(place)
        until = time.monotonic() + TAKES_OVER_WITHIN
        while True:
            with try_lock(place.lock) as lock:
                if lock is not None:
                    return _serve(place, lock, programs, idle)
            if _superfluous(place, programs):
                return 0
            if time.monotonic() > until:
                return _give_up("another daemon holds the folder, and cannot be reached from here")
            time.sleep(0.02)
    except OSError as error:
        return _give_up(str(error))


def _give_up(why: str) -> int:
    log.say(f"cannot run: {why}")
    return 1


def _superfluous(place: Place, programs: str) -> bool:
    """Return whether the daemon that holds the place is as good as this one; another one is stopped.

    One that cannot be reached is left alone: a sandbox may keep this process from it, and it may be well.
    """
    status = control.status(place)
    if control.is_ours(status, programs):
        return True
    if (status is not None or control.is_crowded(place)) and not control.stop(place):
        raise OSError("another daemon neither answers nor ends")
    return False


def _serve(place: Place, lock: int, programs: str, idle: float) -> int:
    os.truncate(lock, 0)
    os.pwrite(lock, identity.own().encode(), 0)
    sys.setswitchinterval(SWITCH_INTERVAL)
    gc.collect()
    gc.freeze()  # modules stay: searching them for garbage takes longer than a reply
    gc.set_threshold(*GC_THRESHOLD)
    server = Server(place, programs, idle=idle)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: server.stopping.set())
    try:
        server.serve()
    finally:
        server.stop_listening()
        _release(lock)
        server.close()
    return 0


def _release(lock: int) -> None:
    """Let another daemon serve while this one finishes its calls."""
    os.truncate(lock, 0)
    fcntl.flock(lock, fcntl.LOCK_UN)


def _shorten_log(place: Place) -> None:
    if os.path.exists(place.log) and os.stat(place.log).st_size > LARGEST_LOG:
        os.truncate(place.log, 0)
