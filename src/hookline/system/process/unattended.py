"""Run a program that works for long and by itself, such as an agent, and leave nothing of it when it is over.

Its output goes to a file of bounded size. Asked to end it is politely: agents then put things in order, fire
their last hooks and say what they cost. Should this program be killed meanwhile, `end_marked` finds what it
left running.
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
from hookline.redact.stream import Piece, Stream
from hookline.system.process import descendants
from hookline.system.process.descendants import OVER, tidy
from hookline.system.process.hold_signals import Held
from hookline.system.process.marks import Mark, bears
from hookline.system.process.pipes import (
    Feed,
    Watch,
    attend,
    broken_pipes_are_errors,
    ended,
    exit_watched,
    read,
)
from hookline.system.process.procfs import Seen, everything, lonely, see, usable
from hookline.system.process.spawn import NotStarted, Process, spawn
from hookline.system.process.subreaper import adopting

LADDER = ((signal.SIGINT, 10.0), (signal.SIGTERM, 10.0))
"""How a program is asked to end, and how long it is then waited for; at last it is killed."""
HEAD, TAIL = 4 << 20, 256 << 10
"""Bytes of the output that are kept: the first, and the last."""
BEAT = 0.5
"""Seconds between two looks around."""
DRAIN = 0.2

Heard = Callable[[bytes], object]
Ladder = Sequence[tuple[int, float]]


class Over(Struct, frozen=True, kw_only=True):
    """How it ended."""

    code: int | None
    """None where it never began."""
    seconds: float = 0.0
    timed_out: bool = False
    cut: bool = False
    """Whether it was ended before its time, because it was enough."""
    leftover: int = 0
    """Processes that it had left running, and that were ended."""
    tail: str = ""
    """The end of what it printed."""
    problem: str = ""


class Work(Struct, frozen=True, kw_only=True):
    """What is to be run."""

    argv: Sequence[str]
    cwd: str
    env: Mapping[str, str]
    stdin: str | None = None
    """None: it has none."""
    mark: str = ""
    """The name by which its processes are known again, 12 hexadecimal digits; empty: one is made up."""


def new_mark() -> str:
    return Mark().token


def run(
    work: Work,
    *,
    limit: float,
    log: str,
    heard: Heard = lambda chunk: None,
    ladder: Sequence[tuple[int, float]] = LADDER,
    enough: Callable[[], bool] = lambda: False,
) -> Over:
    """Run it to its end, or for *limit* seconds or until it is *enough*; then the *ladder* ends it."""
    began = time.monotonic()
    mark = Mark(token=work.mark) if work.mark else Mark()
    with adopting() as adopted, Held() as held, open(log, "ab") as file:
        try:
            process = _spawned(work, mark, sole=adopted and lonely())
        except NotStarted as error:
            return Over(code=None, problem=str(error))
        output = _Log(file, heard)
        with (
            selectors.PollSelector() as watch,
            exit_watched(watch, process) as step,
            broken_pipes_are_errors(),
        ):
            pipes = _connected(process, watch, output, work.stdin)
            try:
                held.release()
                gone = _until(process, watch, began + limit, step, enough)
                timed_out = not gone and time.monotonic() >= began + limit
                if not gone:
                    _ask(process, watch, ladder, step)
                attend(watch, lambda: ended(watch, pipes), until=time.monotonic() + DRAIN)
            finally:
                leftover = descendants.end(process, by=time.monotonic() + OVER, adopted=adopted)
                attend(watch, lambda: ended(watch, pipes), until=time.monotonic() + DRAIN)
                process.close()
                code = process.reap()
                output.finish()
    seconds = time.monotonic() - began
    return Over(
        code=code,
        seconds=seconds,
        timed_out=timed_out,
        cut=not gone and not timed_out,
        leftover=leftover,
        tail=str(output),
    )


def _spawned(work: Work, mark: Mark, *, sole: bool) -> Process:
    stdin = subprocess.DEVNULL if work.stdin is None else subprocess.PIPE
    return spawn(
        work.argv, cwd=work.cwd, env=work.env, stdin=stdin, stderr=subprocess.STDOUT, sole=sole, mark=mark
    )


def _connected(process: Process, watch: Watch, output: "_Log", stdin: str | None) -> list[int]:
    popen = process.popen
    if popen.stdin:
        Feed(watch, popen.stdin).add((stdin or "").encode("utf-8", "replace"), last=True)
    if not popen.stdout:
        return []
    read(watch, popen.stdout.fileno(), output.take)
    return [popen.stdout.fileno()]


def _until(
    process: Process, watch: Watch, until: float, step: float, enough: Callable[[], bool] = lambda: False
) -> bool:
    """Whether it ended by itself."""
    while not attend(watch, lambda: process.exited, until=min(until, time.monotonic() + BEAT), step=step):
        tidy(process)
        if time.monotonic() >= until or enough():
            return False
    return True


def _ask(process: Process, watch: Watch, ladder: Ladder, step: float) -> None:
    for number, wait in ladder:
        descendants.signal_group(process.pid, number)
        if _until(process, watch, time.monotonic() + wait, step):
            return


class _Log:
    """The first bytes go to a file as they come, of the rest the last at the end; all without secrets."""

    def __init__(self, file: IO[bytes], heard: Heard) -> None:
        self._file, self._heard = file, heard
        self._room = HEAD - min(file.tell(), HEAD)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._clean = Stream()
        self._tail = bytearray()
        self._left_out = 0

    def take(self, chunk: bytes) -> None:
        self._heard(chunk)
        now, later = chunk[: self._room], chunk[self._room :]
        self._room -= len(now)
        self._write(self._clean.feed(self._decoder.decode(now)) if now else None)
        self._left_out += len(later)
        self._tail += chunk
        if len(self._tail) > 2 * TAIL:
            del self._tail[:-TAIL]

    def finish(self) -> None:
        self._write(self._clean.feed(self._decoder.decode(b"", final=True)))
        self._write(self._clean.end())
        if self._left_out > 0:
            kept = bytes(self._tail[-min(self._left_out, TAIL) :])
            between = self._left_out - len(kept)
            said = f"\n[{between} bytes left out]\n" if between else ""
            self._file.write((said + redact(kept.decode("utf-8", "replace"))).encode("utf-8", "replace"))
        self._file.flush()

    def _write(self, piece: Piece | None) -> None:
        if piece:
            self._file.write(piece.text.encode("utf-8", "replace"))
            self._file.flush()

    def __str__(self) -> str:
        return bytes(self._tail[-TAIL:]).decode("utf-8", "replace")


def end_marked(mark: str, *, within: float = 5.0) -> int:
    """End whatever still runs of what was started under *mark*, and gives how many that were."""
    if not mark or not usable():
        return 0
    until, met = time.monotonic() + within, set[tuple[int, int]]()
    while (found := _bearing(Mark(token=mark))) and time.monotonic() < until:
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for one in found:
                _send(one, number)
        met |= {one.key for one in found}
        time.sleep(0.01)
    return len(met)


def _bearing(mark: Mark) -> list[Seen]:
    """All that bear the mark, and what hangs under them."""
    table = [one for one in everything() if not one.dead and one.pid != os.getpid()]
    found = {one.pid: one for one in table if bears(one.pid, mark)}
    more = True
    while more:
        new = {one.pid: one for one in table if one.parent in found and one.pid not in found}
        found |= new
        more = bool(new)
    return list(found.values())


def _send(one: Seen, number: int) -> None:
    now = see(one.pid)
    if now and now.key == one.key:
        try:
            os.kill(one.pid, number)
        except (ProcessLookupError, PermissionError):
            return
