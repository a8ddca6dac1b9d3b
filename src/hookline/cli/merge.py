"""Hand what a run kept over for review, as one branch or as picked experiments; refuses on a failed guard."""

import os
from argparse import ArgumentParser, Namespace

from hookline.cli._command import Command, of_run
from hookline.cli._output import visible
from hookline.engine import lock, merge, runs
from hookline.engine.git import repository as repositories
from hookline.engine.workplace import bench


def run(args: Namespace) -> int:
    env = dict(os.environ)
    repository = repositories.open_at(os.getcwd(), env)
    one = runs.find(repository.root, args.name)
    onto = repository.commit(args.onto) if args.onto else one.base
    if not onto:
        raise LookupError(f"{args.onto!r} names no commit; give a branch or a commit")
    name = args.branch or f"{one.branch}-merged"
    if repository.git.attempt("check-ref-format", "--branch", name).returncode:
        raise ValueError(f"{name!r} cannot name a branch; use letters, digits, `-`, `_` and `/`")
    with lock.held(one):
        made = merge.merge(one, repository, bench(one, repository, env), onto, args.only, name)
    _tell(made.branch, made.experiments, made.metric, guarded=one.target.guard is not None)
    return 0


def _tell(branch: str, experiments: tuple[int, ...], metric: float | None, *, guarded: bool) -> None:
    which = ", ".join(map(str, experiments))
    guard = "guard holds" if guarded else "there is no guard"
    value = "the metric cannot be measured there" if metric is None else f"metric {metric:g}"
    print(f"branch {visible(branch)}: experiments {which}; {guard}, {value}")
    print(f"look at it with `git log -p {visible(branch)}`, then `git merge {visible(branch)}`")


def arguments(parser: ArgumentParser) -> None:
    of_run(parser)
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
