"""Start the daemon in the background, and be it: one for a user, however many try at once."""

import gc
import os
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress

from hookline.daemon import installation, log
from hookline.daemon.paths import Place, locked, made
from hookline.system import lives

SWITCH, IDLE = "HOOKLINE_DAEMON", "HOOKLINE_DAEMON_IDLE"
"""`off`: every call is answered by a process of its own. And seconds without a call after which it goes."""
AGAIN = 10.0
"""Seconds after which a start that came to nothing is tried again."""
UP_WITHIN = 10.0
"""Seconds after which one that holds the place and says nothing is taken to hang."""
KEPT = (
    "HOME",
    "PATH",
    "LANG",
    "LC_ALL",
    "TZ",
    "XDG_RUNTIME_DIR",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    "XDG_CACHE_HOME",
    IDLE,
)
LARGEST_LOG = 1 << 20
SELDOM = (20_000, 20, 20)
"""New objects, and rounds, after which garbage is looked for."""
SWITCH_EVERY = 0.0005
"""Seconds after which a thread lets another one go on: who answers does not wait for who writes."""


def ensure(env: Mapping[str, str], *, in_vain: bool = False) -> bool:
    """Have a daemon of this installation soon; whether one is being started now. Never raises or waits.

    With *in_vain*, one that is there did not answer: whoever is started looks whether it hangs.
    """
    if env.get(SWITCH) == "off":
        return False
    try:
        place = made(env)
        with locked(place.starting) as file:
            if file is None or _tried(file) or (_stands(place) and not in_vain):
                return False
            _note(file)
        start(place, env)
    except OSError:
        return False
    return True


def _tried(file: int) -> bool:
    """Whether one was started just now, and has not come up; by a clock that nobody sets."""
    boot, _, then = os.pread(file, 200, 0).decode("ascii", "replace").partition(" ")
    try:
        return boot == (lives.boot() or "-") and 0 <= lives.now() - float(then) < AGAIN
    except ValueError:
        return False


def _note(file: int) -> None:
    os.truncate(file, 0)
    os.pwrite(file, f"{lives.boot() or '-'} {lives.now()}".encode(), 0)


def up(place: Place) -> None:
    """Note that the start has not come to nothing."""
    with suppress(OSError):
        os.truncate(place.starting, 0)


def _stands(place: Place) -> bool:
    """Whether a daemon of this very installation lives, or one is just coming or going."""
    from hookline.daemon.control import held, read  # noqa: PLC0415 -- most calls end before this

    told = read(place)
    return (told is None or told[0] == installation.word()) and held(place)


def start(place: Place, env: Mapping[str, str]) -> int:
    """Begin it as a process that belongs to nobody's terminal or group, and holds nothing of ours open."""
    log = os.open(place.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        if os.fstat(log).st_size > LARGEST_LOG:
            os.truncate(log, 0)
        own = {name: env[name] for name in KEPT if name in env}
        return os.posix_spawn(
            sys.executable,
            [sys.executable, "-P", "-m", "hookline.daemon"],
            {**own, "PYTHONPATH": _sources()} if _sources() else own,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, log, 1),
                (os.POSIX_SPAWN_DUP2, log, 2),
                *((os.POSIX_SPAWN_CLOSE, number) for number in _inherited() if number != log),
            ],
            setsid=True,
        )
    finally:
        os.close(log)


def _inherited() -> list[int]:
    """What a host left open in us: whoever reads the other end must not wait for the daemon."""
    numbers = [int(name) for name in os.listdir("/dev/fd") if name.isdecimal()]
    return [number for number in numbers if number > 2 and _open(number)]  # noqa: PLR2004 -- the usual three


def _open(number: int) -> bool:
    try:
        return os.get_inheritable(number)
    except OSError:
        return False


def _sources() -> str:
    """Where we lie, if not where every interpreter of this installation looks."""
    place = os.path.dirname(installation.PACKAGE)
    return "" if "site-packages" in place.split(os.sep) else place


def main() -> int:
    """Be the daemon, unless there is one like us that answers."""
    os.chdir("/")
    try:
        place = made(os.environ)
        until = time.monotonic() + UP_WITHIN
        while True:
            with locked(place.lock) as lock:
                if lock is not None:
                    return _be(place, lock)
            if _answered(place, hangs=time.monotonic() > until):
                return 0
    except OSError as error:
        return _say(f"cannot run: {error}")


def _answered(place: Place, *, hangs: bool) -> bool:
    """Whether whoever holds the place is as good as us; if not, it has to go."""
    from hookline.daemon.control import status, stop  # noqa: PLC0415 -- as above

    said = status(place)
    if said is not None and said.get("word") == installation.word():
        return True
    if (said is not None or hangs) and not stop(place):
        raise OSError("another daemon neither answers nor goes")
    time.sleep(0.05)
    return False


def _be(place: Place, lock: int) -> int:
    from hookline.daemon.server import Daemon  # noqa: PLC0415 -- as above

    os.truncate(lock, 0)
    os.pwrite(lock, lives.own().encode(), 0)
    sys.setswitchinterval(SWITCH_EVERY)
    gc.collect()
    gc.freeze()  # what is loaded stays: to look through it for garbage takes longer than an answer
    gc.set_threshold(*SELDOM)
    daemon = Daemon(place, idle=_idle(os.environ))
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: daemon.stopping.set())
    try:
        daemon.serve()
    finally:
        daemon.close()
    return 0


def _idle(env: Mapping[str, str]) -> float:
    from hookline.daemon.server import IDLE as USUAL  # noqa: PLC0415 -- as above

    text = env.get(IDLE, "")
    try:
        seconds = float(text or USUAL)
    except ValueError:
        seconds = 0.0
    if seconds >= 1:
        return seconds
    _say(f"{IDLE} is {text!r}, which is no number of seconds from 1 up; {USUAL:.0f} holds")
    return USUAL


def _say(text: str) -> int:
    """Into the log; the exit code of who can only say so."""
    log.say(text)
    return 1
