"""Improve a measurable quality of this repository, experiment by experiment, without losing work."""

import os
import sys
import time
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Mapping
from contextlib import suppress

from hookline.cli._command import Command
from hookline.cli._main import describe_error
from hookline.cli._output import sanitize
from hookline.cli._run_lines import open_watcher
from hookline.core.values import replace
from hookline.engine import agents, clean, notify, project_store, runs, scope, targets
from hookline.engine.git import config, submodules
from hookline.engine.git.repository import Repository, Unusable, head_commit, is_dirty, open_repository
from hookline.engine.lock import Busy
from hookline.engine.parallel import ray
from hookline.engine.parallel.ray import NoCluster
from hookline.engine.run import NoBaseline, create_run, run_experiments
from hookline.engine.run_state import RunContext
from hookline.engine.runs import Run
from hookline.engine.stop_reason import StopReason
from hookline.system import paths

MAX_PARALLEL = 64
"""Experiments at once on one machine."""
MAX_PARALLEL_ON_CLUSTER = 1_000
NONE = "none"
"""Value of `--cluster` that resumes a run without its cluster."""


def run(args: Namespace) -> int:
    args.cluster = "" if args.cluster == NONE else args.cluster
    _check_parallel(args.parallel, args.cluster)
    env = dict(os.environ)
    repository = _open_repository(env, resume=args.resume is not None)
    chosen = _choose_run(args, repository, env)
    with (
        project_store.open_project_store(env, repository.root, _print_problem) as store,
        open_watcher() as watcher,
    ):
        context = RunContext(env=env, watcher=watcher, store=store, experiments=args.experiments)
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
        _notify_end(runs.load(repository.root, chosen.id), stop, env)
    return stop.code


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
    return chosen


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
            f"the repository has submodules ({inner.path}), which do not travel to a cluster; "
            "use --parallel on this machine"
        )


def _begin_run(args: Namespace, repository: "Repository", env: Mapping[str, str]) -> "Run":
    target, text = targets.load(repository.root, args.target)
    base = head_commit(repository, env)
    for path in submodules.check(repository, base):
        print(f"submodule {sanitize(path)} is empty in your checkout, and so in every experiment")
    if args.cluster:
        _refuse_submodules(repository, base)
    if is_dirty(repository, env):
        print("your uncommitted changes stay where they are, and are in no experiment")
    if hint := scope.hint(target.scope, repository, base):
        print(sanitize(hint))
    agents.choose(target, repository.root, env)
    agents.check_base(target, repository, base)
    scratch = paths.find_places(env, repository.root).scratch
    return create_run(repository, target, text, scratch=scratch, base=base, now=time.time())


def _delete_run(failed: "Run", repository: "Repository") -> None:
    """Delete a run without a baseline, with everything that it created."""
    clean.clean(clean.find_leftovers(failed, repository), repository, refs=True, everything=True)


def _notify_end(ended_run: "Run", stop: "StopReason", env: Mapping[str, str]) -> None:
    for problem in notify.notify_end(ended_run, stop, ended_run.journal.rows(), env):
        print(f"hookline: {sanitize(problem)}", file=sys.stderr)


def _describe_failure(failed: "Run", error: OSError, env: Mapping[str, str]) -> str:
    """Return what failed and how to resume, and notify the user of it."""
    text = f"{describe_error(error)}; mend that, and `hookline run --resume {failed.id}` goes on where it was"
    with suppress(OSError):
        notify.notify_failure(failed, text, env)
    return text


def _print_problem(problem: str) -> None:
    print(f"hookline: {sanitize(problem)}", file=sys.stderr)


def _check_parallel(parallel: int | None, cluster: str | None) -> None:
    limit = MAX_PARALLEL_ON_CLUSTER if cluster else MAX_PARALLEL
    if parallel is not None and not 1 <= parallel <= limit:
        raise ValueError(f"--parallel {parallel} cannot be done; say how many at once, from 1 to {limit}")


def _set_parallel(chosen: "Run", parallel: int | None, cluster: str | None) -> "Run":
    address = chosen.cluster if cluster is None else cluster
    return replace(chosen, parallel=parallel or (_count_cores(cluster) if cluster else 1), cluster=address)


def _check_cluster(address: str, env: Mapping[str, str], root: str) -> None:
    project_store.check_shared(env, root)
    ray.check(address)


def _check_old_cluster(address: str, env: Mapping[str, str], root: str) -> None:
    """Check the cluster of a resumed run."""
    try:
        _check_cluster(address, env, root)
    except (NoCluster, ValueError) as error:
        raise NoCluster(f"{error}; `--resume --cluster {NONE}` goes on without one") from error


def _count_cores(address: str) -> int:
    return ray.cluster_size(address)


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "target", nargs="?", default="", metavar="TARGET", help="which; without it the only one"
    )
    parser.add_argument(
        "--parallel",
        type=int,
        metavar="N",
        help="so many experiments at once, each in a worktree of its own",
    )
    parser.add_argument(
        "--cluster",
        type=_parse_address,
        metavar="ADDRESS",
        help="on the machines of a cluster of Ray (needs hookline[cluster]), as many as it has cores or N; "
        "HOST:PORT, auto, local, or none for no cluster any more",
    )
    parser.add_argument(
        "--experiments",
        type=_parse_count,
        metavar="N",
        help="at most so many in all, instead of the target's limit",
    )
    parser.add_argument(
        "--resume",
        nargs="?",
        const="",
        metavar="RUN",
        help="go on with a run that was ended or killed; without a name the newest",
    )


def _parse_address(text: str) -> str:
    if not text.strip():
        raise ArgumentTypeError("it is empty; say the address of a cluster, `auto` or `local`")
    return text


def _parse_count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise ArgumentTypeError(f"{text!r} is no number of experiments; it is 1 or more")
    return int(text)


COMMAND = Command(
    about="Improve one measurable thing in this repository, experiment by experiment.",
    examples="""
hookline run sort                           until a limit, the goal or you end it
hookline run sort --parallel 4              four experiments at once
hookline run sort --cluster head:6379       on the machines of a cluster of Ray
hookline run --resume                       go on with the newest run, after a crash too
hookline run --resume sort-261115-1850      with this one
hookline run --resume --experiments 100     and let it have more experiments

Work happens in a worktree on a branch of its own; your checkout, index and stash are never touched.
Ctrl-C lets the experiment finish, a second one ends it; both leave a journal that is right.
""",
    run=run,
    arguments=arguments,
    exits=(
        "0 when the goal was reached or you ended it, 1 when it halted, came to a plateau, failed or "
        "lost its place, 2 when a limit was reached or it was called wrongly, 130 when it was interrupted"
    ),
)
