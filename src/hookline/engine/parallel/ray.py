"""A pool of workers on a Ray cluster; requires `hookline[cluster]` on every machine.

The repository is sent as git bundles: the base commit once per machine, other commits with each task. A
task returns its step, commits and log, and leaves nothing on the machine. An experiment whose machine is
lost is not recorded, and is sent again.
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

from hookline.core.install_commands import describe_missing
from hookline.engine import runs
from hookline.engine.devices import describe, list_devices
from hookline.engine.git.repository import REFS, Repository, experiment_ref
from hookline.engine.git.run_git import GitFailed
from hookline.engine.parallel.local import Report
from hookline.engine.parallel.remote import TaskInput, run_experiment
from hookline.engine.parallel.worker import WorkerAssignment
from hookline.engine.runs import Run

MAX_WORKERS = 1_000
"""Maximum number of parallel experiments."""
ADDRESS_KEYWORDS = ("auto", "local")
CONNECT_TIMEOUT = 5.0
POLL_SECONDS = 0.1
CANCEL_TIMEOUT = 15.0
"""Seconds that cancelled experiments have to clean up."""
HEAD_CHECK_SECONDS, MISSES_BEFORE_NOTICE = 5.0, 2
"""Seconds between two checks of the cluster's head; failed checks in a row before the notice."""
HEAD_LOST = (
    "the head of the cluster does not respond; unless it returns, Ray ends this process within a minute; "
    "continue later with `hookline run --resume`"
)
LOCAL = "local"
"""Address of a cluster on this machine only, which ends with the run."""


class NoCluster(OSError):
    """A cluster that cannot be reached; the message says why and how to fix it."""


class Cluster:
    """Pool whose workers are Ray tasks."""

    def __init__(self, run: Run, repository: Repository, env: Mapping[str, str]) -> None:
        required = run.target.resources.gpu
        self._ray, self._run, self._repository = _join(run.cluster, run.parallel), run, repository
        _check_devices(self._ray, run.cluster, required)
        self._env = {name: env[name] for name in _FORWARDED_VARIABLES if name in env}
        self._task = self._ray.remote(max_retries=0, num_cpus=1, num_gpus=required)(run_experiment)
        self._base = self._ray.put(_create_bundle(repository, experiment_ref(run.id, 0)))
        self._sent: dict[Any, str] = {}
        self._head = _Head(self._ray.get_runtime_context().gcs_address)

    def start(self, assignment: WorkerAssignment) -> None:
        task = TaskInput(
            assignment=assignment.to_json(),
            base=self._run.base,
            commits=self._commits(assignment),
            ideas=_read_text(self._run.path(runs.IDEAS)),
            env=self._env,
            identity={name: self._repository.git.env[variable] for name, variable in _IDENTITY.items()},
        )
        self._sent[self._task.remote(task, self._base)] = assignment.worker

    def _commits(self, assignment: WorkerAssignment) -> bytes:
        """Return a bundle of the start commit, and of the experiment's commit if it exists already."""
        repository, run = self._repository, self._run
        start = f"{REFS}/{run.id}/start{assignment.worker}"
        repository.set_ref(start, assignment.step.start)
        refs = [start]
        if assignment.step.commit:
            refs.append(experiment_ref(run.id, assignment.step.experiment))
        return _create_bundle(repository, *refs, exclude=run.base)

    def wait(self, seconds: float) -> Iterator[Report]:
        deadline = time.monotonic() + seconds
        while not (ready := self._ready()) and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)  # waiting inside Ray would lose a second Ctrl-C
        for task in ready:
            yield self._sent.pop(task), self._fetch_report(task)
        if self._head.newly_lost():
            yield "", ("notice", HEAD_LOST)

    def _ready(self) -> list[Any]:
        sent = list(self._sent)
        return (
            list(self._ray.wait(sent, num_returns=len(sent), timeout=0, fetch_local=False)[0]) if sent else []
        )

    def _fetch_report(self, task: Any) -> tuple[Any, ...]:
        errors = self._ray.exceptions
        try:
            result = self._ray.get(task)
        except errors.RayTaskError as error:
            return "failed", str(error.cause)
        except errors.RayError:
            return ("lost",)
        if result.lost:
            return ("lost",)
        if result.problem:
            return "failed", result.problem
        self._unpack(result.commits, result.refs)
        for name, content in result.logs.items():
            with open(self._run.path(runs.LOGS, os.path.basename(name)), "wb") as file:
                file.write(content)
        return "decided", result.step

    def _unpack(self, commits: bytes, refs: Mapping[str, str]) -> None:
        if not commits:
            return
        with tempfile.NamedTemporaryFile(suffix=".bundle") as file:
            file.write(commits)
            file.flush()
            self._repository.git("bundle", "unbundle", file.name)
        for ref, commit in refs.items():
            if ref.startswith(f"{REFS}/{self._run.id}/"):
                self._repository.set_ref(ref, commit)

    def close(self) -> None:
        self._cancel_tasks()
        self._ray.shutdown()
        for ref in self._repository.refs(f"{REFS}/{self._run.id}/"):
            if ref.rpartition("/")[2].startswith("start"):
                self._repository.delete_ref(ref)

    def _cancel_tasks(self) -> None:
        """Cancel all tasks, and kill those that do not end in time."""
        tasks = list(self._sent)
        for task in tasks:
            self._ray.cancel(task)
        remaining = self._ray.wait(tasks, num_returns=len(tasks), timeout=CANCEL_TIMEOUT)[1] if tasks else ()
        for task in remaining:
            self._ray.cancel(task, force=True)


class _Head:
    """The head of the cluster: without it Ray waits for a minute, and then ends this process."""

    def __init__(self, address: str) -> None:
        self._address, self._next, self._missed = address, 0.0, 0

    def newly_lost(self) -> bool:
        """Return whether to report that the head does not answer: once, after several failed checks."""
        if time.monotonic() < self._next:
            return False
        self._next = time.monotonic() + HEAD_CHECK_SECONDS
        try:
            check(self._address)
        except NoCluster:
            self._missed += 1
        else:
            self._missed = 0
        return self._missed == MISSES_BEFORE_NOTICE


_FORWARDED_VARIABLES = ("HOOKLINE_STORE_ADDRESS",)
_IDENTITY = {"user.name": "GIT_AUTHOR_NAME", "user.email": "GIT_AUTHOR_EMAIL"}


def cluster_size(address: str, required: int) -> int:
    """Return the default number of parallel experiments: one per CPU, as far as there are GPUs for them."""
    ray = _join(address, 0)
    try:
        _check_devices(ray, address, required)
        resources = ray.cluster_resources()
        devices = int(resources.get("GPU", 0)) // required if required else MAX_WORKERS
        return max(1, min(MAX_WORKERS, int(resources.get("CPU", 1)), devices))
    finally:
        ray.shutdown()


def _check_devices(ray: Any, address: str, required: int) -> None:
    """Raise `NoCluster` if no machine has as many GPUs: Ray would wait for one for ever."""
    most = max((int(node["Resources"].get("GPU", 0)) for node in ray.nodes() if node["Alive"]), default=0)
    if most < required:
        raise NoCluster(
            f"an experiment requires {describe(required)} (resources.gpu), but no machine of {address!r} has "
            f"more than {most}; add one with `ray start --num-gpus N`, or change the target"
        )


def check(address: str) -> None:
    """Raise `NoCluster` if nothing listens at *address*: Ray would try for minutes, then end this process."""
    if importlib.util.find_spec("ray") is None:
        raise NoCluster(describe_missing("cluster", "--cluster"))
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not port.isdecimal():
        if address not in ADDRESS_KEYWORDS:
            raise NoCluster(
                f"invalid cluster address {address!r}: expected HOST:PORT, {' or '.join(ADDRESS_KEYWORDS)}"
            )
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_TIMEOUT).close()
    except (OSError, OverflowError) as error:
        raise _unreachable(address, error) from error


def _unreachable(address: str, error: Exception) -> NoCluster:
    why = (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
    if address == LOCAL:
        return NoCluster(
            f"Ray failed to start on this machine ({why}); try again when the machine is less busy"
        )
    return NoCluster(f"no Ray cluster at {address!r} ({why}); start one there with `ray start --head`")


def _join(address: str, workers: int) -> Any:
    check(address)
    import ray  # noqa: PLC0415 -- an extra, and slow to import

    local_options = {"num_cpus": workers or None, "include_dashboard": False}
    if address == LOCAL:
        local_options["num_gpus"] = len(list_devices(os.environ))
    options: dict[str, Any] = {"logging_level": logging.ERROR, **(local_options if address == LOCAL else {})}
    _silence(ray)
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        ray.init(address=address, log_to_driver=False, **options)
    except Exception as error:  # Ray raises no specific error when it cannot start
        raise _unreachable(address, error) from error
    finally:  # the run handles signals itself
        for number, handler in handlers.items():
            signal.signal(number, handler)
    return ray


def _silence(ray: Any) -> None:
    """Suppress Ray's messages about lost workers, which no option turns off; the run reports them itself."""
    ray._private.worker.print_to_stdstream = lambda *_, **__: None  # noqa: SLF001 -- there is no switch


def _create_bundle(repository: Repository, *refs: str, exclude: str = "") -> bytes:
    """Return a bundle of *refs*; empty if *exclude* contains all their commits."""
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "bundle")
    try:
        repository.git("bundle", "create", "-q", path, *refs, *([f"^{exclude}"] if exclude else []))
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


def _read_text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
