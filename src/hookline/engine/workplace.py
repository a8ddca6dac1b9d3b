"""Where a run's work is done: the agent's worktree, the checkouts to measure in, what processes get."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from functools import partial

from hookline import hosts
from hookline.core.store import StoreFailed
from hookline.engine import agents, blocked_work, host_setup, runs, scope, usage
from hookline.engine.git import submodules
from hookline.engine.git.repository import Repository
from hookline.engine.git.worktree import Worktree
from hookline.engine.judge import Side
from hookline.engine.measure_pool import Bench
from hookline.engine.run_state import Surroundings
from hookline.engine.runs import Run
from hookline.engine.scope import Inside
from hookline.engine.usage import Used
from hookline.engine.work import Work
from hookline.system.paths import find

_MARK = "HOOKLINE_MARK"
_OURS = ("AUTORESEARCH_", "HOOKLINE_RUN", "HOOKLINE_PROFILE", "HOOKLINE_ENGINE_", "GIT_")
"""What the engine's own processes may have, and what it starts may not."""


def workplace(run: Run, repository: Repository, around: Surroundings, *, worker: str = "") -> Work:
    target, env = run.target, _environment(around.env, run)
    trees, undo = worktrees(run, repository, worker), os.path.join(run.of(worker), runs.UNDO)
    return Work(
        run=run,
        target=target,
        tree=trees["agent"],
        bench=bench(run, repository, around.env, worker=worker),
        agent=agents.choose(target, run.root, env),
        inside=_inside(run, repository),
        env=env,
        watcher=around.watcher,
        ladder=around.ladder,
        store=around.store,
        worker=worker,
        hosted=target.agent.host in hosts.names(),
        wire=lambda start: host_setup.wire_or_refuse(
            target.agent.host, trees["agent"].path, undo, env, partial(trees["agent"].restore, start)
        ),
        unwire=lambda: _said(host_setup.unwire(undo), around),
        used=lambda since: _used(trees["agent"], around, since),
        stopped=lambda since, until: _stopped(trees["agent"], around, since, until),
    )


def bench(run: Run, repository: Repository, env: Mapping[str, str], *, worker: str = "") -> Bench:
    """Where commits of the run are measured; to measure needs no agent."""
    trees = worktrees(run, repository, worker)
    sides: dict[Side, Worktree] = {"candidate": trees["candidate"], "incumbent": trees["incumbent"]}
    return Bench(target=run.target, trees=sides, env=_environment(env, run))


def _inside(run: Run, repository: Repository) -> Inside:
    """What an agent may change; where its host is wired, and in submodules, nothing."""
    fits, inner = scope.inside(run.target.scope), submodules.links(repository, run.base)
    ours = {*host_setup.paths(run.target.agent.host), *inner, *([submodules.FILE] if inner else [])}
    return lambda path: fits(path) and not any(_same_place(path, one) for one in ours)


def _same_place(path: str, one: str) -> bool:
    """Whether what is at *path* decides what is at *one*: it is it, or would be in its way."""
    return path == one or one.startswith(f"{path}/") or path.startswith(f"{one}/")


def _said(problems: Iterable[str], around: Surroundings) -> None:
    for problem in problems:
        around.watcher.noted(problem)


def _used(tree: Worktree, around: Surroundings, since: float) -> Mapping[str, Used]:
    """What the sessions of a worktree spent so far, as far as the store tells."""
    if around.store is None:
        return {}
    places = find(around.env, tree.repository.root)
    try:
        return usage.used(around.store, tree.path, places, around.env, since=since, now=time.time())
    except (StoreFailed, OSError) as error:
        around.watcher.noted(f"what the experiment spent is not known: {error}")
        return {}


def _stopped(tree: Worktree, around: Surroundings, since: float, until: float) -> str:
    if around.store is None:
        return ""
    try:
        return blocked_work.stopped(around.store, tree.path, since=since, until=until)
    except (StoreFailed, OSError) as error:
        around.watcher.noted(f"what guards stopped in the experiment is not known: {error}")
        return ""


def worktrees(run: Run, repository: Repository, worker: str = "") -> dict[str, Worktree]:
    """The agent's, and those of either side of a comparison; made when they are first needed."""
    folder = os.path.join(run.scratch, runs.WORKERS, worker) if worker else run.scratch
    os.makedirs(folder, mode=0o700, exist_ok=True)
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
    """Those of several at once that have worked on the run so far, on this machine."""
    folders = (os.path.join(run.scratch, runs.WORKERS), run.path(runs.WORKERS))
    names = {name for folder in folders if os.path.isdir(folder) for name in os.listdir(folder)}
    return sorted((name for name in names if name.isdecimal()), key=int)


def _environment(env: Mapping[str, str], run: Run) -> dict[str, str]:
    kept = {name: value for name, value in env.items() if not name.startswith(_OURS)}
    return {**kept, _MARK: f"{env.get(_MARK, '')} {run.mark}".lstrip()}
