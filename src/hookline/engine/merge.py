"""Hand what a run kept over for review: one branch, or groups of experiments picked from it.

The user's checkout is not touched: what comes out is a branch, made and guarded in a checkout of its own.
"""

from collections.abc import Sequence

from msgspec import Struct

from hookline.engine.git.rebase import applied
from hookline.engine.git.repository import Repository
from hookline.engine.git.run_git import GitFailed
from hookline.engine.journal import Row
from hookline.engine.measure_pool import Bench
from hookline.engine.runs import Run


class NotMerged(ValueError):
    """What was asked for cannot be handed over; the message says why."""


class Merged(Struct, frozen=True, kw_only=True):
    """What was handed over."""

    branch: str
    commit: str
    experiments: tuple[int, ...]
    metric: float | None


def merge(
    run: Run, repository: Repository, bench: Bench, onto: str, wanted: Sequence[int], name: str
) -> Merged:
    """A branch *name* on the commit *onto* with the experiments that are *wanted*, or all that were kept."""
    rows = _chosen(run, wanted)
    commit = onto
    for row in rows:
        commit = _picked(repository, bench, row, commit)
    target = run.target
    if target.guard:
        holds, guard = bench.guard(target.guard, commit)
        if not holds:
            raise NotMerged(
                f"the guard fails on the result ({guard.problem or 'not good enough'}); nothing was made"
            )
    metric, _ = bench.metric(commit)
    branch = repository.begin_branch(name, commit)
    numbers = tuple(row.iteration for row in rows)
    return Merged(branch=branch, commit=commit, experiments=numbers, metric=metric.value)


def _chosen(run: Run, wanted: Sequence[int]) -> list[Row]:
    kept = [row for row in run.journal.rows() if row.kept and row.status != "baseline"]
    known = {row.iteration for row in kept}
    if not known:
        raise NotMerged(f"run {run.id!r} kept nothing that could be merged")
    wrong = [number for number in wanted if number not in known]
    if wrong:
        raise NotMerged(
            f"experiment {wrong[0]} was not kept; these were: {', '.join(map(str, sorted(known)))}"
        )
    return [row for row in kept if not wanted or row.iteration in wanted]


def _picked(repository: Repository, bench: Bench, row: Row, onto: str) -> str:
    """The change of one experiment as one commit on *onto*."""
    tree = repository.tree(row.commit) if onto == row.base else _merged_tree(repository, bench, row, onto)
    said = row.description.partition("; ")[0]
    message = f"{said}\n\nExperiment {row.iteration}, {row.base[:12]}..{row.commit[:12]}\n"
    return repository.git("commit-tree", tree, "-p", onto, stdin=message).strip()


def _merged_tree(repository: Repository, bench: Bench, row: Row, onto: str) -> str:
    """Three ways, in the checkout that experiments are measured in."""
    try:
        return applied(repository, bench.trees["candidate"], row.base, row.commit, onto)
    except GitFailed as error:
        raise NotMerged(
            f"experiment {row.iteration} does not apply there ({error}); pick others, or merge by hand"
        ) from error
