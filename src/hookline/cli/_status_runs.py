"""The runs of this checkout that are going on, or were killed: a line each."""

import os
from typing import TYPE_CHECKING

from hookline.cli._show import visible

if TYPE_CHECKING:
    from hookline.engine.runs import Run


def runs(root: str) -> list[str]:
    """Nothing is loaded where there never was a run."""
    from hookline.engine.journal import FOLDER  # noqa: PLC0415 -- small

    if not os.path.isdir(os.path.join(root, FOLDER)):
        return []
    from hookline.engine.runs import everyone  # noqa: PLC0415 -- only where there are runs

    going = [run for run in everyone(root) if not run.stopped]
    return [_line(run) for run in going]


def _line(run: "Run") -> str:
    from hookline.engine import _lock, steps, view  # noqa: PLC0415 -- as above

    rows = run.journal.rows()
    state = "goes on" if _lock.busy(run) else f"was ended: `hookline run --resume {run.id}` goes on with it"
    going = sorted(step.experiment for step in steps.under_way(run)) or [max(len(rows) - 1, 0)]
    which = f"experiment{'s' * (len(going) > 1)} {', '.join(map(str, going))}"
    return visible(f"run {run.id} {state}; {which}, {view.best(rows, run.target.metric)}")
