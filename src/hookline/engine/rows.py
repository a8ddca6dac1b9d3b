"""The rows of a run, in its files and in the store: what one has lost the other gives back."""

from collections.abc import Callable, Mapping, Sequence

from hookline.core.store import Store, StoreFailed
from hookline.engine import journal, progress
from hookline.engine.journal import Row
from hookline.engine.progress import Step
from hookline.engine.runs import Run, short


def key(run: Run) -> str:
    """What the store calls it: two repositories may have runs of one name, and so may one."""
    return f"{run.id}@{short(run.root)}-{run.mark}"


def known(run: Run, store: Store | None) -> list[Row]:
    """All rows there are; the files are written anew where they lack some, or say otherwise than the store.

    An agent that was at work may have written into the files, too.
    """
    alone = progress.load(run.folder)  # one after the other: nothing is behind it
    rows = run.journal.rows()
    written = {row.iteration: row for row in rows if not alone or row.iteration <= alone.experiment}
    for step in progress.under_way(run):
        written = _of_ours(written, step)
    stored = {row.iteration: row for row in _stored(run, store)}
    whole = journal.in_order({**written, **stored}.values())
    if whole:
        run.journal.mend(whole)
    return whole


def _of_ours(rows: Mapping[int, Row], step: Step) -> dict[int, Row]:
    """Without a row of an experiment on its way that is not the one which was decided on."""
    row = rows.get(step.experiment)
    ours = journal.from_json(step.row) if step.row else None
    if row is None or (ours and _result(row) == _result(ours)):
        return {**rows}
    return {number: one for number, one in rows.items() if number != step.experiment}


def _result(row: Row) -> tuple[object, ...]:
    return row.status, row.commit, row.base, row.description


def _stored(run: Run, store: Store | None) -> list[Row]:
    try:
        return [journal.from_experiment(one) for one in store.experiments(key(run))] if store else []
    except (StoreFailed, OSError):
        return []


def noted(
    run: Run, store: Store | None, row: Row, before: Sequence[Row], complain: Callable[[str], None]
) -> list[Row]:
    """Append a row, once, to the files and then to the store; the files alone have to work."""
    run.journal.append(row, before)
    try:
        if store:
            store.journal(journal.to_experiment(row, key(run)))
    except (StoreFailed, OSError) as error:
        complain(f"row {row.iteration} is in the journal, but not in the store: {error}")
    return [*before, row]
