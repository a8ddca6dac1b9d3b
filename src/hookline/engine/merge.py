"""Export of a run's kept experiments for review, as a branch with all or some of them.

The user's checkout is not touched: the branch is created and guarded in its own checkout.
"""

from collections.abc import Sequence

from msgspec import Struct

from hookline.engine.git.rebase import apply_change
from hookline.engine.git.repository import Repository
from hookline.engine.git.run_git import GitFailed
from hookline.engine.journal import Row
from hookline.engine.measure_pool import MeasuringCheckouts
from hookline.engine.runs import Run


class NotMerged(OSError):
    """An export that is impossible; the message says why."""


class Merged(Struct, frozen=True, kw_only=True):
    """The exported branch."""

    branch: str
    commit: str
    experiments: tuple[int, ...]
    metric: float | None


def merge(
    run: Run, repository: Repository, bench: MeasuringCheckouts, onto: str, selected: Sequence[int], name: str
) -> Merged:
    """Create the branch *name* on *onto* with the *selected* experiments, or all that were kept."""
    rows = _select_rows(run, selected)
    commit = onto
    for row in rows:
        commit = _pick_commit(repository, bench, row, commit)
    target = run.target
    if target.guard:
        holds, guard = bench.check_guard(target.guard, commit)
        if not holds:
            raise NotMerged(
                f"the guard fails on the result ({guard.problem or 'threshold not met'}); no branch created"
            )
    metric = _figure(run, rows, onto)
    metric = bench.measure_metric(commit)[0].value if metric is None else metric
    branch = repository.create_branch(name, commit)
    numbers = tuple(row.iteration for row in rows)
    return Merged(branch=branch, commit=commit, experiments=numbers, metric=metric)


def _figure(run: Run, selected: Sequence[Row], onto: str) -> float | None:
    """Return the best figure of the run if the result is its best commit; None for another combination."""
    last = [row for row in run.journal.rows() if row.kept][-1]
    complete = onto == run.base and len(selected) == sum(row.kept for row in run.journal.rows()) - 1
    return last.best if complete else None


def _select_rows(run: Run, selected: Sequence[int]) -> list[Row]:
    kept = [row for row in run.journal.rows() if row.kept and row.status != "baseline"]
    numbers = {row.iteration for row in kept}
    if not numbers:
        raise NotMerged(f"run {run.id!r} has no kept experiments to merge")
    unknown = [number for number in selected if number not in numbers]
    if unknown:
        raise LookupError(
            f"experiment {unknown[0]} was not kept; kept experiments: {', '.join(map(str, sorted(numbers)))}"
        )
    return [row for row in kept if not selected or row.iteration in selected]


def _pick_commit(repository: Repository, bench: MeasuringCheckouts, row: Row, onto: str) -> str:
    """Return a commit on *onto* with the change of one experiment."""
    tree = repository.tree(row.commit) if onto == row.base else _merge_tree(repository, bench, row, onto)
    title = row.description.partition("; ")[0]
    message = f"{title}\n\nExperiment {row.iteration}, {row.base[:12]}..{row.commit[:12]}\n"
    return repository.git("commit-tree", tree, "-p", onto, stdin=message).strip()


def _merge_tree(repository: Repository, bench: MeasuringCheckouts, row: Row, onto: str) -> str:
    """Return the three-way merge, made in the candidate's checkout."""
    try:
        return apply_change(repository, bench.trees["candidate"], row.base, row.commit, onto)
    except GitFailed as error:
        raise NotMerged(
            f"experiment {row.iteration} does not apply there ({error}); select others, or merge manually"
        ) from error
