"""Run the processes of hooks so that nothing of them is left when their time is over.

Whatever a process starts, and however that tries to get away, it is dead half a second after the limit at the
latest. Out of reach is only what another program starts on a hook's behalf (the daemon of containers or of
services), and what runs as another user.
"""

import selectors
import time
from collections.abc import Callable, Mapping, Sequence

from hookline.core.kind import KEEP, Finished
from hookline.system.process.child import Child, start
from hookline.system.process.descendants import GRACE, OVER, ask_to_end, end, tidy
from hookline.system.process.hold_signals import Held
from hookline.system.process.pipes import (
    Feed,
    Watch,
    attend,
    broken_pipes_are_errors,
    ended,
    exit_watched,
    read,
)
from hookline.system.process.procfs import lonely
from hookline.system.process.spawn import NotStarted, Process, spawn
from hookline.system.process.subreaper import adopting

__all__ = ["Child", "NotStarted", "run", "start"]

DRAIN = 0.1
"""How long the output of a command that has ended is waited for, when something still holds its pipes."""
TIDY = 0.05
"""How often the dead are looked for that a command has orphaned, so that they do not pile up."""

_LOST = (
    "its exit status was taken by something else in this program; "
    "do not ignore SIGCHLD, and wait for no processes but your own"
)


def run(
    argv: Sequence[str],
    *,
    stdin: bytes,
    cwd: str,
    env: Mapping[str, str],
    limit: float,
    keep: int = KEEP,
    last: bool = False,
) -> Finished:
    """Run a command to its end, or for *limit* seconds, and keep so many bytes of each of its outputs.

    The first ones, or the *last*.
    """
    until = time.monotonic() + limit
    with adopting() as adopted, Held() as held:
        try:
            process = spawn(argv, cwd=cwd, env=env, sole=adopted and lonely())
        except NotStarted as error:
            return Finished(code=None, problem=str(error))
        with (
            selectors.PollSelector() as watch,
            exit_watched(watch, process) as step,
            broken_pipes_are_errors(),
        ):
            outputs = _connect(process, watch, stdin, _Last if last else _Output, keep)
            try:
                held.release()
                timed_out = not _attended(process, watch, outputs, until=until, step=step)
            finally:
                leftover = end(process, by=min(until, time.monotonic()) + OVER, adopted=adopted)
                code = _let_go(process, watch, outputs)
    return Finished(
        code=code,
        stdout=str(outputs[0]),
        stderr=str(outputs[1]),
        cut=tuple(output.name for output in outputs if output.cut),
        timed_out=timed_out,
        problem=_LOST if code is None and not timed_out else "",
        leftover=leftover,
    )


class _Output:
    """The first bytes of an output; the rest is counted out, so that the command does not get stuck."""

    def __init__(self, name: str, fd: int, keep: int) -> None:
        self.name, self.fd, self._keep = name, fd, keep
        self._kept = bytearray()
        self.cut = False

    def take(self, chunk: bytes) -> None:
        room = self._keep - len(self._kept)
        self._kept += chunk[:room]
        self.cut = self.cut or len(chunk) > room

    def __str__(self) -> str:
        return self._kept.decode("utf-8", "replace")


class _Last(_Output):
    """The last bytes of an output."""

    def take(self, chunk: bytes) -> None:
        self._kept += chunk
        if len(self._kept) > 2 * self._keep:  # not at every chunk: what is kept must be moved
            self._drop()

    def _drop(self) -> None:
        over = len(self._kept) - self._keep
        if over > 0:
            del self._kept[:over]
            self.cut = True

    def __str__(self) -> str:
        self._drop()
        return super().__str__()


def _connect(process: Process, watch: Watch, stdin: bytes, kind: type[_Output], keep: int) -> list[_Output]:
    popen = process.popen
    pipes = [("stdout", popen.stdout), ("stderr", popen.stderr)]
    outputs = [kind(name, pipe.fileno(), keep) for name, pipe in pipes if pipe]
    for output in outputs:
        read(watch, output.fd, output.take)
    if popen.stdin:
        Feed(watch, popen.stdin).add(stdin, last=True)
    return outputs


def _attended(
    process: Process, watch: Watch, outputs: Sequence[_Output], *, until: float, step: float
) -> bool:
    pipes = [output.fd for output in outputs]
    if _tidily(process, watch, lambda: process.exited, until=until, step=step):
        attend(watch, lambda: ended(watch, pipes), until=time.monotonic() + DRAIN)
        return True
    ask_to_end(process)
    _tidily(process, watch, lambda: process.exited and ended(watch, pipes), until=until + GRACE, step=step)
    return False


def _tidily(process: Process, watch: Watch, done: Callable[[], bool], *, until: float, step: float) -> bool:
    while not attend(watch, done, until=min(until, time.monotonic() + TIDY), step=step):
        tidy(process)
        if time.monotonic() >= until:
            return False
    return True


def _let_go(process: Process, watch: Watch, outputs: Sequence[_Output]) -> int | None:
    # What the dead have written is still in the pipes. Should one be alive that cannot be killed, it gets no
    # more attention than this.
    attend(watch, lambda: ended(watch, [output.fd for output in outputs]), until=time.monotonic() + 0.02)
    process.close()
    return process.reap()
