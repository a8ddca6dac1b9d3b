"""A process that is kept, and spoken to in lines over pipes of its own.

What a user's code prints to stdout or stderr does not get between the lines; the end of it is kept, for
messages.
"""

import ctypes
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import IO

from hookline.system.process.descendants import GRACE, OVER, ask_to_end, end
from hookline.system.process.pipes import Feed, attend, broken_pipes_are_errors, ended, exit_watched, read
from hookline.system.process.spawn import Process, spawn

LONGEST = 64 * 1024 * 1024
"""How many bytes a message may have."""
TAIL = 8 * 1024
"""How many bytes are kept of what the process printed last."""
_LAST_WORDS = 0.02  # seconds in which what a dead process wrote is read


def start(argv: Sequence[str], *, cwd: str, env: Mapping[str, str]) -> "Child":
    """Start a process that reads lines from the descriptor HOOKLINE_IN and writes them to HOOKLINE_OUT.

    Raises `NotStarted`, an `OSError` whose message says why.
    """
    with ExitStack() as ours, ExitStack() as theirs:
        incoming, say = _pipe(theirs, ours)
        hear, outgoing = _pipe(ours, theirs)
        process = spawn(
            argv,
            cwd=cwd,
            env={**env, "HOOKLINE_IN": str(incoming.fileno()), "HOOKLINE_OUT": str(outgoing.fileno())},
            stdin=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            pass_fds=(incoming.fileno(), outgoing.fileno()),
        )
        return Child(process, say=say, hear=hear, keep=ours.pop_all())


def _pipe(reader: ExitStack, writer: ExitStack) -> tuple[IO[bytes], IO[bytes]]:
    end_to_read, end_to_write = os.pipe()
    return (
        reader.enter_context(os.fdopen(end_to_read, "rb", buffering=0)),
        writer.enter_context(os.fdopen(end_to_write, "wb", buffering=0)),
    )


class Child:
    """A kept process; for one thread at a time. Once `receive` gave None it is of no more use: close it."""

    def __init__(self, process: Process, *, say: IO[bytes], hear: IO[bytes], keep: ExitStack) -> None:
        self._process = process
        self._keep = keep
        self._watch = keep.enter_context(selectors.PollSelector())
        self._step = keep.enter_context(exit_watched(self._watch, process))
        self._feed = Feed(self._watch, say)
        self._hear = hear.fileno()
        self._heard = bytearray()
        self._line_end = -1
        self._printed = bytearray()
        self._closed = False
        read(self._watch, self._hear, self._listen)
        if process.popen.stdout:
            read(self._watch, process.popen.stdout.fileno(), self._print)

    @property
    def alive(self) -> bool:
        """Whether it may still answer."""
        return not (self._closed or self._process.exited or ended(self._watch, [self._hear]))

    @property
    def tail(self) -> str:
        """The end of what it printed to stdout and stderr."""
        if not self._closed:
            self._look()
        return self._printed.decode("utf-8", "replace")

    def send(self, line: bytes) -> None:
        """Send a line; what the pipe does not take at once goes out while `receive` waits."""
        if not self._closed:
            with broken_pipes_are_errors():
                self._feed.add(line.removesuffix(b"\n") + b"\n")

    def receive(self, limit: float) -> bytes | None:
        """The next line, without its end; None if it is late, too long, or will never come."""
        until = time.monotonic() + limit
        with broken_pipes_are_errors():
            if not self._closed and attend(self._watch, self._settled, until=until, step=self._step):
                attend(self._watch, self._said_all, until=time.monotonic() + _LAST_WORDS)
        return self._next()

    def close(self) -> None:
        """End it, and all that it started, within half a second."""
        if self._closed:
            return
        self._closed = True
        until = time.monotonic()
        self._feed.close()
        ask_to_end(self._process)
        attend(self._watch, lambda: self._process.exited, until=until + GRACE, step=self._step)
        end(self._process, by=until + OVER, adopted=False)
        self._process.reap()
        self._process.close()
        self._keep.close()

    def _look(self) -> None:
        with broken_pipes_are_errors():
            for key, _ in self._watch.select(0):
                key.data()

    def _print(self, chunk: bytes) -> None:
        self._printed += chunk
        del self._printed[:-TAIL]

    def _settled(self) -> bool:
        return self._said_all() or self._process.exited

    def _said_all(self) -> bool:
        return self._line_end >= 0 or len(self._heard) > LONGEST or ended(self._watch, [self._hear])

    def _listen(self, chunk: bytes) -> None:
        at = chunk.find(b"\n") if self._line_end < 0 else -1
        if at >= 0:
            self._line_end = len(self._heard) + at
        self._heard += chunk

    def _next(self) -> bytes | None:
        if not 0 <= self._line_end <= LONGEST:
            return None
        line = bytes(self._heard[: self._line_end])
        del self._heard[: self._line_end + 1]
        self._line_end = self._heard.find(b"\n")
        return line


_SET = 1  # PR_SET_PDEATHSIG


def end_with(parent: int) -> bool:
    """Have this program asked to end when its *parent* is gone; False where it is gone already."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET, ctypes.c_ulong(signal.SIGTERM), 0, 0, 0)
    return os.getppid() == parent
