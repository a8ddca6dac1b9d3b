"""The rows of a run, in its files and in the store: what one has lost the other gives back."""

from collections.abc import Callable, Sequence

from hookline.engine import journal
from hookline.engine.journal import Row
from hookline.engine.runs import Run, short
from hookline.store import Store, StoreFailed


def key(run: Run) -> str:
    """What the store calls it: two repositories may have runs of one name, and so may one."""
    return f"{run.id}@{short(run.root)}-{run.mark}"


def known(run: Run, store: Store | None) -> list[Row]:
    """All rows there are; the files are written anew where they lack some."""
    rows = {row.iteration: row for row in (*_stored(run, store), *run.journal.rows())}
    whole = journal.in_order(rows.values())
    if whole:
        run.journal.mend(whole)
    return whole


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
