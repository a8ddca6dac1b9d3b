"""The daemon's server: reads requests from its Unix socket and answers them as a new process would."""

import json
import os
import platform
import select
import socket
import sys
import threading
import time
from contextlib import suppress
from functools import partial

import hookline
from hookline.core.approval import Decision
from hookline.core.host import Reply
from hookline.core.values import replace
from hookline.daemon import installation, messages
from hookline.daemon.grant_key import answer_request
from hookline.daemon.paths import DaemonFolder
from hookline.daemon.sockets import Connection, listen
from hookline.daemon.turn_lock import Turns
from hookline.daemon.waiting_calls import WaitingCalls
from hookline.daemon.warm_state import Warm
from hookline.runtime.answer import Answer, answer, parse_call, streams
from hookline.system.notify import sequence
from hookline.system.process import identity

IDLE_SECONDS = 30 * 60.0
"""Seconds without a call after which the daemon exits."""
MIN_WORKERS = 4
"""Threads that normally wait for connections."""
MAX_CALLS = 64
"""Calls answered at the same time; further calls wait, and their clients are notified."""
MAX_WORKERS = 512
"""Threads, each with one connection."""
EXTRA_WORKERS = 8
"""Threads added at once when all threads are blocked."""
STUCK_AFTER = 0.03
"""Seconds without a finished call, while another waits, after which threads are added."""
QUIET_CHECKS = 30
"""Checks without a call after which the watch thread sleeps."""
WORKING_EVERY = 0.25
"""Seconds between two messages that a call is in progress."""
CHECK_EVERY = 1.0
"""Seconds between two checks of the daemon's own files."""
FINISH_WITHIN = 10.0
"""Seconds that calls in progress get when the daemon stops."""
RETRY_ACCEPT = 0.05
"""Seconds to wait after the system refused to accept a connection."""


class Server:
    """Answers calls until it is stopped, replaced or idle; must be closed."""

    def __init__(self, place: DaemonFolder, programs: str, *, idle: float = IDLE_SECONDS) -> None:
        self.place, self.programs, self.idle = place, programs, idle
        self.stopping = threading.Event()
        self._turns = Turns()
        self._warm = Warm(self._turns.take_in_background)
        self._files = installation.Files()
        self._lock = threading.Lock()
        self._lines: set[Connection] = set()
        self._waiting = WaitingCalls()
        self._slots = threading.BoundedSemaphore(MAX_CALLS)
        self._workers = self._finished = self._calls = 0
        self._started, self._last = time.time(), identity.now()
        self._called, self._closed = threading.Event(), threading.Event()
        self._listener = listen(place.socket)
        self._inode = os.stat(place.socket).st_ino

    def serve(self) -> None:
        """Answer calls until the end."""
        self._add_workers(MIN_WORKERS)
        with suppress(OSError):
            os.utime(self.place.start_lock)  # the start succeeded, even if a client gave up waiting
        threading.Thread(target=self._watch, name="watch", daemon=True).start()
        seen = 0
        while not self.stopping.wait(min(self.idle / 4, CHECK_EVERY)):
            if not self._busy() and identity.now() > max(self._last + self.idle, self._warm.key.last_end):
                break
            if not self._in_place():
                break  # the folder was removed, or another daemon has it
            if self._calls != seen:  # here, so that no call waits for the check
                seen = self._calls
                self._files.check()
            self._add_workers(MIN_WORKERS - self._workers)
        self.stopping.set()

    def stop_listening(self) -> None:
        """Accept no more calls, so that another daemon can take the place."""
        self.stopping.set()
        if self._in_place():
            with suppress(OSError):
                os.unlink(self.place.socket)
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the threads that accept on it
        self._listener.close()

    def close(self) -> None:
        """Finish the calls in progress and store what was recorded."""
        self._waiting.end_all()
        deadline = time.monotonic() + FINISH_WITHIN
        while self._lines and time.monotonic() < deadline:
            time.sleep(0.02)
        self._closed.set()
        self._called.set()
        self._warm.close()

    def _busy(self) -> bool:
        return bool(self._lines or self._waiting)

    def _in_place(self) -> bool:
        """Return whether clients that look for the daemon find this one."""
        try:
            return os.stat(self.place.socket).st_ino == self._inode
        except OSError:
            return False

    # Threads: whichever thread accepts a connection answers it, which is faster than handing it over.

    def _watch(self) -> None:
        """Send progress messages while calls are open, and add threads when all are blocked."""
        while not self._closed.is_set():
            self._called.wait()
            quiet = 0
            while quiet < QUIET_CHECKS:
                finished = self._finished
                if self._closed.wait(STUCK_AFTER):
                    return
                for line in (*tuple(self._lines), *self._waiting.lines()):
                    line.send_working(every=WORKING_EVERY)
                if self._finished == finished and self._connection_waits():
                    self._add_workers(EXTRA_WORKERS)
                quiet = 0 if self._busy() or self._finished != finished else quiet + 1
            self._called.clear()
            if self._busy():  # a call arrived just now
                self._called.set()

    def _connection_waits(self) -> bool:
        poll = select.poll()
        try:
            poll.register(self._listener, select.POLLIN)
            return bool(poll.poll(0))
        except (OSError, ValueError):  # closed meanwhile
            return False

    def _add_workers(self, count: int) -> None:
        for _ in range(min(count, MAX_WORKERS - self._workers)):
            with self._lock:
                self._workers += 1
            try:
                threading.Thread(target=self._work, daemon=True).start()
            except RuntimeError:  # no more threads for this user
                with self._lock:
                    self._workers -= 1

    def _work(self) -> None:
        surplus = False
        try:
            while not self.stopping.is_set() and not surplus:
                line = self._next_line()
                surplus = line is not None and self._serve(line)
        finally:
            if not surplus:
                with self._lock:
                    self._workers -= 1

    def _next_line(self) -> Connection | None:
        """Return the next connection; None if there is none now."""
        try:
            connection, _ = self._listener.accept()
        except OSError:  # shut down, or too many files are open
            self.stopping.wait(RETRY_ACCEPT)
            return None
        line = Connection(connection, identity.now())
        with self._lock:
            self._lines.add(line)
            self._last = line.since
        if not self._called.is_set():  # waking the watch thread costs the answering thread the GIL
            self._called.set()
        return line

    def _serve(self, line: Connection) -> bool:
        """Answer one call; return whether this thread is surplus and must end."""
        parked = False
        try:
            with suppress(OSError, messages.Malformed):
                parked = self._answer(line)
        finally:
            if not parked:
                line.close()
            with self._lock:
                self._lines.discard(line)
                self._last = identity.now()
                self._finished += 1
                stuck = sum(other.since < self._last - STUCK_AFTER for other in self._lines)
                surplus = self._workers > MIN_WORKERS + stuck
                self._workers -= surplus
        return surplus

    def _answer(self, line: Connection) -> bool:
        """Answer one request; return whether it waits for a person, so that the connection stays open."""
        process, user = line.peer()
        if user != os.getuid():
            return False
        request = line.read_request()
        if request.verb not in ("hook", "sign"):
            self._control(line, request, process)
        elif line.client_left():
            return False
        elif _is_elsewhere(process) or {"-h", "--help"} & {*request.arguments}:
            line.send(messages.REFUSED)
        elif self._is_other(request) or _is_less_restricted(process):
            line.send(messages.REPLACED)
            self.stopping.set()
        elif request.verb == "sign":
            refusal = partial(self._warm.agents.explain_refusal, process)
            line.send(answer_request(self._warm.key, request.verb, request.payload, refusal))
        else:
            with self._slots:
                self._calls += 1
                with self._turns.take():
                    result = self._judge(request, line, process)
                    if self._waiting.park(result, line, partial(self._resume, result, line)):
                        return True
                    result = self._decide(result, None)
                    line.send(_encode_answer(result))
                result.after()
        return False

    def _decide(self, result: Answer, decision: Decision | None) -> Answer:
        """Return the final answer to a call; the same *result* if it did not wait for a person."""
        if result.waiting is None or result.resume is None:
            return result
        return result.resume(result.waiting.decide(decision, self._warm.key.sign))

    def _resume(self, result: Answer, line: Connection, decision: Decision | None) -> None:
        """Answer a call that waited, in a thread of its own."""
        with self._lock:
            self._lines.add(line)
        threading.Thread(target=self._reply_late, args=(result, line, decision), daemon=True).start()

    def _reply_late(self, result: Answer, line: Connection, decision: Decision | None) -> None:
        try:
            result = self._decide(result, decision)
            line.send(_encode_answer(result))
            result.after()
        finally:
            line.close()
            with self._lock:
                self._lines.discard(line)
                self._last = identity.now()

    def _is_other(self, request: messages.Request) -> bool:
        """Return whether the client is of another release or installation, or our files have changed."""
        own = (hookline.__version__, self.programs)
        return (request.release, request.programs) != own or self._files.changed()

    def _judge(self, request: messages.Request, line: Connection, process: int) -> Answer:
        try:
            call = parse_call(
                request.arguments,
                payload=request.payload,
                env=request.env,
                cwd=request.cwd,
                name=request.call,
                begun=lambda: line.since,
                due=line.answer_within,
            )
        except ValueError as error:
            return Answer(Reply(stderr=f"hookline: invalid arguments; no hook ran: {error}\n"))
        return answer(replace(call, process=process, can_wait=True), self._warm.open)

    def _control(self, line: Connection, request: messages.Request, process: int) -> None:
        verb = request.verb
        if verb in messages.QUESTION_VERBS:
            refusal = partial(self._warm.agents.explain_refusal, process)
            line.send(self._waiting.answer_request(verb, request.payload, refusal))
            return
        if verb in messages.GRANT_VERBS:
            line.send(answer_request(self._warm.key, verb, request.payload))
            return
        if verb == "stop":
            self.stopping.set()
        line.send(messages.encode_reply(0, self._status() if verb == "status" else b""))

    def _status(self) -> bytes:
        about = {"process": os.getpid(), "release": hookline.__version__, "programs": self.programs}
        about |= {"package": installation.PACKAGE, "executable": sys.executable}
        about |= {"python": platform.python_version(), "since": self._started, "idle": self.idle}
        about |= {"calls": self._calls, "under_way": max(0, len(self._lines) - 1)}
        about |= {"waiting": len(self._waiting)}
        return json.dumps(about).encode()


def _encode_answer(result: Answer) -> bytes:
    reply = result.reply
    out, err = streams(reply)
    terminal = b"".join(map(sequence, result.notices))
    return messages.encode_reply(reply.code, out, err, terminal, unwritten_code=reply.unwritten_code)


def _namespaces(process: int | str) -> tuple[str, ...]:
    try:
        return tuple(os.readlink(f"/proc/{process}/ns/{name}") for name in ("mnt", "net"))
    except OSError:
        return ()


def _restrictions(process: int | str) -> tuple[int, ...]:
    """Return a sandbox's restrictions of *process*: `no_new_privs`, and the number of seccomp filters."""
    names = (b"NoNewPrivs:", b"Seccomp_filters:")
    try:
        with open(f"/proc/{process}/status", "rb") as file:
            return tuple(int(line.split()[1]) for line in file if line.startswith(names))
    except (OSError, ValueError):
        return ()


_OWN_NAMESPACES, _OWN_RESTRICTIONS = _namespaces("self"), _restrictions("self")


def _is_elsewhere(process: int) -> bool:
    """Return whether *process* has another file system or network, as in a container.

    Only that process can read its settings and reach the programs that they name.
    """
    return bool(_OWN_NAMESPACES) and _namespaces(process) != _OWN_NAMESPACES


def _is_less_restricted(process: int) -> bool:
    """Return whether a sandbox restricts this daemon more than *process*, whose hooks could fail here."""
    if not any(_OWN_RESTRICTIONS):
        return False
    theirs = _restrictions(process)
    return any(own > other for own, other in zip(_OWN_RESTRICTIONS, theirs, strict=False))
