"""Experiments at once on this machine: a process a worker, of which nothing is left when it is over."""

import json
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import IO, Any, Protocol

from hookline.engine.parallel.worker import Assignment
from hookline.system.process import unattended

_MARK = "HOOKLINE_MARK"
_TESTS = "HOOKLINE_ENGINE_"
PATIENCE = 8.0
"""Seconds that a worker which was asked to end has for it."""
_WORKER = (sys.executable, "-m", "hookline.engine.parallel.worker")
_CHUNK = 1 << 16
OVER = ("decided", "failed")
"""What a worker says last."""

Report = tuple[str, Sequence[Any]]
"""Which worker, and what it says: a word and what belongs to it; `lost`: it is gone without a last word."""


class Crew(Protocol):
    """Those who carry experiments out, wherever they are."""

    def start(self, what: Assignment, *, again: bool) -> None:
        """Have the worker that *what* names begin with it, or *again* after it was lost."""

    def wait(self, seconds: float) -> Iterator[Report]:
        """What was said, at the latest after so many *seconds*."""

    def close(self) -> None:
        """End whoever is still at work."""


class _Member:
    def __init__(self, worker: str, popen: subprocess.Popen[bytes], mark: str) -> None:
        self.worker, self.popen, self.mark = worker, popen, mark
        self.said = bytearray()
        self.busy = True

    def pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        stdin, stdout = self.popen.stdin, self.popen.stdout
        if stdin is None or stdout is None:
            raise OSError("a worker cannot be reached")
        return stdin, stdout


class Processes:
    """A process a worker, which goes from one experiment to the next."""

    def __init__(self, env: Mapping[str, str], mark: str) -> None:
        """*mark*: by which all of the run are known."""
        self._env, self._mark = env, mark
        self._watch = selectors.DefaultSelector()
        self._members: dict[str, _Member] = {}

    def start(self, what: Assignment, *, again: bool) -> None:
        member = self._members.get(what.worker) or self._hired(what.worker, again=again)
        member.busy = True
        with suppress(BrokenPipeError):  # it is gone, and will be found to be lost
            stdin = member.pipes()[0]
            stdin.write(f"{json.dumps(what.to_json())}\n".encode())
            stdin.flush()

    def _hired(self, worker: str, *, again: bool) -> _Member:
        mark = unattended.new_mark()
        env = {name: text for name, text in self._env.items() if not (again and name.startswith(_TESTS))}
        env[_MARK] = f"{env.get(_MARK, '')} {self._mark} {mark}".lstrip()
        pipe = subprocess.PIPE
        argv = (*_WORKER, str(os.getpid()))
        popen = subprocess.Popen(argv, stdin=pipe, stdout=pipe, env=env, start_new_session=True)
        member = self._members[worker] = _Member(worker=worker, popen=popen, mark=mark)
        self._watch.register(member.pipes()[1], selectors.EVENT_READ, member)
        return member

    def wait(self, seconds: float) -> Iterator[Report]:
        for key, _ in self._watch.select(seconds):
            member: _Member = key.data
            chunk = os.read(key.fd, _CHUNK)
            member.said += chunk
            yield from _reports(member)
            if not chunk:
                self._gone(member)
                if member.busy:
                    yield member.worker, ("lost",)

    def _gone(self, member: _Member) -> None:
        self._watch.unregister(member.pipes()[1])
        del self._members[member.worker]
        with suppress(subprocess.TimeoutExpired):
            member.popen.wait(PATIENCE)
        member.popen.kill()
        member.popen.wait()
        for pipe in member.pipes():
            with suppress(BrokenPipeError):
                pipe.close()
        if member.popen.returncode:
            unattended.end_marked(member.mark)

    def close(self) -> None:
        members = list(self._members.values())
        for member in members:
            member.popen.terminate()
        until = time.monotonic() + PATIENCE
        for member in members:
            with suppress(subprocess.TimeoutExpired):
                member.popen.wait(max(until - time.monotonic(), 0.0))
            member.popen.kill()
            self._gone(member)
        self._watch.close()


def _reports(member: _Member) -> Iterator[Report]:
    whole, _, rest = bytes(member.said).rpartition(b"\n")
    member.said = bytearray(rest)
    for line in whole.splitlines():
        words = json.loads(line)
        member.busy = member.busy and words[0] not in OVER
        yield member.worker, words
