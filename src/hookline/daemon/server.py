"""The daemon itself: it listens on a Unix socket and on loopback, and answers as a fresh process would."""

import contextlib
import hmac
import json
import os
import platform
import secrets
import select
import socket
import sys
import threading
import time

from hookline.answering import Answer, Call, answer, spoken
from hookline.daemon import installation, messages
from hookline.daemon.paths import Place
from hookline.daemon.sockets import Line, accepted, listening
from hookline.daemon.start import up
from hookline.daemon.turn_lock import Turns
from hookline.daemon.warm_state import Warm
from hookline.host import Reply
from hookline.system import lives
from hookline.system.effects import sequence

IDLE = 30 * 60.0
"""Seconds without a call after which it goes."""
READY, MOST = 4, 64
"""Threads for each socket as a rule, and that answer at the same time at most."""
SILENT = 512
"""Connections at most, with those on which nobody has said anything yet."""
MORE = 8
"""Threads that are added at once where all wait for something."""
STUCK_FOR = 0.03
"""Seconds in which nobody has finished while somebody waits: then those at work wait for something too."""
CALM = 30
"""Looks in which nobody has called, after which nobody looks any more."""
STILL_EVERY = 0.25
"""Seconds between two signs of life."""
LOOK_EVERY = 2.0
UNCALLED_EVERY = 60.0
"""Seconds between two looks at our own files while nobody calls."""
DRAIN_WITHIN = 10.0
BREATH = 0.05
"""Seconds until a socket is tried again that could not take a call."""


class Daemon:
    """Answers until it is told to stop, or nobody has called for a while; must be closed."""

    def __init__(self, place: Place, *, idle: float = IDLE) -> None:
        self.place, self.idle = place, idle
        self.secret, self.knock, self.proof = (secrets.token_hex(16) for _ in range(3))
        self._turns = Turns()
        self.warm = Warm(self._turns.spare)
        self.stopping = threading.Event()
        self._lock = threading.Lock()
        self._lines: set[Line] = set()
        self._last = lives.now()
        self._files = installation.Files()
        self._calls, self._begun = 0, time.time()
        self._called, self._over = threading.Event(), threading.Event()
        self._sockets = listening(place.socket, 0)
        self._workers, self._finished = dict.fromkeys(self._sockets, 0), dict.fromkeys(self._sockets, 0)

    @property
    def port(self) -> int:
        """The one on loopback; 0 where there is none."""
        found = [one.getsockname()[1] for one in self._sockets if one.family == socket.AF_INET]
        return int(found[0]) if found else 0

    def serve(self) -> None:
        """Answer until the end."""
        told = f"{installation.word()} {self.port} {self.knock} {self.proof} {self.secret}\n"
        # First of all: one that cannot be found must not have told anybody that it is there.
        _announce(self.place, told.encode("ascii") + os.fsencode(installation.PROGRAMS) + b"\n")
        self._man()
        threading.Thread(target=self._watch, name="watch", daemon=True).start()
        up(self.place)
        while not self.stopping.wait(min(self.idle / 4, LOOK_EVERY)):
            if not self._lines and lives.now() - self._last > self.idle:
                break
            if not self._in_place():
                break  # another has taken over, or somebody removed us
            if self._files.changed(every=UNCALLED_EVERY):
                break
            self._man()
        self.stopping.set()

    def close(self) -> None:
        """Take no more calls, finish those under way, and leave nothing behind but what was recorded."""
        if self._in_place():
            for path in (self.place.address, self.place.socket):
                with contextlib.suppress(OSError):
                    os.unlink(path)
        for listener in self._sockets:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)  # wakes who waits on it
            listener.close()
        until = time.monotonic() + DRAIN_WITHIN
        while self._lines and time.monotonic() < until:
            time.sleep(0.02)
        self._over.set()
        self._called.set()
        self.warm.close()

    def _in_place(self) -> bool:
        """Whether clients that look for a daemon find this one."""
        try:
            with open(self.place.address, "rb") as file:
                return self.secret.encode() in file.read()
        except OSError:
            return False

    def _watch(self) -> None:
        """While somebody asks: tell who waits that we live, and see that there is somebody to answer."""
        while not self._over.is_set():  # also while those under way are finished
            self._called.wait()
            calm = 0
            while calm < CALM:
                before = self._finished.copy()
                if self._over.wait(STUCK_FOR):
                    return
                for line in tuple(self._lines):
                    line.still(every=STILL_EVERY)
                self._relieve(before)
                calm = 0 if self._lines or self._finished != before else calm + 1
            self._called.clear()
            if self._lines:  # who came just now still found us awake
                self._called.set()

    def _relieve(self, before: dict[socket.socket, int]) -> None:
        """Add workers where those at work wait for something; where all compute, more would be slower."""
        for listener, finished in before.items():
            if self._finished[listener] == finished and _somebody_waits(listener):
                self._add(listener, MORE)

    def _add(self, listener: socket.socket, many: int) -> None:
        with self._lock:
            speaking = sum(line.speaks for line in self._lines)
            many = min(many, MOST - speaking, SILENT - sum(self._workers.values()))
        for _ in range(many):
            self._begin(listener)

    def _man(self) -> None:
        """Have as many threads on each socket as there are as a rule, whatever became of the others."""
        for listener in self._sockets:
            for _ in range(READY - self._workers[listener]):
                self._begin(listener)

    def _begin(self, listener: socket.socket) -> None:
        with self._lock:
            self._workers[listener] += 1
        try:
            threading.Thread(target=self._work, args=(listener,), daemon=True).start()
        except RuntimeError:  # the system has no more for us now
            with self._lock:
                self._workers[listener] -= 1

    def _work(self, listener: socket.socket) -> None:
        """Whoever waits on the socket answers who comes: nothing is handed from thread to thread."""
        family = int(listener.family)
        while not self.stopping.is_set():
            try:
                connection = accepted(listener, family)
            except OSError:  # shut down, or too much is open just now
                if self.stopping.wait(BREATH) or listener.fileno() < 0:
                    return
                continue
            line = Line(connection, lives.now())
            self._taken(line)
            over = True  # where something breaks that nobody thought of
            try:
                self._serve(line)
                over = False
            finally:
                connection.close()
                over = self._done(listener, line, over=over)
            if over:
                return

    def _taken(self, line: Line) -> None:
        with self._lock:
            self._lines.add(line)
            self._last = line.since
        if not self._called.is_set():  # to be woken takes the interpreter from who answers
            self._called.set()

    def _done(self, listener: socket.socket, line: Line, *, over: bool) -> bool:
        """Note it; whether this thread is *over*, or enough others are there for the socket."""
        with self._lock:
            self._lines.discard(line)
            self._last = lives.now()
            self._finished[listener] += 1
            stuck = sum(one.since < self._last - STUCK_FOR for one in self._lines)
            over = over or self._workers[listener] > READY + stuck
            self._workers[listener] -= over
            return over

    def _serve(self, line: Line) -> None:
        with contextlib.suppress(OSError, messages.Refused):
            asked = line.hear(line.first(), self.knock, self.proof)
            peer = line.peer() or (asked.process, -1)
            if peer[1] != os.getuid() and not hmac.compare_digest(
                asked.secret.encode(), self.secret.encode()
            ):
                return None
            if asked.words == ("stop",):
                self.stopping.set()
                return line.say(messages.Said(0))
            if asked.words == ("status",):
                return line.say(messages.Said(0, self._status()))
            if line.left() or _elsewhere(peer[0]):
                return None
            if self._files.changed():
                return self.stopping.set()  # who asked answers by itself, and starts what is installed now
            self._calls += 1
            with self._turns.taken():
                reply, notices, after = self._answer(asked, line)
                line.say(_said(reply, b"".join(map(sequence, notices))))
            after()
        return None

    def _status(self) -> bytes:
        told = {
            "process": os.getpid(),
            "word": installation.word(),
            "since": self._begun,
            "calls": self._calls,
        }
        about = {"python": platform.python_version(), "executable": sys.executable, "idle": self.idle}
        about |= {
            "package": installation.PACKAGE,
            "port": self.port,
            "under_way": max(0, len(self._lines) - 1),
        }
        about |= {"socket": any(one.family == socket.AF_UNIX for one in self._sockets)}
        return json.dumps({**told, **about}).encode()

    def _answer(self, asked: messages.Asked, line: Line) -> Answer:
        try:
            words = spoken(asked.words)
            env, cwd = (asked.env, asked.cwd) if asked.env is not None else _caller(asked)
        except ValueError as error:
            if {"-h", "--help"} & {*asked.words}:
                raise messages.Refused("a person asks, whom `hookline hook` answers") from None
            return Answer(Reply(stderr=f"hookline: called wrongly, so nothing was judged: {error}\n"))
        call = Call(
            host=words.host,
            event=words.event,
            only=words.only,
            without=words.without,
            payload=asked.payload,
            env=env,
            cwd=cwd,
            name=asked.name,
            begun=lambda: line.since,
            due=line.wanted,
        )
        return answer(call, self.warm.open)


def _world(process: int | str) -> str:
    try:
        return os.readlink(f"/proc/{process}/ns/mnt")
    except OSError:
        return ""


_HERE = _world("self")


def _somebody_waits(listener: socket.socket) -> bool:
    """Whether a connection has come that nobody has taken."""
    watch = select.poll()
    try:
        watch.register(listener, select.POLLIN)
        return bool(watch.poll(0))
    except (OSError, ValueError):  # closed meanwhile
        return False


def _elsewhere(process: int) -> bool:
    """Whether a process has other files than we: what is configured there, only it can read."""
    return bool(_HERE) and _world(process) != _HERE


def _said(reply: Reply, terminal: bytes) -> messages.Said:
    text = reply.stdout if not reply.stdout or reply.stdout.endswith("\n") else f"{reply.stdout}\n"
    out, err = (part.encode("utf-8", "backslashreplace") for part in (text, reply.stderr))
    return messages.Said(reply.code, out, err, terminal)


def _caller(asked: messages.Asked) -> tuple[dict[str, str], str]:
    """What the client was started with, and where, from the system; of a container it knows another."""
    about = f"/proc/{asked.process}"
    words = _bytes(f"{about}/cmdline").decode("utf-8", "surrogateescape").split("\0")
    if tuple(words[-len(asked.words) - 1 : -1]) != asked.words:
        raise PermissionError(f"process {asked.process} is not the one that asks")
    items = _bytes(f"{about}/environ").decode("utf-8", "surrogateescape").split("\0")
    return dict(item.partition("=")[::2] for item in items if "=" in item), _folder(about)


def _bytes(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        return file.read()


def _folder(about: str) -> str:
    folder = os.readlink(f"{about}/cwd")
    return folder if os.path.isdir(folder) else ""


def _announce(place: Place, told: bytes) -> None:
    """Tell clients where we are, all at once."""
    new = f"{place.address}.{os.getpid()}"
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(told)
    os.replace(new, place.address)
