"""Start of the daemon: one per user, however many clients try at once."""

import ctypes
import fcntl
import gc
import os
import signal
import sys
import time
from collections.abc import Sequence

from hookline.daemon import control, log
from hookline.daemon.paths import DaemonFolder, create_daemon_folder
from hookline.daemon.server import IDLE_SECONDS, Server
from hookline.system import own_command
from hookline.system.file_lock import try_lock
from hookline.system.process import identity

TAKEOVER_TIMEOUT = 10.0
"""Seconds in which another daemon must leave the folder."""
MAX_LOG_BYTES = 1 << 20
GC_THRESHOLD = (20_000, 20, 20)
_PR_SET_DUMPABLE = 4
SWITCH_INTERVAL = 0.0005
"""Seconds after which a thread yields, so that the answering thread does not wait for the storing one."""


def main(arguments: Sequence[str]) -> int:
    """Serve, unless a daemon of this installation does: `python -m hookline.daemon [PROGRAMS [IDLE]]`."""
    os.chdir("/")
    os.closerange(
        3, os.sysconf("SC_OPEN_MAX")
    )  # pipes of the calling host, which may wait until they are closed
    programs = arguments[0] if arguments else own_command.find_programs()
    idle = float(arguments[1]) if len(arguments) > 1 else IDLE_SECONDS
    try:
        place = create_daemon_folder()
        _shorten_log(place)
        deadline = time.monotonic() + TAKEOVER_TIMEOUT
        while True:
            with try_lock(place.lock) as lock:
                if lock is not None:
                    return _serve(place, lock, programs, idle)
            if _is_superfluous(place, programs):
                return 0
            if time.monotonic() > deadline:
                return _give_up("another daemon holds the folder and cannot be reached from here")
            time.sleep(0.02)
    except OSError as error:
        return _give_up(str(error))


def _give_up(reason: str) -> int:
    log.write(f"cannot run: {reason}")
    return 1


def _is_superfluous(place: DaemonFolder, programs: str) -> bool:
    """Return whether the daemon that holds the place is equivalent to this one; stop it if it is not.

    A daemon that cannot be reached is left alone: a sandbox may separate it from this process.
    """
    status = control.status(place)
    if control.is_ours(status, programs):
        return True
    if (status is not None or control.is_crowded(place)) and not control.stop(place):
        raise OSError("another daemon does not answer and does not end")
    return False


def _serve(place: DaemonFolder, lock: int, programs: str, idle: float) -> int:
    os.truncate(lock, 0)
    os.pwrite(lock, identity.new_name().encode(), 0)
    _protect_memory()
    sys.setswitchinterval(SWITCH_INTERVAL)
    gc.freeze()  # modules are never freed, and scanning them takes longer than a reply
    gc.set_threshold(*GC_THRESHOLD)
    gc.enable()  # `__main__` disabled it
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


def _protect_memory() -> None:
    """Let no other process of this user read the memory, which contains the key of grants; no core dumps."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, ctypes.c_ulong(0), 0, 0, 0)


def _release(lock: int) -> None:
    """Let another daemon serve while this one finishes its calls."""
    os.truncate(lock, 0)
    fcntl.flock(lock, fcntl.LOCK_UN)


def _shorten_log(place: DaemonFolder) -> None:
    if os.path.exists(place.log) and os.stat(place.log).st_size > MAX_LOG_BYTES:
        os.truncate(place.log, 0)
