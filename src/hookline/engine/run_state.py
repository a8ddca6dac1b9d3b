"""The context of a run, and the update of journal, branch and worktree after a decision."""

import logging
from collections.abc import Mapping, Sequence

from msgspec import Struct

from hookline.core.store import Store
from hookline.core.values import replace
from hookline.engine import durable_files, journal, progress, runs
from hookline.engine.git import keep_refs, stash
from hookline.engine.git.repository import HEADS, experiment_ref
from hookline.engine.journal import Row
from hookline.engine.progress import ExperimentProgress
from hookline.engine.rows import append_row
from hookline.engine.runs import Run
from hookline.engine.target import Target
from hookline.engine.watcher import Watcher
from hookline.engine.work import Work
from hookline.system.process import unattended

_LOG = logging.getLogger("hookline.engine")


class RunContext(Struct, frozen=True, kw_only=True):
    """Environment, watcher, store and limits of the process that carries out a run."""

    env: Mapping[str, str]
    watcher: Watcher
    store: Store | None = None
    """Second place for rows besides the journal files; None if it cannot be opened."""
    ladder: unattended.Ladder = unattended.END_SIGNALS


def incumbent_commit(rows: Sequence[Row]) -> str:
    return next(row.commit for row in reversed(rows) if row.kept)


def record_baseline(work: Work, context: RunContext, step: ExperimentProgress) -> tuple[Work, list[Row]]:
    """Record row 0, and whether the metric varies."""
    row = journal.from_json(step.row)
    work = save_run(work, noise="deterministic" if row.mad is None else "noisy")
    _LOG.debug("before-row")
    rows = append_row(work.run, context.store, row, (), context.watcher.on_notice)
    _LOG.debug("after-baseline")
    context.watcher.on_decision(row)
    return work, rows


def save_run(work: Work, *, spent: float | None = None, noise: str = "", stopped: str = "") -> Work:
    run = work.run
    updated = replace(
        run, spent=run.spent if spent is None else round(spent, 3), noise=noise or run.noise, stopped=stopped
    )
    return replace(work, run=runs.save(updated))


def settle(work: Work, context: RunContext, step: ExperimentProgress, before: Sequence[Row]) -> list[Row]:
    """Record a decided experiment, then update the branch and the worktree; safe to repeat."""
    row = journal.from_json(step.row)
    row = row if step.phase == "recorded" else journal.ensure_later(row, before)
    _LOG.debug("before-row")
    rows = append_row(work.run, context.store, row, before, context.watcher.on_notice)
    _LOG.debug("after-row")
    step = progress.save(work.state_folder, replace(step, phase="recorded", row=journal.to_json(row)))
    _LOG.debug("after-recorded")
    sync_branch(work, row, rows)
    context.watcher.on_decision(row)
    _warn_about_limits(work.target, rows, context)
    return rows


def sync_branch(work: Work, row: Row, rows: Sequence[Row]) -> None:
    """Update the branch, refs and worktree to match the journal."""
    run, commit, repository, report = (
        work.run,
        incumbent_commit(rows),
        work.tree.repository,
        work.watcher.on_notice,
    )
    keep_refs.keep_row_refs(repository, run.id, rows, report)
    ref = experiment_ref(run.id, row.iteration)
    known_commits, keep_ref = [row.commit, repository.commit(f"{ref}-own")], f"{ref}-branch"
    keep_refs.move_branch(
        repository, run.branch, commit, ours=run.checkout, keep=keep_ref, known=known_commits, report=report
    )
    _LOG.debug("after-branch")
    if work.worker:  # a worker's own branch ends with its experiment
        repository.delete_ref(f"{HEADS}{work.tree.branch}")
    else:
        work.tree.check_out(commit)
    _LOG.debug("after-reset")
    _save_idea(run, row)
    stash.unpin(work.tree, run.id, work.worker)
    progress.remove(work.state_folder)
    _LOG.debug("after-settled")


def _warn_about_limits(target: Target, rows: Sequence[Row], context: RunContext) -> None:
    """Report limits on values that the host does not report: they would never take effect."""
    limits, row = target.limits, rows[-1]
    unknown = [
        name
        for name, limit, value in (("tokens", limits.tokens, row.tokens_out), ("cost", limits.cost, row.cost))
        if limit is not None and value is None
    ]
    if unknown and row.iteration == 1:
        names, limit = " and ".join(unknown), "this limit has" if len(unknown) == 1 else "these limits have"
        context.watcher.on_notice(f"{target.agent.host} does not report {names}: {limit} no effect")


def _save_idea(run: Run, row: Row) -> None:
    """Append the agent's idea for the next experiment to the ideas file, even if its change is discarded."""
    idea = row.details.get("next", "")
    line = f"- {idea} (experiment {row.iteration})\n"
    path = run.path(runs.IDEAS)
    if idea:
        durable_files.remove_non_file(path)
        with open(path, "a+", encoding="utf-8", errors="replace") as file:
            file.seek(0)
            if line not in file.read():
                file.write(line)
