"""Improve a metric of this repository in a series of experiments by an agent."""

import os
import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Mapping
from contextlib import suppress

from hookline.cli._output import sanitize, sanitize_lines
from hookline.cli._run_command import describe_error
from hookline.cli._run_lines import open_watcher
from hookline.core.values import replace
from hookline.engine import (
    agents,
    clean,
    devices,
    notify,
    project_store,
    runs,
    scope,
    targets,
    view,
)
from hookline.engine.baseline import NoBaseline
from hookline.engine.git import config, submodules
from hookline.engine.git.repository import Repository, Unusable, head_commit, is_dirty, open_repository
from hookline.engine.lock import Busy
from hookline.engine.parallel import ray
from hookline.engine.parallel.ray import NoCluster
from hookline.engine.run import create_run, run_experiments
from hookline.engine.run_state import RunContext
from hookline.engine.runs import Run
from hookline.engine.stop_reason import StopReason
from hookline.system import paths
from hookline.system.git_command import disabled_filters
from hookline.system.own_command import module_command

MAX_PARALLEL = 64
"""Experiments at once on one machine."""
MAX_PARALLEL_ON_CLUSTER = 1_000
_LIMITS = ("experiments", "seconds", "tokens", "cost")
"""Fields of the limits that are options, too; a resumed run keeps them."""
_DETACHED_LOG = "run.log"
_DETACH_SECONDS, _POLL_SECONDS = 10.0, 0.05
"""Seconds to wait for the baseline of a detached run, and between two checks."""
NONE = "none"
"""Value of `--cluster` that resumes a run without its cluster."""


def run(args: Namespace) -> int:
    args.cluster = "" if args.cluster == NONE else args.cluster
    _check_parallel(args.parallel, args.cluster)
    env = dict(os.environ)
    repository = _open_repository(env, resume=args.resume is not None)
    chosen = _choose_run(args, repository, env)
    if args.detach:
        return _detach(runs.save(chosen))
    with (
        project_store.open_project_store(env, repository.root, _print_problem) as store,
        open_watcher() as watcher,
    ):
        context = RunContext(env=env, watcher=watcher, store=store)
        try:
            stop = run_experiments(chosen, repository, context)
        except NoBaseline:
            _delete_run(chosen, repository)
            raise
        except Busy:
            raise
        except OSError as error:
            raise OSError(_describe_failure(chosen, error, env)) from error
    if stop.reason != "workspace-gone":
        ended_run = runs.load(repository.root, chosen.id)
        print(sanitize_lines("\n".join(view.summarize(ended_run, ended_run.journal.rows()))))
        _notify_end(ended_run, stop, env)
    return stop.code


def _detach(chosen: "Run") -> int:
    """Continue the run in a process of its own session; return when it has begun, or failed to."""
    argv = (*module_command("hookline"), "run", "--resume", chosen.id)
    with open(chosen.path(runs.LOGS, _DETACHED_LOG), "a+b") as log:
        child = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd=chosen.root
        )
        deadline = time.monotonic() + _DETACH_SECONDS
        while child.poll() is None and time.monotonic() < deadline and not chosen.journal.rows():
            time.sleep(_POLL_SECONDS)
        if child.returncode:  # the log may be deleted already, with the run
            log.seek(0)
            print(sanitize_lines(log.read().decode("utf-8", "replace").rstrip()), file=sys.stderr)
            return child.returncode
    child.returncode = 0  # it outlives this process, which does not wait for it
    name = sanitize(chosen.id)
    print(f"run {name} continues without this terminal: `hookline attach {name}`, `hookline stop {name}`")
    return 0


def _open_repository(env: Mapping[str, str], *, resume: bool) -> "Repository":
    try:
        return open_repository(os.getcwd(), env)
    except Unusable:
        if not resume or not config.recover(os.getcwd(), _print_problem):
            raise
    return open_repository(os.getcwd(), env)


def _choose_run(args: Namespace, repository: "Repository", env: Mapping[str, str]) -> "Run":
    """Return the run to resume, or a new one."""
    if args.cluster:
        _check_cluster(args.cluster, env, repository.root)
    if args.resume is not None:
        chosen = _update_target(runs.find(repository.root, args.resume, target=args.target), env)
        if args.cluster:
            _refuse_submodules(repository, chosen.base)
    else:
        chosen = _begin_run(args, repository, env)
    if args.parallel is not None or args.cluster is not None:
        chosen = _set_parallel(chosen, args.parallel, args.cluster)
    if chosen.cluster and not args.cluster:
        _check_old_cluster(chosen.cluster, env, repository.root)
    given = {field: getattr(args, field) for field in _LIMITS if getattr(args, field) is not None}
    return replace(chosen, options={**chosen.options, **given})


def _update_target(old_run: "Run", env: Mapping[str, str]) -> "Run":
    updated = targets.reload_target(old_run)
    if updated.notice:
        print(sanitize(updated.notice))
    agents.choose(updated.run.target, old_run.root, env)
    return updated.run


def _refuse_submodules(repository: "Repository", base: str) -> None:
    inner = next(submodules.available_modules(repository, base), None)
    if inner is not None:
        raise ValueError(
            f"a cluster does not support submodules ({inner.path}); use --parallel on this machine"
        )


def _begin_run(args: Namespace, repository: "Repository", env: Mapping[str, str]) -> "Run":
    target, text = targets.load(repository.root, args.target)
    base = head_commit(repository, env)
    for path in submodules.check(repository, base):
        print(f"submodule {sanitize(path)} is empty in your checkout and in every experiment")
    if args.cluster:
        _refuse_submodules(repository, base)
    if is_dirty(repository, env):
        print("experiments do not include your uncommitted changes")
    for name in disabled_filters(repository.git.env):
        print(
            f"git filter {sanitize(name)!r} does not run, because only this repository configures it; "
            "to run it in experiments, configure it with `git config --global`"
        )
    if hint := scope.hint(target.scope, repository, base):
        print(sanitize(hint))
    agents.choose(target, repository.root, env)
    agents.check_base(target, repository, base)
    if target.resources.gpu and not args.cluster:
        devices.count_experiments(target.resources.gpu, env)
    scratch = paths.find_places(env, repository.root).scratch
    return create_run(repository, target, text, scratch=scratch, base=base, now=time.time())


def _delete_run(failed: "Run", repository: "Repository") -> None:
    """Delete a run without a baseline, with everything that it created."""
    clean.clean(clean.find_leftovers(failed, repository), repository, refs=True, everything=True)


def _notify_end(ended_run: "Run", stop: "StopReason", env: Mapping[str, str]) -> None:
    for problem in notify.notify_end(ended_run, stop, ended_run.journal.rows(), env):
        print(f"hookline: {sanitize(problem)}", file=sys.stderr)


def _describe_failure(failed: "Run", error: OSError, env: Mapping[str, str]) -> str:
    """Return the error with the command that resumes the run, and notify the user."""
    text = f"{describe_error(error)}; fix this, then continue with `hookline run --resume {failed.id}`"
    with suppress(OSError):
        notify.notify_failure(failed, text, env)
    return text


def _print_problem(problem: str) -> None:
    print(f"hookline: {sanitize(problem)}", file=sys.stderr)


def _check_parallel(parallel: int | None, cluster: str | None) -> None:
    limit = MAX_PARALLEL_ON_CLUSTER if cluster else MAX_PARALLEL
    if parallel is not None and not 1 <= parallel <= limit:
        raise ValueError(f"invalid --parallel {parallel}: expected 1 to {limit}")


def _set_parallel(chosen: "Run", parallel: int | None, cluster: str | None) -> "Run":
    address = chosen.cluster if cluster is None else cluster
    return replace(
        chosen, parallel=parallel or (_count_workers(chosen, cluster) if cluster else 1), cluster=address
    )


def _check_cluster(address: str, env: Mapping[str, str], root: str) -> None:
    project_store.check_shared(env, root)
    ray.check(address)


def _check_old_cluster(address: str, env: Mapping[str, str], root: str) -> None:
    """Check the cluster of a resumed run."""
    try:
        _check_cluster(address, env, root)
    except (NoCluster, ValueError) as error:
        raise NoCluster(f"{error}; `--resume --cluster {NONE}` continues without a cluster") from error


def _count_workers(chosen: "Run", address: str) -> int:
    return ray.cluster_size(address, chosen.target.resources.gpu)
