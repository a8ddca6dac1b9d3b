"""List the runs of this repository."""

import os
import sys
import time
from argparse import ArgumentParser, Namespace
from typing import Any

from hookline.cli._command import Command
from hookline.cli._output import dump, table, visible
from hookline.engine import lock, runs
from hookline.engine.git import repository


def run(args: Namespace) -> int:
    root = repository.open_at(os.getcwd(), dict(os.environ)).root
    found = runs.everyone(root)
    for problem in runs.unreadable(root):
        print(f"hookline: {visible(problem)}", file=sys.stderr)
    told = [_told(one) for one in found]
    if args.json:
        for one in told:
            dump(one)
        return 0
    if not told:
        print("no runs here; `hookline run` begins one")
        return 0
    columns = ("run", "began", "experiments", "kept", "first", "best", "state")
    table(columns, [_cells(one) for one in told])
    return 0


def _told(one: Any) -> dict[str, Any]:
    rows = one.journal.rows()
    first = next((row.metric for row in rows if row.status == "baseline"), None)
    best = next((row.best for row in reversed(rows) if row.best is not None), None)
    return {
        "run": one.id,
        "began": one.began,
        "branch": one.branch,
        "target": one.name,
        "experiments": max(len(rows) - 1, 0),
        "kept": sum(row.kept for row in rows[1:]),
        "first": first,
        "best": best,
        "state": "at work" if lock.busy(one) else one.stopped or "can be resumed",
        "journal": one.journal.table,
    }


def _cells(told: dict[str, Any]) -> tuple[str, ...]:
    began = time.strftime("%Y-%m-%d %H:%M", time.localtime(told["began"]))
    numbers = ["" if told[name] is None else f"{told[name]:g}" for name in ("first", "best")]
    return (told["run"], began, str(told["experiments"]), str(told["kept"]), *numbers, told["state"])


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="a JSON object a line, with everything")


COMMAND = Command(
    about="List the runs of this repository, with what each came to.",
    examples="""
hookline runs                               a line a run, the newest last
hookline runs --json
""",
    run=run,
    arguments=arguments,
)
