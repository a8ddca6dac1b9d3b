"""A long-lived process that exchanges lines with us over pipes of its own.

Text that user code prints to stdout or stderr does not mix with the lines; its end is kept for messages.
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

from hookline.system.process.descendants import END_SECONDS, GRACE_SECONDS, ask_to_end, end_all
from hookline.system.process.pipes import (
    PipeWriter,
    all_read,
    broken_pipes_are_errors,
    serve_pipes,
    watch_exit,
    watch_output,
)
from hookline.system.process.spawn import Process, spawn

MAX_MESSAGE_BYTES = 64 * 1024 * 1024
"""Bytes of a message."""
TAIL_BYTES = 8 * 1024
"""Bytes kept of the end of the process's output."""
_DRAIN_SECONDS = 0.02
"""Seconds to read the remaining output of a dead process."""


def start(argv: Sequence[str], *, cwd: str, env: Mapping[str, str]) -> "Child":
    """Start a process that reads lines from the descriptor HOOKLINE_IN and writes them to HOOKLINE_OUT.

    Raise `NotStarted`, an `OSError` whose message says why.
    """
    with ExitStack() as ours, ExitStack() as theirs:
        child_in, writer = _pipe(theirs, ours)
        reader, child_out = _pipe(ours, theirs)
        process = spawn(
            argv,
            cwd=cwd,
            env={**env, "HOOKLINE_IN": str(child_in.fileno()), "HOOKLINE_OUT": str(child_out.fileno())},
            stdin=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            pass_fds=(child_in.fileno(), child_out.fileno()),
        )
        return Child(process, writer=writer, reader=reader, resources=ours.pop_all())


def _pipe(reader: ExitStack, writer: ExitStack) -> tuple[IO[bytes], IO[bytes]]:
    read_end, write_end = os.pipe()
    return (
        reader.enter_context(os.fdopen(read_end, "rb", buffering=0)),
        writer.enter_context(os.fdopen(write_end, "wb", buffering=0)),
    )


class Child:
    """A long-lived process, for one thread at a time. Close it once `receive` returned None."""

    def __init__(
        self, process: Process, *, writer: IO[bytes], reader: IO[bytes], resources: ExitStack
    ) -> None:
        self._process = process
        self._resources = resources
        self._watch = resources.enter_context(selectors.PollSelector())
        self._step = resources.enter_context(watch_exit(self._watch, process))
        self._feed = PipeWriter(self._watch, writer)
        self._reader = reader.fileno()
        self._received = bytearray()
        self._line_end = -1
        self._printed = bytearray()
        self._closed = False
        watch_output(self._watch, self._reader, self._take_chunk)
        if process.popen.stdout:
            watch_output(self._watch, process.popen.stdout.fileno(), self._take_printed)

    @property
    def alive(self) -> bool:
        """True if it can still reply."""
        return not (self._closed or self._process.exited or all_read(self._watch, [self._reader]))

    @property
    def tail(self) -> str:
        """The end of its output on stdout and stderr."""
        if not self._closed:
            self._serve_pipes()
        return self._printed.decode("utf-8", "replace")

    def send(self, line: bytes) -> None:
        """Send a line; bytes that the pipe does not accept at once are written while `receive` waits."""
        if not self._closed:
            with broken_pipes_are_errors():
                self._feed.add(line.removesuffix(b"\n") + b"\n")

    def receive(self, timeout: float) -> bytes | None:
        """Return the next line without its newline; None if it is late, too long, or will never come."""
        deadline = time.monotonic() + timeout
        with broken_pipes_are_errors():
            if not self._closed and serve_pipes(
                self._watch, self._line_or_exit, until=deadline, step=self._step
            ):
                serve_pipes(self._watch, self._line_or_end, until=time.monotonic() + _DRAIN_SECONDS)
        return self._pop_line()

    def close(self) -> None:
        """End it and all its descendants within half a second."""
        if self._closed:
            return
        self._closed = True
        began = time.monotonic()
        self._feed.close()
        ask_to_end(self._process)
        serve_pipes(self._watch, lambda: self._process.exited, until=began + GRACE_SECONDS, step=self._step)
        end_all(self._process, by=began + END_SECONDS, adopted=False)
        self._process.reap()
        self._process.close()
        self._resources.close()

    def _serve_pipes(self) -> None:
        with broken_pipes_are_errors():
            for key, _ in self._watch.select(0):
                key.data()

    def _take_printed(self, chunk: bytes) -> None:
        self._printed += chunk
        del self._printed[:-TAIL_BYTES]

    def _line_or_exit(self) -> bool:
        return self._line_or_end() or self._process.exited

    def _line_or_end(self) -> bool:
        return (
            self._line_end >= 0
            or len(self._received) > MAX_MESSAGE_BYTES
            or all_read(self._watch, [self._reader])
        )

    def _take_chunk(self, chunk: bytes) -> None:
        newline = chunk.find(b"\n") if self._line_end < 0 else -1
        if newline >= 0:
            self._line_end = len(self._received) + newline
        self._received += chunk

    def _pop_line(self) -> bytes | None:
        if not 0 <= self._line_end <= MAX_MESSAGE_BYTES:
            return None
        line = bytes(self._received[: self._line_end])
        del self._received[: self._line_end + 1]
        self._line_end = self._received.find(b"\n")
        return line


_PR_SET_PDEATHSIG = 1


def end_with(parent: int) -> bool:
    """Ask the kernel to end this program with its *parent*; return False if the parent is already gone."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGTERM), 0, 0, 0)
    return os.getppid() == parent
