"""Run a long unattended program, such as an agent, and leave none of its processes behind.

Its output goes to a file of bounded size. The program is first asked to end by signals: agents then clean up,
fire their last hooks and report their cost. If our program is killed meanwhile, `end_marked` ends the rest.
"""

import codecs
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from typing import IO

from msgspec import Struct

from hookline.redact import redact
from hookline.redact.stream import Piece, StreamRedactor
from hookline.system.process import descendants
from hookline.system.process.descendants import END_SECONDS, adopt_orphans, reap_orphans
from hookline.system.process.marks import Mark, is_marked, lend_limit
from hookline.system.process.pipes import (
    PipeWriter,
    Watch,
    all_read,
    broken_pipes_are_errors,
    serve_pipes,
    watch_exit,
    watch_output,
)
from hookline.system.process.procfs import ProcessInfo, is_alone, is_usable, list_processes, read_process
from hookline.system.process.spawn import DeferredSignals, NotStarted, Process, spawn

END_SIGNALS = ((signal.SIGINT, 10.0), (signal.SIGTERM, 10.0))
"""Signals that ask a program to end, each with the seconds to wait; then it is killed."""
HEAD_BYTES, TAIL_BYTES = 4 << 20, 256 << 10
"""Bytes kept of the beginning and of the end of the output."""
POLL_SECONDS = 0.5
"""Seconds between two checks."""
DRAIN_SECONDS = 0.2
"""Seconds to wait for the rest of the output."""

OutputListener = Callable[[bytes], object]
Ladder = Sequence[tuple[int, float]]


class RunResult(Struct, frozen=True, kw_only=True):
    """The result of a run."""

    code: int | None
    """Exit code; None if it never started."""
    seconds: float = 0.0
    timed_out: bool = False
    cut: bool = False
    """True if it was ended early because *should_stop* returned true."""
    leftover: int = 0
    """Number of processes that it left running and that were ended."""
    tail: str = ""
    """The end of its output."""
    problem: str = ""


class Command(Struct, frozen=True, kw_only=True):
    """A command to run."""

    argv: Sequence[str]
    cwd: str
    env: Mapping[str, str]
    stdin: str | None = None
    """Its input; None for no stdin."""
    mark: str = ""
    """Mark of its processes, 12 hexadecimal digits; empty for a random one."""


def new_mark() -> str:
    return Mark().token


def run(
    command: Command,
    *,
    limit: float,
    log: str,
    on_output: OutputListener = lambda chunk: None,
    end_signals: Sequence[tuple[int, float]] = END_SIGNALS,
    should_stop: Callable[[], bool] = lambda: False,
) -> RunResult:
    """Run *command* to its end, for *limit* seconds, or until *should_stop*; then send *end_signals*."""
    began = time.monotonic()
    mark = Mark(token=command.mark) if command.mark else Mark()
    with adopt_orphans() as adopted, DeferredSignals() as signals, open(log, "ab") as file:
        try:
            process = _spawn(command, mark, sole=adopted and is_alone())
        except NotStarted as error:
            return RunResult(code=None, problem=str(error))
        output = _Log(file, on_output)
        with (
            selectors.PollSelector() as watch,
            watch_exit(watch, process) as step,
            broken_pipes_are_errors(),
        ):
            pipes = _connect(process, watch, output, command.stdin)
            try:
                signals.release()
                exited = _wait_for_exit(process, watch, began + limit, step, should_stop)
                timed_out = not exited and time.monotonic() >= began + limit
                if not exited:
                    _ask_to_end(process, watch, end_signals, step)
                serve_pipes(watch, lambda: all_read(watch, pipes), until=time.monotonic() + DRAIN_SECONDS)
            finally:
                leftover = descendants.end_all(process, by=time.monotonic() + END_SECONDS, adopted=adopted)
                serve_pipes(watch, lambda: all_read(watch, pipes), until=time.monotonic() + DRAIN_SECONDS)
                process.close()
                code = process.reap()
                output.finish()
    seconds = time.monotonic() - began
    return RunResult(
        code=code,
        seconds=seconds,
        timed_out=timed_out,
        cut=not exited and not timed_out,
        leftover=leftover,
        tail=str(output),
    )


def _spawn(command: Command, mark: Mark, *, sole: bool) -> Process:
    stdin = subprocess.DEVNULL if command.stdin is None else subprocess.PIPE
    with lend_limit(mark):
        return spawn(
            command.argv,
            cwd=command.cwd,
            env=command.env,
            stdin=stdin,
            stderr=subprocess.STDOUT,
            sole=sole,
            mark=mark,
        )


def _connect(process: Process, watch: Watch, output: "_Log", stdin: str | None) -> list[int]:
    popen = process.popen
    if popen.stdin:
        PipeWriter(watch, popen.stdin).add((stdin or "").encode("utf-8", "replace"), last=True)
    if not popen.stdout:
        return []
    watch_output(watch, popen.stdout.fileno(), output.take)
    return [popen.stdout.fileno()]


def _wait_for_exit(
    process: Process, watch: Watch, until: float, step: float, should_stop: Callable[[], bool] = lambda: False
) -> bool:
    """Return whether the process ended by itself."""
    while not serve_pipes(
        watch, lambda: process.exited, until=min(until, time.monotonic() + POLL_SECONDS), step=step
    ):
        reap_orphans(process)
        if time.monotonic() >= until or should_stop():
            return False
    return True


def _ask_to_end(process: Process, watch: Watch, end_signals: Ladder, step: float) -> None:
    for number, wait in end_signals:
        descendants.signal_group(process.pid, number)
        if _wait_for_exit(process, watch, time.monotonic() + wait, step):
            return


class _Log:
    """The beginning of the output, written as it arrives, and its end, written last; both redacted."""

    def __init__(self, file: IO[bytes], listener: OutputListener) -> None:
        self._file, self._listener = file, listener
        self._head_room = HEAD_BYTES - min(file.tell(), HEAD_BYTES)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._clean = StreamRedactor()
        self._tail = bytearray()
        self._omitted = 0

    def take(self, chunk: bytes) -> None:
        self._listener(chunk)
        head, rest = chunk[: self._head_room], chunk[self._head_room :]
        self._head_room -= len(head)
        self._write(self._clean.feed(self._decoder.decode(head)) if head else None)
        self._omitted += len(rest)
        self._tail += chunk
        if len(self._tail) > 2 * TAIL_BYTES:
            del self._tail[:-TAIL_BYTES]

    def finish(self) -> None:
        self._write(self._clean.feed(self._decoder.decode(b"", final=True)))
        self._write(self._clean.end())
        if self._omitted > 0:
            kept = bytes(self._tail[-min(self._omitted, TAIL_BYTES) :])
            gap = self._omitted - len(kept)
            notice = f"\n[{gap} bytes omitted]\n" if gap else ""
            self._file.write((notice + redact(kept.decode("utf-8", "replace"))).encode("utf-8", "replace"))
        self._file.flush()

    def _write(self, piece: Piece | None) -> None:
        if piece:
            self._file.write(piece.text.encode("utf-8", "replace"))
            self._file.flush()

    def __str__(self) -> str:
        return bytes(self._tail[-TAIL_BYTES:]).decode("utf-8", "replace")


def end_marked(mark: str, *, within: float = 5.0) -> int:
    """End all processes that were started under *mark* and still run; return their number."""
    if not mark or not is_usable():
        return 0
    deadline, ended = time.monotonic() + within, set[tuple[int, int]]()
    while (processes := _find_marked(Mark(token=mark))) and time.monotonic() < deadline:
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for process in processes:
                _send(process, number)
        ended |= {process.key for process in processes}
        time.sleep(0.01)
    return len(ended)


def _find_marked(mark: Mark) -> list[ProcessInfo]:
    """Return all processes with the mark, and their descendants."""
    table = [process for process in list_processes() if not process.dead and process.pid != os.getpid()]
    marked = {process.pid: process for process in table if is_marked(process.pid, mark)}
    more = True
    while more:
        new = {
            process.pid: process
            for process in table
            if process.parent in marked and process.pid not in marked
        }
        marked |= new
        more = bool(new)
    return list(marked.values())


def _send(process: ProcessInfo, number: int) -> None:
    current = read_process(process.pid)
    if current and current.key == process.key:
        try:
            os.kill(process.pid, number)
        except (ProcessLookupError, PermissionError):
            return
