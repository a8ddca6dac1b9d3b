"""Improve one measurable thing in this repository, experiment by experiment, and never lose work."""

import os
import sys
import time
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Mapping
from contextlib import suppress

from hookline.cli._command import Command
from hookline.cli._main import sentence
from hookline.cli._output import visible
from hookline.cli._run_lines import watching
from hookline.core.values import replace
from hookline.engine import agents, clean, notify, project_store, runs, scope, targets
from hookline.engine import run as running
from hookline.engine.git import config, submodules
from hookline.engine.git import repository as repositories
from hookline.engine.git.repository import Repository
from hookline.engine.lock import Busy
from hookline.engine.parallel import ray
from hookline.engine.parallel.ray import NoCluster
from hookline.engine.run_state import Surroundings
from hookline.engine.runs import Run
from hookline.engine.stop_reason import Stop
from hookline.system import paths

MOST = 64
"""Experiments at once on one machine."""
MOST_THERE = 1_000
NONE = "none"
"""The word for no cluster, to go on without the one that a run had."""


def run(args: Namespace) -> int:
    args.cluster = "" if args.cluster == NONE else args.cluster
    _checked(args.parallel, args.cluster)
    env = dict(os.environ)
    repository = _opened(env, resume=args.resume is not None)
    one = _chosen(args, repository, env)
    with project_store.opened(env, repository.root, _complain) as store, watching() as watcher:
        around = Surroundings(env=env, watcher=watcher, store=store, experiments=args.experiments)
        try:
            stop = running.carry_out(one, repository, around)
        except running.NoBaseline:
            _forget(one, repository)
            raise
        except Busy:
            raise
        except OSError as error:
            raise OSError(_goes_on(one, error, env)) from error
    if stop.reason != "workspace-gone":
        _tell(runs.load(repository.root, one.id), stop, env)
    return stop.code


def _opened(env: Mapping[str, str], *, resume: bool) -> "Repository":
    try:
        return repositories.open_at(os.getcwd(), env)
    except repositories.Unusable:
        if not resume or not config.recover(os.getcwd(), _complain):
            raise
    return repositories.open_at(os.getcwd(), env)


def _chosen(args: Namespace, repository: "Repository", env: Mapping[str, str]) -> "Run":
    """The run to go on with, or a new one."""
    if args.cluster:
        _there(args.cluster, env, repository.root)
    if args.resume is not None:
        one = _again(runs.find(repository.root, args.resume, target=args.target), env)
        if args.cluster:
            _travels(repository, one.base)
    else:
        one = _begun(args, repository, env)
    if args.parallel is not None or args.cluster is not None:
        one = _at_once(one, args.parallel, args.cluster)
    if one.cluster and not args.cluster:
        _still_there(one.cluster, env, repository.root)
    return one


def _again(one: "Run", env: Mapping[str, str]) -> "Run":
    now = targets.by_now(one)
    if now.says:
        print(visible(now.says))
    agents.choose(now.run.target, one.root, env)
    return now.run


def _travels(repository: "Repository", base: str) -> None:
    inner = next(submodules.modules(repository, base), None)
    if inner is not None:
        raise ValueError(
            f"the repository has submodules ({inner.path}), which do not travel to a cluster; "
            "use --parallel on this machine"
        )


def _begun(args: Namespace, repository: "Repository", env: Mapping[str, str]) -> "Run":
    target, text = targets.load(repository.root, args.target)
    base = repositories.base_of(repository, env)
    for path in submodules.check(repository, base):
        print(f"submodule {visible(path)} is empty in your checkout, and so in every experiment")
    if args.cluster:
        _travels(repository, base)
    if repositories.dirty(repository, env):
        print("your uncommitted changes stay where they are, and are in no experiment")
    if hint := scope.hint(target.scope, repository, base):
        print(visible(hint))
    agents.choose(target, repository.root, env)
    agents.check_base(target, repository, base)
    scratch = paths.find(env, repository.root).scratch
    return running.begin(repository, target, text, scratch=scratch, base=base, now=time.time())


def _forget(one: "Run", repository: "Repository") -> None:
    """A run that never came to anything leaves nothing."""
    clean.clean(clean.leavings(one, repository), repository, refs=True, everything=True)


def _tell(one: "Run", stop: "Stop", env: Mapping[str, str]) -> None:
    for problem in notify.tell(one, stop, one.journal.rows(), env):
        print(f"hookline: {visible(problem)}", file=sys.stderr)


def _goes_on(one: "Run", error: OSError, env: Mapping[str, str]) -> str:
    """What the machine refused, told to whoever waits elsewhere too; nothing of the run is lost by it."""
    text = f"{sentence(error)}; mend that, and `hookline run --resume {one.id}` goes on where it was"
    with suppress(OSError):
        notify.broken(one, text, env)
    return text


def _complain(problem: str) -> None:
    print(f"hookline: {visible(problem)}", file=sys.stderr)


def _checked(parallel: int | None, cluster: str | None) -> None:
    most = MOST_THERE if cluster else MOST
    if parallel is not None and not 1 <= parallel <= most:
        raise ValueError(f"--parallel {parallel} cannot be done; say how many at once, from 1 to {most}")


def _at_once(one: "Run", parallel: int | None, cluster: str | None) -> "Run":
    where = one.cluster if cluster is None else cluster
    return replace(one, parallel=parallel or (_cores(cluster) if cluster else 1), cluster=where)


def _there(address: str, env: Mapping[str, str], root: str) -> None:
    project_store.shared(env, root)
    ray.check(address)


def _still_there(address: str, env: Mapping[str, str], root: str) -> None:
    """Of a run that goes on where it was."""
    try:
        _there(address, env, root)
    except (NoCluster, ValueError) as error:
        raise NoCluster(f"{error}; `--resume --cluster {NONE}` goes on without one") from error


def _cores(address: str) -> int:
    return ray.size(address)


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
        type=_address,
        metavar="ADDRESS",
        help="on the machines of a cluster of Ray (needs hookline[cluster]), as many as it has cores or N; "
        "HOST:PORT, auto, local, or none for no cluster any more",
    )
    parser.add_argument(
        "--experiments",
        type=_count,
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


def _address(text: str) -> str:
    if not text.strip():
        raise ArgumentTypeError("it is empty; say the address of a cluster, `auto` or `local`")
    return text


def _count(text: str) -> int:
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
