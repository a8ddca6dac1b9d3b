"""The rows of a run, in its files and in the store; each restores rows that the other lost."""

from collections.abc import Callable, Mapping, Sequence

from hookline.core.store import Store, StoreFailed
from hookline.engine import journal, progress
from hookline.engine.journal import Row
from hookline.engine.progress import ExperimentProgress
from hookline.engine.runs import Run, path_hash


def store_key(run: Run) -> str:
    """Return the key of the run in the store, unique across repositories and runs of the same id."""
    return f"{run.id}@{path_hash(run.root)}-{run.mark}"


def read_rows(run: Run, store: Store | None) -> list[Row]:
    """Return all rows; rewrite the files if they lack rows or differ from the store.

    An agent may have written to the files, too.
    """
    single_step = progress.load(run.folder)  # with a single worker, no row can follow the current experiment
    rows = run.journal.rows()
    in_files = {
        row.iteration: row for row in rows if not single_step or row.iteration <= single_step.experiment
    }
    for step in progress.running_steps(run):
        in_files = _without_foreign_row(in_files, step)
    in_store = {row.iteration: row for row in _read_stored(run, store)}
    all_rows = journal.sort_rows({**in_files, **in_store}.values())
    if all_rows:
        run.journal.rewrite(all_rows)
    return all_rows


def _without_foreign_row(rows: Mapping[int, Row], step: ExperimentProgress) -> dict[int, Row]:
    """Remove the row of the experiment in progress unless it is the one that was decided."""
    row = rows.get(step.experiment)
    decided = journal.from_json(step.row) if step.row else None
    if row is None or (decided and _result(row) == _result(decided)):
        return {**rows}
    return {number: other for number, other in rows.items() if number != step.experiment}


def _result(row: Row) -> tuple[object, ...]:
    return row.status, row.commit, row.base, row.description


def _read_stored(run: Run, store: Store | None) -> list[Row]:
    try:
        return (
            [journal.from_experiment(experiment) for experiment in store.experiments(store_key(run))]
            if store
            else []
        )
    except (StoreFailed, OSError):
        return []


def append_row(
    run: Run, store: Store | None, row: Row, before: Sequence[Row], report: Callable[[str], None]
) -> list[Row]:
    """Append a row once to the files, then to the store; only a failure of the files is an error."""
    run.journal.append(row, before)
    try:
        if store:
            store.add_experiment(journal.to_experiment(row, store_key(run)))
    except (StoreFailed, OSError) as error:
        report(f"row {row.iteration} is in the journal, but not in the store: {error}")
    return [*before, row]
