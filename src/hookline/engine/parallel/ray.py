"""Experiments at once on many machines, as tasks of Ray: needs `hookline[cluster]`, there and here.

The repository travels as bundles of git: what a run began at once to each machine, the rest with each task.
What comes back is the step with its row, the commits and the log; nothing of a task stays where it ran.
Whoever is lost with its machine is not recorded, and sent again.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import signal
import socket
import tempfile
import time
from collections.abc import Iterator, Mapping
from typing import Any

from hookline.core.extras import missing
from hookline.engine import runs
from hookline.engine.git import repository as repositories
from hookline.engine.git.repository import Repository
from hookline.engine.git.run_git import GitFailed
from hookline.engine.parallel.local import Report
from hookline.engine.parallel.remote import Luggage, experiment
from hookline.engine.parallel.worker import Assignment
from hookline.engine.runs import Run

MOST = 1_000
"""Experiments at once."""
WORDS = ("auto", "local")
PATIENCE = 5.0
GLANCE = 0.1
ORDER = 15.0
"""Seconds that experiments which are called off have to put things in order."""
LOOK, MISSED = 5.0, 2
"""Seconds between two looks at the head of the cluster; which time in a row that it is missed is told."""
GONE = (
    "the head of the cluster does not answer; if it stays away Ray ends this within a minute, "
    "and `hookline run --resume` goes on when it is back"
)
LOCAL = "local"
"""The address of a cluster that is this machine alone, and ends with the run."""


class NoCluster(OSError):
    """There is no cluster to be had; the message says why, and what to do."""


class Cluster:
    """The workers are wherever Ray puts them."""

    def __init__(self, run: Run, repository: Repository, env: Mapping[str, str]) -> None:
        self._ray, self._run, self._repository = _connected(run), run, repository
        self._env = {name: env[name] for name in _PASSED if name in env}
        self._task = self._ray.remote(max_retries=0, num_cpus=1)(experiment)
        self._base = self._ray.put(_bundle(repository, repositories.ref(run.id, 0)))
        self._sent: dict[Any, str] = {}
        self._head = _Head(self._ray.get_runtime_context().gcs_address)

    def start(self, what: Assignment, *, again: bool) -> None:
        luggage = Luggage(
            assignment=what.to_json(),
            base=self._run.base,
            commits=self._commits(what),
            ideas=_text(self._run.path(runs.IDEAS)),
            env=self._env,
            identity={name: self._repository.git.env[told] for name, told in _IDENTITY.items()},
        )
        self._sent[self._task.remote(luggage, self._base)] = what.worker

    def _commits(self, what: Assignment) -> bytes:
        """What the experiment begins with, and what it came to where that is only measured."""
        repository, run = self._repository, self._run
        start = f"{repositories.REFS}/{run.id}/start{what.worker}"
        repository.set_ref(start, what.step.start)
        refs = [start]
        if what.step.commit:
            refs.append(repositories.ref(run.id, what.step.experiment))
        return _bundle(repository, *refs, less=run.base)

    def wait(self, seconds: float) -> Iterator[Report]:
        until = time.monotonic() + seconds
        while not (ready := self._ready()) and time.monotonic() < until:
            time.sleep(GLANCE)  # within Ray, a second Ctrl-C would be taken for the first
        for one in ready:
            yield self._sent.pop(one), self._came(one)
        if self._head.gone():
            yield "", ("noted", GONE)

    def _ready(self) -> list[Any]:
        sent = list(self._sent)
        return (
            list(self._ray.wait(sent, num_returns=len(sent), timeout=0, fetch_local=False)[0]) if sent else []
        )

    def _came(self, one: Any) -> tuple[Any, ...]:
        errors = self._ray.exceptions
        try:
            back = self._ray.get(one)
        except errors.RayTaskError as error:
            return "failed", str(error.cause)
        except errors.RayError:
            return ("lost",)
        if back.lost:
            return ("lost",)
        if back.problem:
            return "failed", back.problem
        self._unpacked(back.commits, back.refs)
        for name, content in back.logs.items():
            with open(self._run.path(runs.LOGS, os.path.basename(name)), "wb") as file:
                file.write(content)
        return "decided", back.step

    def _unpacked(self, commits: bytes, refs: Mapping[str, str]) -> None:
        if not commits:
            return
        with tempfile.NamedTemporaryFile(suffix=".bundle") as file:
            file.write(commits)
            file.flush()
            self._repository.git("bundle", "unbundle", file.name)
        for ref, commit in refs.items():
            if ref.startswith(f"{repositories.REFS}/{self._run.id}/"):
                self._repository.set_ref(ref, commit)

    def close(self) -> None:
        self._called_off()
        self._ray.shutdown()
        for ref in self._repository.refs(f"{repositories.REFS}/{self._run.id}/"):
            if ref.rpartition("/")[2].startswith("start"):
                self._repository.drop_ref(ref)

    def _called_off(self) -> None:
        """Those at work put things in order there first, if they can."""
        sent = list(self._sent)
        for one in sent:
            self._ray.cancel(one)
        left = self._ray.wait(sent, num_returns=len(sent), timeout=ORDER)[1] if sent else ()
        for one in left:
            self._ray.cancel(one, force=True)


class _Head:
    """The machine that leads a cluster: without it Ray waits for a minute, and then ends this program."""

    def __init__(self, address: str) -> None:
        self._address, self._next, self._missed = address, 0.0, 0

    def gone(self) -> bool:
        """Whether it is to be said that it does not answer: once, and not at the first time."""
        if time.monotonic() < self._next:
            return False
        self._next = time.monotonic() + LOOK
        try:
            check(self._address)
        except NoCluster:
            self._missed += 1
        else:
            self._missed = 0
        return self._missed == MISSED


_PASSED = ("HOOKLINE_STORE_ADDRESS",)
_IDENTITY = {"user.name": "GIT_AUTHOR_NAME", "user.email": "GIT_AUTHOR_EMAIL"}


def size(address: str) -> int:
    """How many experiments a cluster carries out at once, where nobody says."""
    ray = _joined(address, 0)
    try:
        return max(1, min(MOST, int(ray.cluster_resources().get("CPU", 1))))
    finally:
        ray.shutdown()


def _connected(run: Run) -> Any:
    return _joined(run.cluster, run.parallel)


def check(address: str) -> None:
    """Raise `NoCluster` where nobody can be there: Ray itself would try for minutes, and end this program."""
    if importlib.util.find_spec("ray") is None:
        raise NoCluster(missing("cluster", "--cluster"))
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not port.isdecimal():
        if address not in WORDS:
            raise NoCluster(f"{address!r} is no address of a cluster; say HOST:PORT, {' or '.join(WORDS)}")
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise _silent(address, error) from error


def _silent(address: str, error: Exception) -> NoCluster:
    why = (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
    if address == LOCAL:
        return NoCluster(f"Ray does not start on this machine ({why}); try again when it has less to do")
    return NoCluster(
        f"no cluster of Ray answers at {address!r} ({why}); start one there with `ray start --head`"
    )


def _joined(address: str, workers: int) -> Any:
    check(address)
    import ray  # noqa: PLC0415 -- an extra, and slow to import

    own = {"num_cpus": workers or None, "include_dashboard": False}
    told: dict[str, Any] = {"logging_level": logging.ERROR, **(own if address == LOCAL else {})}
    _quiet(ray)
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        ray.init(address=address, log_to_driver=False, **told)
    except Exception as error:  # Ray itself raises no better where it cannot start
        raise _silent(address, error) from error
    finally:  # Ctrl-C and its kin are for the run to hear
        for number, handler in handlers.items():
            signal.signal(number, handler)
    return ray


def _quiet(ray: Any) -> None:
    """Whom it lost Ray tells at length on stdout, whatever it was asked for; the run says so itself."""
    ray._private.worker.print_to_stdstream = lambda *_, **__: None  # noqa: SLF001 -- there is no switch


def _bundle(repository: Repository, *refs: str, less: str = "") -> bytes:
    """Empty where there is nothing but what *less* has."""
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "bundle")
    try:
        repository.git("bundle", "create", "-q", path, *refs, *([f"^{less}"] if less else []))
        with open(path, "rb") as file:
            return file.read()
    except GitFailed as error:
        if "empty bundle" in str(error):
            return b""
        raise
    finally:
        if os.path.exists(path):
            os.unlink(path)
        os.rmdir(folder)


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
