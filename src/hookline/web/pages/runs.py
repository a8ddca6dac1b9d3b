"""Runs: the experiments of the engine, one run with its chart, the diff of an experiment, runs compared."""

import os
from collections.abc import Sequence

from hookline.engine import lock
from hookline.engine import runs as engine_runs
from hookline.engine.git import repository
from hookline.engine.git.run_git import GitFailed
from hookline.engine.journal import FOLDER, Row
from hookline.engine.runs import Run
from hookline.redact import redact
from hookline.web.charts import draw_comparison, draw_run
from hookline.web.dashboard import Dashboard, Page, Params, View

MAX_DIFF_CHARS = 200_000
COMPARED = "compare-"
"""Start of the names of the boxes that select runs."""


def query(dashboard: Dashboard, params: Params) -> View:
    runs = _list_runs(dashboard)
    chosen = [run for run in runs if f"{COMPARED}{run.id}" in params]
    if chosen:
        return _compare(chosen)
    if params.get("run"):
        return _show_run(_find_run(runs, params["run"]), params)
    rows = [_summarize(run) for run in reversed(runs)]
    return View(template="runs.html", values={"runs": rows, "compared": COMPARED})


def _list_runs(dashboard: Dashboard) -> list[Run]:
    roots = dashboard.take_snapshot().roots
    found = [
        run
        for root in roots
        if os.path.isdir(os.path.join(root, FOLDER))
        for run in engine_runs.list_runs(root)
    ]
    return sorted(found, key=lambda run: (run.began, run.id))


def _find_run(runs: Sequence[Run], name: str) -> Run:
    run = next((run for run in runs if run.id == name), None)
    if run is None:
        raise LookupError("no such run")
    return run


def _summarize(run: Run) -> dict[str, object]:
    rows = run.journal.rows()
    return {
        "run": run,
        "metric": run.target.metric,
        "experiments": max(len(rows) - 1, 0),
        "kept": sum(row.kept for row in rows[1:]),
        "first": _find_baseline(rows),
        "best": next((row.best for row in reversed(rows) if row.best is not None), None),
        "state": "running" if lock.is_running(run) else run.stopped or "interrupted",
    }


def _find_baseline(rows: Sequence[Row]) -> float | None:
    return next((row.metric for row in rows if row.status == "baseline"), None)


def _show_run(run: Run, params: Params) -> View:
    rows, number = run.journal.rows(), params.get("experiment", "")
    if number.isdecimal():
        return _show_experiment(run, rows, int(number))
    metric = run.target.metric
    unit = f" ({metric.unit})" if metric.unit else ""
    title = f"{metric.name}{unit}, {metric.direction} is better"
    values = {"summary": _summarize(run), "rows": rows[::-1], "chart": draw_run(rows, title), "title": title}
    return View(template="run.html", values=values)


def _show_experiment(run: Run, rows: Sequence[Row], number: int) -> View:
    row = next((row for row in rows if row.iteration == number), None)
    if row is None:
        raise LookupError("no such experiment")
    lines = [(line, _classify_line(line)) for line in _read_diff(run, row).split("\n")]
    return View(template="experiment.html", values={"run": run, "row": row, "lines": lines})


def _read_diff(run: Run, row: Row) -> str:
    if not row.commit or not row.base or row.commit == row.base:
        return ""
    try:
        opened = repository.open_repository(run.root, os.environ)
        text = opened.git("diff", "--stat", "-p", row.base, row.commit, "--")
    except (repository.Unusable, GitFailed) as error:
        raise LookupError(f"the diff cannot be read: {error}") from None
    return redact(text[:MAX_DIFF_CHARS]).rstrip()


def _classify_line(line: str) -> str:
    if line.startswith(("+++", "---", "diff ", "index ")):
        return "file"
    return {"+": "added", "-": "removed", "@": "place"}.get(line[:1], "")


def _compare(runs: Sequence[Run]) -> View:
    series = {run.id: _relative_best(run.journal.rows()) for run in runs}
    values = {"summaries": [_summarize(run) for run in runs], "chart": draw_comparison(series)}
    return View(template="comparison.html", values=values)


def _relative_best(rows: Sequence[Row]) -> list[float]:
    """Return the best metric after each experiment, in percent of the baseline."""
    baseline = _find_baseline(rows)
    if not baseline:
        return []
    series, best = list[float](), baseline
    for row in rows:
        best = best if row.best is None else row.best
        series.append(100 * best / baseline)
    return series


PAGE = Page(title="Runs", order=4, query=query)
