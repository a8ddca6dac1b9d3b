"""Show the journal of a run, or one experiment of it with its change."""

import os
import time
from argparse import ArgumentParser, Namespace
from typing import Any

from hookline.cli._command import Command, of_run
from hookline.cli._output import aligned, dump, lines, visible
from hookline.cli._run_lines import line
from hookline.engine import journal, runs
from hookline.engine.git import repository
from hookline.engine.journal import to_json


def run(args: Namespace) -> int:
    place = repository.open_at(os.getcwd(), dict(os.environ))
    one = runs.find(place.root, args.name)
    rows = one.journal.rows()
    if args.experiment is not None:
        rows = [row for row in rows if row.iteration == args.experiment]
        if not rows:
            raise LookupError(f"run {one.id!r} has no experiment {args.experiment}; `hookline show {one.id}`")
    if args.json:
        for row in rows:
            dump(journal.to_json(row))
    elif args.experiment is not None:
        _one(place, rows[0])
    else:
        _all(one, rows)
    return 0


def _all(one: Any, rows: Any) -> None:
    metric = one.target.metric
    print(f"{visible(one.id)}: {visible(one.target.goal)}")
    print(f"{visible(metric.name)}, {metric.direction} is better; branch {visible(one.branch)}")
    for row in rows:
        print(line(row))


def _one(place: Any, row: Any) -> None:
    told = {name: value for name, value in to_json(row).items() if name != "details"}
    told["timestamp"] = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(row.timestamp))
    told |= {name: " ".join(f"{one:g}" for one in told[name]) for name in ("samples",) if name in told}
    details = {name: value for name, value in row.details.items() if value}
    print("\n".join(aligned([(name, str(value)) for name, value in {**told, **details}.items()])))
    if row.commit and row.base and row.commit != row.base:
        print()
        print(
            lines(
                place.git(
                    "diff", "--no-ext-diff", "--no-textconv", "--stat", "-p", row.base, row.commit
                ).rstrip()
            )
        )


def arguments(parser: ArgumentParser) -> None:
    of_run(parser)
    parser.add_argument(
        "experiment", nargs="?", type=int, metavar="N", help="this one alone, with its change"
    )
    parser.add_argument("--json", action="store_true", help="a JSON object a row, with everything")


COMMAND = Command(
    about="Show the journal of a run, or one experiment of it with its change.",
    examples="""
hookline show                               the newest run
hookline show sort-261115-1850 3            experiment 3, kept or not, with what it changed
hookline show --json
""",
    run=run,
    arguments=arguments,
)
