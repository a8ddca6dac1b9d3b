"""A pool of worker processes on this machine; no process is left when the pool is closed."""

import json
import os
import selectors
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import IO, Any, Protocol

from hookline.engine.parallel.worker import WorkerAssignment
from hookline.system.own_command import module_command
from hookline.system.process import unattended

_MARK = "HOOKLINE_MARK"
EXIT_TIMEOUT = 8.0
"""Seconds that a worker has to exit after it was asked to."""
_WORKER = module_command("hookline.engine.parallel.worker")
_CHUNK = 1 << 16
FINAL_REPORTS = ("decided", "failed")
"""The last report of an assignment."""

Report = tuple[str, Sequence[Any]]
"""Worker name and report: a word and its values; `lost` if the worker exited without a final report."""


class WorkerPool(Protocol):
    """Protocol of the workers that carry out experiments, local or remote."""

    def start(self, assignment: WorkerAssignment) -> None:
        """Start the *assignment* on the worker that it names."""

    def wait(self, seconds: float) -> Iterator[Report]:
        """Yield reports; return after *seconds* at the latest."""

    def close(self) -> None:
        """End all workers."""


class _WorkerProcess:
    def __init__(self, worker: str, popen: subprocess.Popen[bytes], mark: str) -> None:
        self.worker, self.popen, self.mark = worker, popen, mark
        self.output = bytearray()
        self.busy = True

    def pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        stdin, stdout = self.popen.stdin, self.popen.stdout
        if stdin is None or stdout is None:
            raise OSError("a worker cannot be reached")
        return stdin, stdout


class LocalPool:
    """One process per worker, reused for the next experiment."""

    def __init__(self, env: Mapping[str, str], mark: str) -> None:
        """Create an empty pool; *mark* identifies all processes of the run."""
        self._env, self._mark = env, mark
        self._selector = selectors.DefaultSelector()
        self._processes: dict[str, _WorkerProcess] = {}

    def start(self, assignment: WorkerAssignment) -> None:
        process = self._processes.get(assignment.worker) or self._spawn(assignment.worker)
        process.busy = True
        with suppress(BrokenPipeError):  # the process is gone; `wait` reports it as lost
            stdin = process.pipes()[0]
            stdin.write(f"{json.dumps(assignment.to_json())}\n".encode())
            stdin.flush()

    def _spawn(self, worker: str) -> _WorkerProcess:
        mark = unattended.new_mark()
        env = {**self._env, _MARK: f"{self._env.get(_MARK, '')} {self._mark} {mark}".lstrip()}
        pipe = subprocess.PIPE
        argv = (*_WORKER, str(os.getpid()))
        popen = subprocess.Popen(argv, stdin=pipe, stdout=pipe, env=env, start_new_session=True)
        process = self._processes[worker] = _WorkerProcess(worker=worker, popen=popen, mark=mark)
        self._selector.register(process.pipes()[1], selectors.EVENT_READ, process)
        return process

    def wait(self, seconds: float) -> Iterator[Report]:
        for key, _ in self._selector.select(seconds):
            process: _WorkerProcess = key.data
            chunk = os.read(key.fd, _CHUNK)
            process.output += chunk
            yield from _parse_reports(process)
            if not chunk:
                self._reap(process)
                if process.busy:
                    yield process.worker, ("lost",)

    def _reap(self, process: _WorkerProcess) -> None:
        self._selector.unregister(process.pipes()[1])
        del self._processes[process.worker]
        with suppress(subprocess.TimeoutExpired):
            process.popen.wait(EXIT_TIMEOUT)
        process.popen.kill()
        process.popen.wait()
        for pipe in process.pipes():
            with suppress(BrokenPipeError):
                pipe.close()
        if process.popen.returncode:
            unattended.end_marked(process.mark)

    def close(self) -> None:
        processes = list(self._processes.values())
        for process in processes:
            process.popen.terminate()
        deadline = time.monotonic() + EXIT_TIMEOUT
        for process in processes:
            with suppress(subprocess.TimeoutExpired):
                process.popen.wait(max(deadline - time.monotonic(), 0.0))
            process.popen.kill()
            self._reap(process)
        self._selector.close()


def _parse_reports(process: _WorkerProcess) -> Iterator[Report]:
    complete, _, rest = bytes(process.output).rpartition(b"\n")
    process.output = bytearray(rest)
    for line in complete.splitlines():
        words = json.loads(line)
        process.busy = process.busy and words[0] not in FINAL_REPORTS
        yield process.worker, words
