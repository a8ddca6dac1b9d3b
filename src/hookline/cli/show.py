"""Show the journal of a run, or one experiment with its diff."""

import os
import time
from argparse import Namespace
from typing import Any

from hookline.cli._output import align, dump, sanitize, sanitize_lines
from hookline.cli._run_lines import format_row
from hookline.engine import journal, runs
from hookline.engine.git import repository
from hookline.engine.journal import to_json


def run(args: Namespace) -> int:
    opened = repository.open_repository(os.getcwd(), dict(os.environ))
    target_run = runs.find(opened.root, args.name)
    rows = target_run.journal.rows()
    if args.experiment is not None:
        rows = [row for row in rows if row.iteration == args.experiment]
        if not rows:
            raise LookupError(
                f"run {target_run.id!r} has no experiment {args.experiment} (hookline show {target_run.id})"
            )
    if args.json:
        for row in rows:
            dump(journal.to_json(row))
    elif args.experiment is not None:
        _print_experiment(opened, rows[0])
    else:
        _print_run(target_run, rows)
    return 0


def _print_run(target_run: Any, rows: Any) -> None:
    metric = target_run.target.metric
    print(f"{sanitize(target_run.id)}: {sanitize(target_run.target.goal)}")
    print(f"{sanitize(metric.name)}, {metric.direction} is better; branch {sanitize(target_run.branch)}")
    for row in rows:
        print(format_row(row))


def _print_experiment(opened: Any, row: Any) -> None:
    fields = {name: value for name, value in to_json(row).items() if name != "details"}
    fields["timestamp"] = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(row.timestamp))
    fields |= {
        name: " ".join(f"{sample:g}" for sample in fields[name]) for name in ("samples",) if name in fields
    }
    details = {name: value for name, value in row.details.items() if value}
    print("\n".join(align([(name, str(value)) for name, value in {**fields, **details}.items()])))
    if row.commit and row.base and row.commit != row.base:
        print()
        print(sanitize_lines(opened.git("diff", "--stat", "-p", row.base, row.commit).rstrip()))
