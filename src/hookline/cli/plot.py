"""Draw a run as a chart: its metric over the experiments, what was kept, and the best so far."""

import os
from argparse import ArgumentParser, Namespace

from hookline.cli._command import Command, of_run
from hookline.cli._output import visible
from hookline.engine import plot, runs, targets

USUAL = "plot.png"


def run(args: Namespace) -> int:
    one = runs.find(targets.root_of(os.getcwd(), os.environ), args.name)
    path = args.out or one.path(USUAL)
    try:
        plot.draw(one.journal.rows(), one.target.metric, path, title=one.id)
    except plot.NotDrawn as error:
        raise ValueError(str(error)) from None
    print(f"wrote {visible(os.path.relpath(path))}")
    return 0


def arguments(parser: ArgumentParser) -> None:
    of_run(parser)
    parser.add_argument("--out", default="", metavar="FILE", help="where to, as .png or .svg")


COMMAND = Command(
    about="Draw a run as a chart.",
    examples="""
hookline plot                              the newest run, as a PNG in its folder
hookline plot sort-261115 --out sort.svg   another one, as an SVG
""",
    run=run,
    arguments=arguments,
)
