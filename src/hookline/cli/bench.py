"""Measure the time of hook calls on this machine, compared with well-known programs."""

import sys
from argparse import Namespace

from hookline import __version__
from hookline.cli._arguments.bench import SIZE_OPTIONS
from hookline.cli._bench.bars import Results
from hookline.cli._bench.measure import BenchSize, measure_all
from hookline.cli._output import dump, print_table
from hookline.core.values import replace

LONG_IDLE, QUICK = 60.0, BenchSize(calls=6, sequence=100, seconds=2, idle=1.0)
BUSY = 3
"""The exit code if limits are not met on a machine that is too busy."""


def run(args: Namespace) -> int:
    defaults = QUICK if args.quick else BenchSize(idle=LONG_IDLE) if args.long else BenchSize()
    results = measure_all(choose_size(args, defaults), _print_progress)
    if args.json:
        dump({"version": __version__, **results.plain()})
    else:
        show(results)
    return choose_exit_code(results)


def choose_exit_code(results: Results) -> int:
    return 0 if results.met else BUSY if results.busy else 1


def choose_size(args: Namespace, defaults: BenchSize) -> BenchSize:
    """Return the sizes given as options, and *defaults* for the others."""
    return replace(
        defaults, **{name: value for name in SIZE_OPTIONS if (value := getattr(args, name)) is not None}
    )


def show(results: Results) -> None:
    """Print the results as a table."""
    verdicts = {True: "met", False: "NOT MET", None: ""}
    print_table(
        ("measurement", "result", "limit", "status"),
        [(figure.what, figure.shown, figure.bar, verdicts[figure.met]) for figure in results.figures],
    )
    for text in filter(None, (results.busy, *results.left_out)):
        print(f"note: {text}")


def _print_progress(text: str) -> None:
    if sys.stderr.isatty():
        print(text, file=sys.stderr, flush=True)
