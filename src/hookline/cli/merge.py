"""Prepare the kept experiments of a run for review, as one branch; refuse if the guard fails."""

import os
from argparse import ArgumentParser, Namespace

from hookline.cli._command import Command, add_run_argument
from hookline.cli._output import sanitize
from hookline.engine import lock, merge, runs
from hookline.engine.git.repository import open_repository
from hookline.engine.workplace import create_bench


def run(args: Namespace) -> int:
    env = dict(os.environ)
    repository = open_repository(os.getcwd(), env)
    target_run = runs.find(repository.root, args.name)
    onto = repository.commit(args.onto) if args.onto else target_run.base
    if not onto:
        raise LookupError(f"{args.onto!r} names no commit; give a branch or a commit")
    name = args.branch or f"{target_run.branch}-merged"
    if repository.git.attempt("check-ref-format", "--branch", name).returncode:
        raise ValueError(f"{name!r} cannot name a branch; use letters, digits, `-`, `_` and `/`")
    with lock.acquire(target_run):
        merged = merge.merge(
            target_run, repository, create_bench(target_run, repository, env), onto, args.only, name
        )
    _print_result(
        merged.branch, merged.experiments, merged.metric, guarded=target_run.target.guard is not None
    )
    return 0


def _print_result(branch: str, experiments: tuple[int, ...], metric: float | None, *, guarded: bool) -> None:
    numbers = ", ".join(map(str, experiments))
    guard = "guard holds" if guarded else "there is no guard"
    value = "the metric cannot be measured there" if metric is None else f"metric {metric:g}"
    print(f"branch {sanitize(branch)}: experiments {numbers}; {guard}, {value}")
    print(f"look at it with `git log -p {sanitize(branch)}`, then `git merge {sanitize(branch)}`")


def arguments(parser: ArgumentParser) -> None:
    add_run_argument(parser)
    parser.add_argument(
        "--only",
        type=int,
        nargs="+",
        default=[],
        metavar="N",
        help="these experiments, instead of all that were kept",
    )
    parser.add_argument(
        "--onto", default="", metavar="COMMIT", help="instead of the commit that the run began at"
    )
    parser.add_argument("--branch", default="", metavar="NAME", help="what the branch is called")


COMMAND = Command(
    about="Hand what a run kept over for review, as a branch.",
    examples="""
hookline merge sort-261115-1850             all that was kept, one commit an experiment
hookline merge --only 3 7 --onto main       these two, on what main is now
hookline merge --branch faster-sort

The guard is run on the result, and nothing is made where it fails. Your checkout is not touched.
""",
    run=run,
    arguments=arguments,
    exits="0 when the branch was made, 1 when git refused, 2 when the guard failed or it was called wrongly",
)
