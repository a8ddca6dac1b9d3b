"""Go on with a run that was killed at any moment: nothing lost, nothing twice, nothing left running."""

from collections.abc import Callable, Sequence

from hookline.core.values import replace
from hookline.engine import experiment, journal, progress
from hookline.engine.git import commit
from hookline.engine.journal import Row
from hookline.engine.points import passed
from hookline.engine.progress import Step
from hookline.engine.work import Work
from hookline.system.process import unattended

Settle = Callable[[Step, Sequence[Row]], list[Row]]


def take_up(work: Work, rows: list[Row], settle: Settle) -> list[Row]:
    """Finish the experiment that was on its way, if one was."""
    unattended.end_marked(work.run.mark)
    work.unwire()
    if not rows:
        return rows
    step = progress.load(work.place) or _forgotten(work, rows)
    if step is None or step.experiment < rows[-1].iteration:
        return rows
    passed("taking-up")
    if step.phase == "begun" and not step.reworks:
        work.tree.put(step.start)
    before = [row for row in rows if row.iteration < step.experiment]
    return settle(experiment.decide(work, _recorded(step, rows[-1]), before), before)


def _recorded(step: Step, last: Row) -> Step:
    """A row that is in the journal is not written again, whatever the step says."""
    if last.iteration != step.experiment:
        return step
    return replace(step, phase="recorded", row=journal.to_json(last))


def _forgotten(work: Work, rows: Sequence[Row]) -> Step | None:
    """An agent may have deleted the note of its own experiment; its work is still there."""
    start = next(row.commit for row in reversed(rows) if row.kept)
    if not work.tree.there or not commit.anything(work.tree, start, work.inside):
        return None
    return experiment.forgotten(work, rows, number=1 + max(row.iteration for row in rows), start=start)
