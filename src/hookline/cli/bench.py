"""Measure on this machine what a hook call costs, beside things whose cost everybody knows."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable

from hookline import __version__
from hookline.cli._bench.bars import Measured
from hookline.cli._bench.measure import Much, measured
from hookline.cli._command import Command, positive
from hookline.cli._output import dump, table
from hookline.core.values import replace

LONG, QUICK = 60.0, Much(calls=15, sequence=200, seconds=3, idle=2.0)


def run(args: Namespace) -> int:
    usual = QUICK if args.quick else Much(idle=LONG) if args.long else Much()
    found = measured(much(args, usual), _say)
    if args.json:
        dump({"version": __version__, **found.plain()})
    else:
        show(found)
    return 0 if found.met else 1


def much(args: Namespace, usual: Much) -> Much:
    """As much of everything as was said, else the usual."""
    return replace(usual, **{name: given for name in NUMBERS if (given := getattr(args, name)) is not None})


def show(found: Measured) -> None:
    """The table, as a person reads it."""
    verdicts = {True: "met", False: "NOT MET", None: ""}
    table(
        ("what", "here", "bar", ""),
        [(one.what, one.shown, one.bar, verdicts[one.met]) for one in found.figures],
    )
    for text in found.left_out:
        print(f"left out: {text}")


def _say(text: str) -> None:
    if sys.stderr.isatty():
        print(text, file=sys.stderr, flush=True)


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--quick", action="store_true", help="fewer of everything: a few seconds")
    length.add_argument("--long", action="store_true", help="a minute in which nobody calls")
    for name, (kind, what) in NUMBERS.items():
        parser.add_argument(f"--{name}", type=kind, metavar="N", help=what)


NUMBERS: dict[str, tuple[Callable[[str], float], str]] = {
    "calls": (positive, "calls of each kind"),
    "sequence": (positive, "calls one after another"),
    "seconds": (positive, "seconds in which 50 agents make a call each"),
    "idle": (float, "seconds without a call"),
}
COMMAND = Command(
    about="Measure on this machine what a hook call costs, with the bars we hold ourselves to.",
    examples="""
hookline bench
hookline bench --quick --json | jq '.figures[] | select(.met == false)'

Everything runs in a home of its own, with a daemon of its own that is ended afterwards: nothing of yours is
read or changed. All times are medians of the same run, taken in rows by turns, and what counts is their
ratio.
""",
    run=run,
    arguments=arguments,
    exits="0 when every bar that was measured is met; 1 when one is not; 2 when it was called wrongly",
)
