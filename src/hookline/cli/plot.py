"""Draw a chart of a run: the metric of each experiment, the kept ones, and the best so far."""

import os
from argparse import Namespace

from hookline.cli._output import sanitize
from hookline.engine import plot, runs, targets

DEFAULT_NAME = "plot.png"


def run(args: Namespace) -> int:
    target_run = runs.find(targets.root_of(os.getcwd(), os.environ), args.name)
    path = args.out or target_run.path(DEFAULT_NAME)
    try:
        plot.draw(target_run.journal.rows(), target_run.target.metric, path, title=target_run.id)
    except plot.ChartError as error:
        raise ValueError(str(error)) from None
    print(f"wrote {sanitize(os.path.relpath(path))}")
    return 0
