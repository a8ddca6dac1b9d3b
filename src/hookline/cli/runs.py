"""List the runs of this repository."""

import os
import sys
import time
from argparse import Namespace
from typing import Any

from hookline.cli._output import dump, print_table, sanitize
from hookline.engine import lock, runs
from hookline.engine.git import repository


def run(args: Namespace) -> int:
    root = repository.open_repository(os.getcwd(), dict(os.environ)).root
    all_runs = runs.list_runs(root)
    for problem in runs.list_read_errors(root):
        print(f"hookline: {sanitize(problem)}", file=sys.stderr)
    facts = [_run_facts(item) for item in all_runs]
    if args.json:
        for item in facts:
            dump(item)
        return 0
    if not facts:
        print("no runs; start one with `hookline run`")
        return 0
    columns = ("run", "started", "experiments", "kept", "baseline", "best", "state")
    print_table(columns, [_format_cells(item) for item in facts])
    return 0


def _run_facts(target_run: Any) -> dict[str, Any]:
    rows = target_run.journal.rows()
    first = next((row.metric for row in rows if row.status == "baseline"), None)
    best = next((row.best for row in reversed(rows) if row.best is not None), None)
    return {
        "run": target_run.id,
        "began": target_run.began,
        "branch": target_run.branch,
        "target": target_run.name,
        "experiments": max(len(rows) - 1, 0),
        "kept": sum(row.kept for row in rows[1:]),
        "first": first,
        "best": best,
        "state": "running" if lock.is_running(target_run) else target_run.stopped or "interrupted",
        "journal": target_run.journal.table,
    }


def _format_cells(facts: dict[str, Any]) -> tuple[str, ...]:
    began = time.strftime("%Y-%m-%d %H:%M", time.localtime(facts["began"]))
    numbers = ["" if facts[name] is None else f"{facts[name]:g}" for name in ("first", "best")]
    return (facts["run"], began, str(facts["experiments"]), str(facts["kept"]), *numbers, facts["state"])
