"""An experiment on another machine: unpack the repository, run the experiment, pack the result."""

import os
import socket
import tempfile
from collections.abc import Mapping
from contextlib import closing
from typing import Any

from msgspec import Struct

from hookline.core.frozen import EMPTY
from hookline.core.values import replace
from hookline.engine import runs
from hookline.engine.git import run_git
from hookline.engine.git.repository import HEADS, REFS, Repository, open_repository
from hookline.engine.parallel import leftovers, worker
from hookline.engine.parallel.local import LocalPool
from hookline.engine.parallel.worker import WorkerAssignment
from hookline.engine.runs import Run
from hookline.system.paths import create_private, find_places

POLL_SECONDS = 0.5
"""Maximum seconds until a cancelled task is noticed."""
MAX_LOG_BYTES = 16 << 20
"""Maximum bytes of a log that are sent back."""
SHA1_DIGITS = 40
"""Length of a SHA-1 commit id; a longer id is SHA-256."""


class TaskInput(Struct, frozen=True, kw_only=True):
    """Everything a task needs on another machine."""

    assignment: Mapping[str, Any]
    base: str
    commits: bytes
    """A git bundle; empty if the base is enough."""
    ideas: str
    env: Mapping[str, str]
    identity: Mapping[str, str]
    """The author of commits, as git configuration."""


class TaskResult(Struct, frozen=True, kw_only=True):
    """Outcome of a task."""

    step: Mapping[str, Any] = EMPTY
    commits: bytes = b""
    refs: Mapping[str, str] = EMPTY
    logs: Mapping[str, bytes] = EMPTY
    problem: str = ""
    lost: bool = False
    """True if the worker process exited without a final report."""


def run_experiment(task: TaskInput, base: bytes) -> TaskResult:
    """Carry out one experiment here, and leave no files behind."""
    assignment = worker.parse_assignment(task.assignment)
    env = {**os.environ, **task.env}
    base_repository = _ensure_base_repository(assignment.run.id, task.base, base, env)
    with leftovers.experiment_folder(os.path.dirname(base_repository)) as (folder, mark):
        root = os.path.join(folder, "repository")
        repository = _unpack(task, base_repository, root, env)
        _link_shared(assignment.run, root)
        run = replace(assignment.run, root=root, scratch=os.path.join(folder, "work"))
        assignment = replace(assignment, run=run)
        run.journal.rewrite(assignment.rows)
        if task.ideas:
            with open(run.path(runs.IDEAS), "w", encoding="utf-8", errors="replace") as file:
                file.write(task.ideas)
        status, value = _run_assignment(assignment, env, mark)
        if status == "decided":
            return _pack_result(assignment, repository, value)
        return TaskResult(problem=str(value), lost=status == "lost")


def _ensure_base_repository(run: str, base: str, bundle: bytes, env: Mapping[str, str]) -> str:
    """Return the repository at the run's base commit; one per machine, shared by all tasks."""
    run_folder = os.path.join(find_places(env, "/").scratch, "cluster", run)
    path = os.path.join(run_folder, f"{base}.git")
    create_private(run_folder)
    with leftovers.lock_folder(run_folder):
        if not os.path.isdir(path):
            leftovers.remove_old_runs(run_folder)
            with tempfile.TemporaryDirectory(dir=run_folder) as folder:
                file, aside = os.path.join(folder, "bundle"), os.path.join(folder, "git")
                _write(file, bundle)
                _create_repository("--bare", _object_format(base), aside)
                git = run_git.open_git(aside, run_git.clean_env(env))
                git("fetch", "-q", file, "refs/*:refs/*", env=run_git.FROM_FILES)
                os.rename(aside, path)
    return path


def _object_format(commit: str) -> str:
    return f"--object-format={'sha256' if len(commit) > SHA1_DIGITS else 'sha1'}"


def _unpack(task: TaskInput, base_repository: str, root: str, env: Mapping[str, str]) -> Repository:
    _create_repository(_object_format(task.base), root)
    _write(
        os.path.join(root, ".git", "objects", "info", "alternates"), f"{base_repository}/objects\n".encode()
    )
    repository = open_repository(root, env)
    if task.commits:
        file = os.path.join(root, ".git", "commits")
        _write(file, task.commits)
        repository.git("fetch", "-q", file, "refs/*:refs/*", env=run_git.FROM_FILES)
    for name, text in task.identity.items():
        repository.git("config", name, text)
    repository.set_ref(f"{HEADS}base", task.base)
    repository.git("symbolic-ref", "HEAD", f"{HEADS}base")
    repository.git("read-tree", "-u", "--reset", task.base, tree=root)  # the checkout provides .hookline/
    return repository


def _link_shared(run: Run, root: str) -> None:
    """Link the shared folders of the user's checkout, at the same path on this machine; raise `OSError`."""
    for name in run.target.metric.share:
        source, path = (os.path.join(folder, name.rstrip("/")) for folder in (run.root, root))
        if not os.path.exists(source):
            host = socket.gethostname()
            raise OSError(f"machine {host!r} has no {source!r}, which metric.share names; copy it there")
        if not os.path.lexists(path):
            create_private(os.path.dirname(path))
            os.symlink(source, path)


def _run_assignment(assignment: WorkerAssignment, env: Mapping[str, str], mark: str) -> tuple[str, Any]:
    with closing(LocalPool(env, f"{assignment.run.mark} {mark}")) as pool:
        pool.start(assignment)
        while True:
            for _, (status, *values) in pool.wait(POLL_SECONDS):
                if status in ("decided", "failed"):
                    return status, values[0]
                if status == "lost":
                    return status, "its process exited"


def _pack_result(assignment: WorkerAssignment, repository: Repository, step: Mapping[str, Any]) -> TaskResult:
    number, run = assignment.step.experiment, assignment.run
    mine = f"{REFS}/{run.id}/{number}"
    refs = {
        ref: commit
        for ref, commit in repository.refs(f"{REFS}/{run.id}/").items()
        if ref == mine or ref.startswith(f"{mine}-")
    }
    commits = b""
    if any(not repository.descends(assignment.step.start, commit) for commit in refs.values()):
        path = os.path.join(run.root, ".git", "back")
        repository.git("bundle", "create", "-q", path, *refs, f"^{assignment.step.start}")
        with open(path, "rb") as file:
            commits = file.read()
    return TaskResult(step=step, commits=commits, refs=refs, logs=_read_logs(run.path(runs.LOGS), number))


def _read_logs(folder: str, number: int) -> dict[str, bytes]:
    logs = {}
    for name in (f"{number}.log", f"{number}.md"):
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            with open(path, "rb") as file:
                logs[name] = file.read(MAX_LOG_BYTES)
    return logs


def _write(path: str, content: bytes) -> None:
    create_private(os.path.dirname(path))
    with open(path, "wb") as file:
        file.write(content)


def _create_repository(*args: str) -> None:
    process = run_git.run_without_repository("init", "-q", *args)
    if process.returncode:
        errors = process.stderr.strip().splitlines() or [f"exit code {process.returncode}"]
        raise run_git.GitFailed(f"git init failed: {errors[-1]}")
