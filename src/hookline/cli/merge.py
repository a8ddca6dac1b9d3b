"""Create a branch with the kept experiments of a run, unless the guard fails."""

import os
from argparse import Namespace

from hookline.cli._output import sanitize
from hookline.engine import lock, merge, runs
from hookline.engine.git.repository import open_repository
from hookline.engine.workplace import open_bench


def run(args: Namespace) -> int:
    env = dict(os.environ)
    repository = open_repository(os.getcwd(), env)
    target_run = runs.find(repository.root, args.name)
    onto = repository.commit(args.onto) if args.onto else target_run.base
    if not onto:
        raise LookupError(f"no commit named {args.onto!r}; give a branch or a commit")
    name = args.branch or f"{target_run.branch}-merged"
    if repository.git.attempt("check-ref-format", "--branch", name).returncode:
        raise ValueError(f"invalid branch name {name!r}: use letters, digits, `-`, `_` and `/`")
    with lock.acquire(target_run), open_bench(target_run, repository, env) as bench:
        merged = merge.merge(target_run, repository, bench, onto, args.only, name)
    _print_result(
        merged.branch, merged.experiments, merged.metric, guarded=target_run.target.guard is not None
    )
    return 0


def _print_result(branch: str, experiments: tuple[int, ...], metric: float | None, *, guarded: bool) -> None:
    numbers = ", ".join(map(str, experiments))
    guard = "guard passed" if guarded else "no guard"
    value = "metric not measurable" if metric is None else f"metric {metric:g}"
    print(f"branch {sanitize(branch)}: experiments {numbers}; {guard}, {value}")
    print(f"review it with `git log -p {sanitize(branch)}`, then run `git merge {sanitize(branch)}`")
