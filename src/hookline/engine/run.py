"""A run: one experiment after another until there is a reason to stop; the single writer of the journal."""

import logging
import os
import shutil
import time
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import count

from hookline.core.values import replace
from hookline.engine import baseline, experiment, host_setup, journal, progress, runs, stop_reason
from hookline.engine.baseline import NoBaseline
from hookline.engine.git import config, keep_refs
from hookline.engine.git.repository import BRANCHES, Repository, experiment_ref
from hookline.engine.interrupts import Interrupts
from hookline.engine.journal import Row
from hookline.engine.lock import acquire
from hookline.engine.parallel import run_parallel
from hookline.engine.progress import ExperimentProgress
from hookline.engine.resume import finish_interrupted
from hookline.engine.rows import read_rows
from hookline.engine.run_state import RunContext, incumbent_commit, record_baseline, save_run, settle
from hookline.engine.runs import Run
from hookline.engine.stop_reason import StopReason
from hookline.engine.target import Target
from hookline.engine.watchdog import Watchdog
from hookline.engine.work import Work
from hookline.engine.workplace import prepare_work, workers
from hookline.system.process import unattended

_LOG = logging.getLogger("hookline.engine")

STOP_NOTICE = "the run stops after the running experiments; press Ctrl-C again to end them now"


def create_run(
    repository: Repository, target: Target, text: str, *, scratch: str, base: str, now: float
) -> Run:
    """Save a new run with its own branch at *base*."""
    day = time.strftime("%y%m%d", time.localtime(now))
    repository.exclude(f"/{journal.FOLDER}/")
    name = _create_folder(
        repository, f"{target.name}-{day}-{time.strftime('%H%M', time.localtime(now))}", base
    )
    branch = repository.create_branch(f"{BRANCHES}{target.name}-{day}", base)
    run = Run(
        id=name,
        root=repository.root,
        text=text,
        name=target.name,
        base=base,
        branch=branch,
        scratch=os.path.join(scratch, "engine", runs.path_hash(repository.root), name),
        mark=unattended.new_mark(),
        began=now,
    )
    shutil.rmtree(run.scratch, ignore_errors=True)  # left by a run of the same id in a deleted checkout
    return runs.save(run)


def _create_folder(repository: Repository, name: str, base: str) -> str:
    """Create the run's folder and first ref; return the run id: *name*, with a number appended if it exists.

    Refs of that name may belong to a run in another worktree, or to one whose folder is gone.
    """
    parent = os.path.join(repository.root, journal.FOLDER)
    if os.path.islink(parent):
        raise ValueError(
            f"{parent!r} is a symlink; remove it, because the journal must stay in the repository"
        )
    if os.path.exists(parent) and not os.path.isdir(parent):
        raise ValueError(f"{parent!r} is a file, but runs require a folder there; move it away")
    os.makedirs(parent, exist_ok=True)
    for number in count(1):
        run_id = name if number == 1 else f"{name}-{number}"
        try:
            os.mkdir(folder := os.path.join(parent, run_id))
        except FileExistsError:
            continue
        if repository.create_ref(experiment_ref(run_id, 0), base):
            return run_id
        os.rmdir(folder)
    raise AssertionError


def run_experiments(run: Run, repository: Repository, context: RunContext) -> StopReason:
    """Continue a run from its current state until there is a reason to stop."""
    with ExitStack() as stack:
        stack.enter_context(acquire(run))
        interrupts = stack.enter_context(Interrupts(lambda: context.watcher.on_notice(STOP_NOTICE)))
        _check_branch_free(run, repository)
        runs.save(run)  # save the current options
        active = stack.enter_context(Watchdog(run))
        work = prepare_work(run, repository, context)
        stack.callback(work.remove_hooks)
        try:
            stop = _run_until_stopped(work, context, interrupts, active)
        except KeyboardInterrupt:
            text = f"stopped by the user; continue with `hookline run --resume {run.id}`"
            stop = StopReason(reason="interrupted", text=text)
        except OSError as error:
            if os.path.isdir(repository.git.dir) and os.path.isdir(repository.root):
                raise
            stop = StopReason(reason="workspace-gone", text=f"the repository no longer exists ({error})")
        context.watcher.on_end(stop)
        return stop


def _check_branch_free(run: Run, repository: Repository) -> None:
    """Raise `ValueError` if another worktree has the branch checked out: its files would change."""
    worktree = keep_refs.find_other_worktree(repository, run.branch, run.checkout)
    if worktree:
        raise ValueError(
            f"{run.branch!r} is checked out in {worktree!r}, and the run would move it; "
            "run `git switch -` there first"
        )


def _run_until_stopped(
    work: Work, context: RunContext, interrupts: Interrupts, active: Watchdog
) -> StopReason:
    rows = read_rows(work.run, context.store)
    context.watcher.on_start(work.run, rows)
    work = set_limits(save_run(work, spent=active.seconds, stopped=work.run.stopped), rows)
    rows = finish_interrupted(work, rows, lambda step, before: settle(work, context, step, before))
    _align_with_journal(work, rows)
    work = _reset_stop(work, rows)
    if not rows:
        _check_installation(work)
    if not rows and not work.run.cluster:
        step = ExperimentProgress(experiment=0, start=work.run.base)
        work, rows = record_baseline(work, context, baseline.decide(work, step))
    if work.run.parallel > 1 or work.run.cluster or workers(work.run):
        work, result = run_parallel.carry_on(work, context, interrupts, rows, active)
        save_run(work, spent=active.seconds, stopped=result.reason)
        return result
    ready = False
    while True:
        work = set_limits(save_run(work, spent=active.seconds), rows)
        stop = stop_reason.find_stop(work.target, rows, work.run.spent, work.run.since)
        if interrupts.stop_requested:
            stop = stop or StopReason(reason="cancelled", text="stopped by the user after the experiment")
        if stop:
            work = save_run(work, stopped=stop.reason)
            return stop
        rows, ready = _run_next(work, context, rows, ready=ready), True


def _align_with_journal(work: Work, rows: Sequence[Row]) -> None:
    """Restore the branch and the refs from the journal, after changes between two sessions of the run."""
    repository, run, report = work.tree.repository, work.run, work.watcher.on_notice
    config.save_settings(run, repository)
    if not rows:
        return
    keep_refs.keep_row_refs(repository, run.id, rows, report)
    keep_ref = f"{experiment_ref(run.id, rows[-1].iteration)}-branch"
    known_commits, commit = [row.commit for row in rows if row.commit], incumbent_commit(rows)
    keep_refs.move_branch(
        repository, run.branch, commit, ours=run.checkout, keep=keep_ref, known=known_commits, report=report
    )


def _reset_stop(work: Work, rows: Sequence[Row]) -> Work:
    """Clear a stop that required a person, since a person has resumed the run."""
    if work.run.stopped not in stop_reason.NEEDS_PERSON:
        return work
    return replace(work, run=runs.save(replace(work.run, since=len(rows), stopped="")))


def set_limits(work: Work, rows: Sequence[Row]) -> Work:
    """Return the work with what is left of the run's time, tokens and cost."""
    limits = work.target.limits
    work = replace(work, allowance=stop_reason.remaining_usage(limits, rows))
    return work if limits.seconds is None else work.limited(limits.seconds - work.run.spent)


def _run_next(work: Work, context: RunContext, rows: list[Row], *, ready: bool) -> list[Row]:
    """Run the next experiment; *ready* if the worktree already is at the incumbent."""
    step = ExperimentProgress(experiment=1 + max(row.iteration for row in rows), start=incumbent_commit(rows))
    _LOG.debug("before-begun")
    step = progress.save(work.state_folder, step)
    _LOG.debug("after-begun")
    if not ready:
        work.tree.check_out(step.start)
    _LOG.debug("after-put")
    return settle(work, context, experiment.decide(work, step, rows), rows)


def _check_installation(work: Work) -> None:
    """Install the agent's hooks once before anything is measured, to see that it works."""
    if not host_setup.settings_paths(work.target.agent.host):
        return
    work.tree.check_out(work.run.base)
    try:
        work.install_hooks(work.run.base)
        _LOG.debug("after-first-install")
    except host_setup.NotInstalled as error:
        raise NoBaseline(str(error)) from None
    finally:
        work.remove_hooks()
