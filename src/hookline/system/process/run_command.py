"""Run a hook's command so that no process of it remains after its time limit.

All its descendants are dead at most half a second after the limit, however they try to escape. Exceptions are
processes that another program starts for it (a container or service daemon), and those of another user.
"""

import selectors
import time
from collections.abc import Callable, Mapping, Sequence

from hookline.core.kind import MAX_OUTPUT_BYTES, ProcessResult
from hookline.system.process.child import Child, start
from hookline.system.process.descendants import (
    END_SECONDS,
    GRACE_SECONDS,
    adopt_orphans,
    ask_to_end,
    end_all,
    reap_orphans,
)
from hookline.system.process.pipes import (
    PipeWriter,
    Watch,
    all_read,
    broken_pipes_are_errors,
    serve_pipes,
    watch_exit,
    watch_output,
)
from hookline.system.process.procfs import is_alone
from hookline.system.process.spawn import DeferredSignals, NotStarted, Process, spawn

__all__ = ["Child", "NotStarted", "run", "start"]

DRAIN_SECONDS = 0.1
"""Seconds to wait for more output of an ended command while a descendant holds its pipes open."""
REAP_SECONDS = 0.05
"""Seconds between reaping orphans of a running command, so that zombies do not accumulate."""

_STATUS_TAKEN = (
    "another part of this program took its exit status; "
    "do not ignore SIGCHLD, and wait only for your own processes"
)


def run(
    argv: Sequence[str],
    *,
    stdin: bytes,
    cwd: str,
    env: Mapping[str, str],
    timeout: float,
    max_bytes: int = MAX_OUTPUT_BYTES,
    last: bool = False,
    errors: str = "replace",
) -> ProcessResult:
    """Run a command to its end, or for *timeout* seconds, and keep *max_bytes* bytes of each of its outputs.

    These are the first bytes, or with *last* the last ones; *errors* is the treatment of invalid UTF-8.
    """
    until = time.monotonic() + timeout
    with adopt_orphans() as adopted, DeferredSignals() as signals:
        try:
            process = spawn(argv, cwd=cwd, env=env, sole=adopted and is_alone())
        except NotStarted as error:
            return ProcessResult(code=None, problem=str(error))
        with (
            selectors.PollSelector() as watch,
            watch_exit(watch, process) as step,
            broken_pipes_are_errors(),
        ):
            outputs = _connect(process, watch, stdin, _OutputTail if last else _Output, max_bytes)
            try:
                signals.release()
                timed_out = not _wait(process, watch, outputs, until=until, step=step)
            finally:
                leftover = end_all(process, by=min(until, time.monotonic()) + END_SECONDS, adopted=adopted)
                code = _close(process, watch, outputs)
    return ProcessResult(
        code=code,
        stdout=outputs[0].text(errors),
        stderr=outputs[1].text(errors),
        cut=tuple(output.name for output in outputs if output.cut),
        timed_out=timed_out,
        problem=_STATUS_TAKEN if code is None and not timed_out else "",
        leftover=leftover,
    )


class _Output:
    """The first bytes of an output; the rest is read and dropped, so that the command does not block."""

    def __init__(self, name: str, fd: int, keep: int) -> None:
        self.name, self.fd, self._keep = name, fd, keep
        self._kept = bytearray()
        self.cut = False

    def take(self, chunk: bytes) -> None:
        room = self._keep - len(self._kept)
        self._kept += chunk[:room]
        self.cut = self.cut or len(chunk) > room

    def text(self, errors: str) -> str:
        return self._kept.decode("utf-8", errors)


class _OutputTail(_Output):
    """The last bytes of an output."""

    def take(self, chunk: bytes) -> None:
        self._kept += chunk
        if len(self._kept) > 2 * self._keep:  # not at every chunk, because deleting moves the kept bytes
            self._drop()

    def _drop(self) -> None:
        excess = len(self._kept) - self._keep
        if excess > 0:
            del self._kept[:excess]
            self.cut = True

    def text(self, errors: str) -> str:
        self._drop()
        return super().text(errors)


def _connect(process: Process, watch: Watch, stdin: bytes, kind: type[_Output], keep: int) -> list[_Output]:
    popen = process.popen
    pipes = [("stdout", popen.stdout), ("stderr", popen.stderr)]
    outputs = [kind(name, pipe.fileno(), keep) for name, pipe in pipes if pipe]
    for output in outputs:
        watch_output(watch, output.fd, output.take)
    if popen.stdin:
        PipeWriter(watch, popen.stdin).add(stdin, last=True)
    return outputs


def _wait(process: Process, watch: Watch, outputs: Sequence[_Output], *, until: float, step: float) -> bool:
    pipes = [output.fd for output in outputs]
    if _serve_and_reap(process, watch, lambda: process.exited, until=until, step=step):
        serve_pipes(watch, lambda: all_read(watch, pipes), until=time.monotonic() + DRAIN_SECONDS)
        return True
    ask_to_end(process)
    _serve_and_reap(
        process,
        watch,
        lambda: process.exited and all_read(watch, pipes),
        until=until + GRACE_SECONDS,
        step=step,
    )
    return False


def _serve_and_reap(
    process: Process, watch: Watch, done: Callable[[], bool], *, until: float, step: float
) -> bool:
    while not serve_pipes(watch, done, until=min(until, time.monotonic() + REAP_SECONDS), step=step):
        reap_orphans(process)
        if time.monotonic() >= until:
            return False
    return True


def _close(process: Process, watch: Watch, outputs: Sequence[_Output]) -> int | None:
    # Read the last output of the dead processes; the time is short in case one could not be killed.
    serve_pipes(
        watch, lambda: all_read(watch, [output.fd for output in outputs]), until=time.monotonic() + 0.02
    )
    process.close()
    return process.reap()
