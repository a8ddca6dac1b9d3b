"""The runs of this checkout that are going on, or were killed: a line each."""

import os

from hookline.cli._show import visible
from hookline.engine import _lock, steps, view
from hookline.engine.journal import FOLDER
from hookline.engine.runs import Run, everyone


def runs(root: str) -> list[str]:
    """Nothing is loaded where there never was a run."""
    if not os.path.isdir(os.path.join(root, FOLDER)):
        return []
    going = [run for run in everyone(root) if not run.stopped]
    return [_line(run) for run in going]


def _line(run: "Run") -> str:
    rows = run.journal.rows()
    state = "goes on" if _lock.busy(run) else f"was ended: `hookline run --resume {run.id}` goes on with it"
    going = sorted(step.experiment for step in steps.under_way(run)) or [max(len(rows) - 1, 0)]
    which = f"experiment{'s' * (len(going) > 1)} {', '.join(map(str, going))}"
    return visible(f"run {run.id} {state}; {which}, {view.best(rows, run.target.metric)}")
