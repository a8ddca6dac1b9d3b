"""Preparation of a run's work: the agent's worktree, the checkouts to measure in, the environment."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial

from hookline import hosts
from hookline.core.store import StoreFailed
from hookline.core.variables import RUN_VARIABLES
from hookline.engine import agents, blocked_work, devices, host_setup, runs, scope, usage
from hookline.engine.git import submodules
from hookline.engine.git.repository import Repository
from hookline.engine.git.worktree import Worktree
from hookline.engine.judge import Side
from hookline.engine.measure_pool import MeasuringCheckouts
from hookline.engine.run_state import RunContext
from hookline.engine.runs import Run
from hookline.engine.scope import PathFilter
from hookline.engine.target import Target
from hookline.engine.usage import SessionUsage
from hookline.engine.work import Work
from hookline.redact import redact
from hookline.system.paths import create_private, find_places
from hookline.system.process import unattended

_MARK = "HOOKLINE_MARK"
_ENGINE_PREFIXES = (*RUN_VARIABLES, "GIT_")
"""Prefixes of variables that the engine may have and the processes it starts may not."""


def prepare_work(run: Run, repository: Repository, context: RunContext, *, worker: str = "") -> Work:
    target, env = run.target, _process_env(context.env, run)
    trees, undo = worktrees(run, repository, worker), os.path.join(run.worker_folder(worker), runs.UNDO)
    return Work(
        run=run,
        target=target,
        tree=trees["agent"],
        bench=create_bench(run, repository, context.env, worker=worker),
        agent=agents.choose(target, run.root, env),
        in_scope=_scope_filter(run, repository),
        env=env,
        watcher=context.watcher,
        ladder=context.ladder,
        store=context.store,
        worker=worker,
        hosted=target.agent.host in hosts.names(),
        install_hooks=lambda start: host_setup.install_or_refuse(
            target.agent.host, trees["agent"].path, undo, env, partial(trees["agent"].restore, start)
        ),
        remove_hooks=lambda: _report_problems(host_setup.restore_files(undo), context),
        read_usage=lambda since: _read_usage(trees["agent"], context, since),
        find_blocked_work=lambda since, until: _find_blocked_work(trees["agent"], context, since, until),
    )


def create_bench(
    run: Run, repository: Repository, env: Mapping[str, str], *, worker: str = ""
) -> MeasuringCheckouts:
    """Return the checkouts in which commits of the run are measured; this requires no agent."""
    trees = worktrees(run, repository, worker)
    sides: dict[Side, Worktree] = {"candidate": trees["candidate"], "incumbent": trees["incumbent"]}
    settings = run.target.noise
    alone = run.parallel > 1 and not run.cluster and run.noise == "noisy" and settings.measure == "alone"
    return MeasuringCheckouts(
        lock=f"{run.scratch}.measure" if alone else "",
        target=run.target,
        trees=sides,
        env=_process_env(env, run),
        root=repository.root,
    )


@contextmanager
def open_bench(run: Run, repository: Repository, env: Mapping[str, str]) -> Iterator[MeasuringCheckouts]:
    """Yield the checkouts, with the devices that a measurement requires."""
    bench = create_bench(run, repository, env)
    required = run.target.resources.gpu
    with devices.reserve(required, env, until=bench.until, report=lambda text: None) as variables:
        yield bench.with_variables(variables)


def try_commands(target: Target, text: str, repository: Repository, base: str, env: Mapping[str, str]) -> str:
    """Run guard and metric once at *base*, as a run would; return the problem of the first that fails."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        run = Run(
            id="check", root=repository.root, text=text, name=target.name, base=base,
            branch=f"check-{os.getpid()}", scratch=scratch, mark=unattended.new_mark(), began=time.time(),
        )  # fmt: skip
        with open_bench(run, repository, env) as bench:
            try:
                return _try_commands(bench, target, base)
            finally:
                for tree in bench.trees.values():
                    tree.remove()


def _try_commands(bench: MeasuringCheckouts, target: Target, base: str) -> str:
    holds, guard = bench.check_guard(target.guard, base) if target.guard else (True, None)
    if guard and not holds:
        return describe_failure("guard", guard.problem or "threshold not met", guard.tail)
    metric, _ = bench.measure_metric(base)
    return describe_failure("metric", metric.problem, metric.tail) if metric.value is None else ""


def describe_failure(command: str, problem: str, tail: str) -> str:
    """Return a sentence on a guard or metric that fails at the first commit."""
    lines = redact(tail).strip().splitlines()
    last = f" ({lines[-1][:200]})" if lines else ""
    return f"the {command} fails on the commit that the run starts from: {problem}{last}; fix it first"


def _scope_filter(run: Run, repository: Repository) -> PathFilter:
    """Return the filter of paths that an agent may change: no hook settings of the host, no submodules."""
    in_scope, links = scope.compile_scope(run.target.scope), submodules.links(repository, run.base)
    protected = {
        *host_setup.settings_paths(run.target.agent.host),
        *links,
        *([submodules.FILE] if links else []),
    }
    return lambda path: (
        in_scope(path) and not any(_overlap(path, protected_path) for protected_path in protected)
    )


def _overlap(path: str, other: str) -> bool:
    """Return whether the paths are equal or one contains the other."""
    return path == other or other.startswith(f"{path}/") or path.startswith(f"{other}/")


def _report_problems(problems: Iterable[str], context: RunContext) -> None:
    for problem in problems:
        context.watcher.on_notice(problem)


def _read_usage(tree: Worktree, context: RunContext, since: float) -> Mapping[str, SessionUsage]:
    if context.store is None:
        return {}
    places = find_places(context.env, tree.repository.root)
    try:
        return usage.read_usage(context.store, tree.path, places, context.env, since=since, now=time.time())
    except (StoreFailed, OSError) as error:
        context.watcher.on_notice(f"cannot read the usage of the experiment: {error}")
        return {}


def _find_blocked_work(tree: Worktree, context: RunContext, since: float, until: float) -> str:
    if context.store is None:
        return ""
    try:
        return blocked_work.find_blocked_work(context.store, tree.path, since=since, until=until)
    except (StoreFailed, OSError) as error:
        context.watcher.on_notice(f"cannot read which work guards blocked in the experiment: {error}")
        return ""


def worktrees(run: Run, repository: Repository, worker: str = "") -> dict[str, Worktree]:
    """Return the agent's worktree and those of both sides of a comparison; created on first use."""
    folder = os.path.join(run.scratch, runs.WORKERS, worker) if worker else run.scratch
    create_private(folder)
    branch = f"{run.branch}-w{worker}" if worker else run.branch
    unique = branch.replace("/", "-")
    return {
        name: Worktree(
            repository=repository,
            name=f"{unique}-{name}",
            path=os.path.join(folder, name),
            index=os.path.join(folder, f"{name}.index"),
            branch=branch if name == "agent" else "",
        )
        for name in ("agent", "candidate", "incumbent")
    }


def workers(run: Run) -> list[str]:
    """Return the names of the parallel workers that have worked on the run on this machine."""
    folders = (os.path.join(run.scratch, runs.WORKERS), run.path(runs.WORKERS))
    names = {name for folder in folders if os.path.isdir(folder) for name in os.listdir(folder)}
    return sorted((name for name in names if name.isdecimal()), key=int)


def _process_env(env: Mapping[str, str], run: Run) -> dict[str, str]:
    kept = {name: value for name, value in env.items() if not name.startswith(_ENGINE_PREFIXES)}
    return {**kept, _MARK: f"{env.get(_MARK, '')} {run.mark}".lstrip()}
