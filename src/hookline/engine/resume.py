"""Resumption of a run that was killed at any point: no work lost, repeated or left running."""

import logging
from collections.abc import Callable, Sequence

from hookline.core.values import replace
from hookline.engine import experiment, journal, progress
from hookline.engine.git import commit
from hookline.engine.journal import Row
from hookline.engine.progress import ExperimentProgress
from hookline.engine.work import Work
from hookline.system.process import unattended

_LOG = logging.getLogger("hookline.engine")

Settle = Callable[[ExperimentProgress, Sequence[Row]], list[Row]]


def finish_interrupted(work: Work, rows: list[Row], settle: Settle) -> list[Row]:
    """Finish the experiment that was in progress, if any; return the rows."""
    unattended.end_marked(work.run.mark)
    work.remove_hooks()
    if not rows:
        return rows
    step = progress.load(work.state_folder) or _recover_step(work, rows)
    if step is None or step.experiment < rows[-1].iteration:
        return rows
    _LOG.debug("taking-up")
    if step.phase == "begun" and not step.reworks:
        work.tree.check_out(step.start)
    before = [row for row in rows if row.iteration < step.experiment]
    return settle(experiment.decide(work, _with_recorded_row(step, rows[-1]), before), before)


def _with_recorded_row(step: ExperimentProgress, last: Row) -> ExperimentProgress:
    """Return the step marked as recorded if its row is in the journal, so that it is not written again."""
    if last.iteration != step.experiment:
        return step
    return replace(step, phase="recorded", row=journal.to_json(last))


def _recover_step(work: Work, rows: Sequence[Row]) -> ExperimentProgress | None:
    """Return the step of an experiment whose progress file the agent deleted, if its work exists."""
    start = next(row.commit for row in reversed(rows) if row.kept)
    if not work.tree.exists or not commit.has_changes(work.tree, start, work.in_scope):
        return None
    return experiment.recover_step(work, rows, number=1 + max(row.iteration for row in rows), start=start)
