"""Parallel experiments with a single writer of the journal.

A winner that started from the incumbent is kept. A winner whose start has been superseded is rebased onto
the incumbent and measured again: one at a time, so that the incumbent does not change meanwhile.
"""

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing

from msgspec import Struct, field

from hookline.core.values import replace
from hookline.engine import devices, experiment, journal, progress, runs, stop_reason
from hookline.engine.git import config
from hookline.engine.git.commit import has_changes
from hookline.engine.git.rebase import rebase_commits
from hookline.engine.git.repository import HEADS, experiment_ref
from hookline.engine.interrupts import Interrupts
from hookline.engine.journal import Row
from hookline.engine.parallel.local import LocalPool, Report, WorkerPool
from hookline.engine.parallel.ray import Cluster
from hookline.engine.parallel.wait_for_worker import MAX_ATTEMPTS, forward_report, measure_baseline
from hookline.engine.parallel.worker import WorkerAssignment
from hookline.engine.progress import ExperimentProgress
from hookline.engine.run_state import RunContext, incumbent_commit, record_baseline, settle, sync_branch
from hookline.engine.stop_reason import StopReason
from hookline.engine.verdict import incumbent, is_noisy
from hookline.engine.watchdog import Watchdog
from hookline.engine.work import Work
from hookline.engine.workplace import prepare_work, workers
from hookline.redact import redact

_LOG = logging.getLogger("hookline.engine")

POLL_SECONDS = 0.5
"""Seconds between two checks of the limits."""


class WorkerFailed(OSError):
    """A worker error that would recur with the next worker."""


class _ParallelRun(Struct, kw_only=True):
    """State of the workers and their experiments."""

    works: dict[str, Work]
    context: RunContext
    pool: WorkerPool
    rows: list[Row]
    max_parallel: int
    """Maximum number of parallel experiments."""
    busy: dict[str, ExperimentProgress] = field(default_factory=dict)
    """Steps by worker: running, or won and waiting to be kept."""
    winners: list[str] = field(default_factory=list)
    """Workers whose experiments won and wait to be kept."""
    rebasing: str = ""
    """The worker that measures a rebased winner; empty if none."""
    losses: dict[int, int] = field(default_factory=dict)
    until: float = float("inf")
    allowances: dict[str, Mapping[str, float]] = field(default_factory=dict)
    """Tokens and cost reserved for the running experiments, by worker."""


def carry_on(
    work: Work, context: RunContext, interrupts: Interrupts, rows: list[Row], active: Watchdog
) -> tuple[Work, StopReason]:
    """Continue the run with `run.parallel` workers until there is a reason to stop."""
    work.tree.remove()  # the worktree of the single worker: its branch would move under it
    limit = work.target.limits.seconds
    with closing(_open_pool(work, context)) as pool:
        if not rows:
            work, rows = record_baseline(work, context, measure_baseline(work, context, pool))
        state = _ParallelRun(
            works=_prepare_works(work, context),
            context=context,
            pool=pool,
            rows=rows,
            max_parallel=_limit_parallel(work, context),
        )
        waiting = _find_interrupted(state)
        stop: StopReason | None = None
        while stop is None or state.busy or (waiting and not interrupts.stop_requested):
            total = active.seconds
            state.until = float("inf") if limit is None else time.time() + limit - total  # clocks may jump
            runs.save(replace(work.run, spent=round(total, 3), stopped=""))
            stop = stop or _find_stop(state, work, total, interrupts)
            waiting = waiting if interrupts.stop_requested else _resume_waiting(state, waiting)
            _start_experiments(state, work, fresh=stop is None and not waiting)
            _process_reports(state)
    if not waiting:
        _reset_worktrees(state)
    return work, stop_reason.find_stop(work.target, state.rows, active.seconds, work.run.since) or stop


def _open_pool(work: Work, context: RunContext) -> WorkerPool:
    if not work.run.cluster:
        return LocalPool(context.env, work.run.mark)
    return Cluster(work.run, work.tree.repository, context.env)


def _limit_parallel(work: Work, context: RunContext) -> int:
    """Return the number of parallel experiments, reduced if there are not enough devices."""
    required, wanted = work.target.resources.gpu, work.run.parallel
    if not required or work.run.cluster:
        return wanted
    possible = devices.count_experiments(required, context.env)
    if possible < wanted:
        context.watcher.on_notice(
            f"{possible} of {wanted} experiments run at once: each requires {devices.describe(required)}"
        )
    return min(wanted, possible)


def _prepare_works(work: Work, context: RunContext) -> dict[str, Work]:
    """Return the work of each requested worker, and of those that existed before."""
    names = {*map(str, range(1, work.run.parallel + 1)), *workers(work.run)}
    repository = work.tree.repository
    return {name: prepare_work(work.run, repository, context, worker=name) for name in sorted(names, key=int)}


def _find_stop(state: _ParallelRun, work: Work, spent: float, interrupts: Interrupts) -> StopReason | None:
    stop = stop_reason.find_stop(work.target, state.rows, spent, work.run.since)
    if interrupts.stop_requested:
        stop = stop or StopReason(
            reason="cancelled", text="stopped by the user after the running experiments"
        )
    return stop


def _process_reports(state: _ParallelRun) -> None:
    """Process reports until an experiment is recorded, or for `POLL_SECONDS`."""
    row_count, deadline = len(state.rows), time.monotonic() + POLL_SECONDS
    while state.busy and len(state.rows) == row_count and time.monotonic() < deadline:
        for report in state.pool.wait(max(deadline - time.monotonic(), 0.0)):
            _process_report(state, report)


def _resume_waiting(
    state: _ParallelRun, waiting: Sequence[tuple[str, ExperimentProgress]]
) -> list[tuple[str, ExperimentProgress]]:
    """Resume interrupted experiments on free workers; return those that still wait."""
    free = max(state.max_parallel - len(state.busy), 0)
    for worker, step in waiting[:free]:
        state.busy[worker] = step
        _send(state, worker, step)
    return list(waiting[free:])


def _start_experiments(state: _ParallelRun, work: Work, *, fresh: bool) -> None:
    """Start a new experiment on every free worker."""
    free = [name for name in state.works if int(name) <= state.max_parallel and name not in state.busy]
    for worker in free if fresh else ():
        if len(state.busy) < state.max_parallel and _has_room(state, work):
            _LOG.debug("before-begun")
            step = ExperimentProgress(experiment=_next_number(state), start=incumbent_commit(state.rows))
            state.busy[worker] = progress.save(state.works[worker].state_folder, step)
            _LOG.debug("after-begun")
            _send(state, worker, step)


def _next_number(state: _ParallelRun) -> int:
    numbers = [row.iteration for row in state.rows]
    return 1 + max([*numbers, *(step.experiment for step in state.busy.values())])


def _has_room(state: _ParallelRun, work: Work) -> bool:
    limit = work.target.limits.experiments
    enough = all(value > 0 for value in reserve(state).values()) or not state.busy
    return enough and (limit is None or len(state.rows) - 1 + len(state.busy) < limit)


def reserve(state: _ParallelRun, worker: str = "") -> dict[str, float]:
    """Return the tokens and cost of one more experiment: an equal share of those not reserved for others."""
    target = next(iter(state.works.values())).target
    others = {name: state.allowances.get(name, {}) for name in state.busy if name != worker}
    free = max(state.max_parallel - len(others), 1)
    return {
        name: (left - sum(reserved.get(name, 0.0) for reserved in others.values())) / free
        for name, left in stop_reason.remaining_usage(target.limits, state.rows).items()
    }


def _send(state: _ParallelRun, worker: str, step: ExperimentProgress) -> None:
    rows = list(_rows_known_at(state.rows, step.start))
    run, ladder = state.works[worker].run, state.context.ladder
    if is_noisy(run, state.rows):  # from now on it is measured alone
        run = replace(run, noise="noisy")
    allowance = state.allowances[worker] = reserve(state, worker)
    assignment = WorkerAssignment(
        run=run,
        step=step,
        rows=rows,
        worker=worker,
        until=state.until,
        allowance=allowance,
        ladder=ladder,
    )
    if step.phase == "decided":
        _on_decided(state, worker, step)
    else:
        state.pool.start(assignment)


def _rows_known_at(rows: Sequence[Row], start: str) -> Iterator[Row]:
    """Yield the rows up to the end of *start* as incumbent: an experiment is judged against its start."""
    began = False
    for row in rows:
        if row.kept and began:
            return
        began = began or (row.kept and row.commit == start)
        yield row


def _process_report(state: _ParallelRun, report: Report) -> None:
    worker, (kind, *values) = report
    if kind == "decided":
        _on_decided(state, worker, progress.from_json(values[0]))
    elif kind in ("failed", "lost"):
        _retry(state, worker, *values)
    else:
        forward_report(state.context.watcher, kind, values)


def _retry(state: _ParallelRun, worker: str, problem: str = "") -> None:
    """Resume the experiment of a lost or failed worker, up to `MAX_ATTEMPTS` times."""
    work, step = state.works[worker], state.busy[worker]
    step = progress.load(work.state_folder) or step
    count = state.losses[step.experiment] = state.losses.get(step.experiment, 0) + 1
    if problem:  # a parallel agent may have changed the settings
        repository = work.tree.repository
        settings = config.saved_settings(work.run, repository)
        config.restore_settings(
            work.run, repository.git.dir, settings, step.experiment, state.context.watcher.on_notice
        )
    reason = problem or "its worker exited"
    state.context.watcher.on_notice(
        redact(f"experiment {step.experiment} continues with another worker: {reason}")
    )
    if count < MAX_ATTEMPTS:
        _send(state, worker, step)
    elif problem:
        raise WorkerFailed(redact(f"experiment {step.experiment} cannot continue: {problem}"))
    else:
        why = f"its worker was lost {count} times"
        _on_decided(state, worker, experiment.give_up(work, step, state.rows, why))


def _on_decided(state: _ParallelRun, worker: str, step: ExperimentProgress) -> None:
    state.busy[worker] = step
    if state.rebasing == worker:
        state.rebasing = ""
    if journal.from_json(step.row).kept:
        state.winners.append(worker)
    else:
        _record(state, worker, step)
    while state.winners and not state.rebasing:
        _keep_winner(state, state.winners.pop(0))


def _keep_winner(state: _ParallelRun, worker: str) -> None:
    step, incumbent = state.busy[worker], incumbent_commit(state.rows)
    if step.start == incumbent:
        _record(state, worker, step)
        return
    rebased = _rebase_step(state.works[worker], step, incumbent)
    if rebased is None:
        _record(state, worker, step, problem="its change does not apply to the current best commit")
        return
    state.rebasing, state.busy[worker] = worker, rebased
    _send(state, worker, rebased)


def _rebase_step(work: Work, step: ExperimentProgress, onto: str) -> ExperimentProgress | None:
    """Return the step rebased onto *onto*, to be measured there; None if the change does not apply."""
    repository, ref = work.tree.repository, experiment_ref(work.run.id, step.experiment)
    commit = rebase_commits(repository, work.bench.trees["candidate"], step.start, step.commit, onto)
    if not commit:
        return None
    _LOG.debug("after-rebase")
    first = step.first or step.row
    repository.set_ref(f"{ref}-first", first["commit"])
    repository.set_ref(ref, commit)
    _LOG.debug("after-moved-ref")
    step = replace(step, phase="committed", start=onto, commit=commit, first=first, row={})
    step = progress.save(work.state_folder, step)
    _LOG.debug("after-moved")
    return step


def _record(state: _ParallelRun, worker: str, step: ExperimentProgress, problem: str = "") -> None:
    """Record the experiment and free its worker."""
    work = state.works[worker]
    row = replace(_final_row(work, step, problem), worker=worker, timestamp=time.time())
    if not row.kept:
        row = replace(row, best=incumbent(state.rows).metric)
    step = progress.save(work.state_folder, replace(step, phase="decided", row=journal.to_json(row)))
    state.rows = settle(work, state.context, step, state.rows)
    del state.busy[worker]


def _final_row(work: Work, step: ExperimentProgress, problem: str) -> Row:
    """Return the row to record; a superseded winner keeps the values with which it won."""
    row = journal.from_json(step.row)
    if row.kept and not problem:
        began = {"began": step.first["base"]} if step.first else {}
        return replace(row, details={**row.details, **began})
    if not step.first and not problem:
        return row
    first = journal.from_json(step.first or step.row)
    ref = experiment_ref(work.run.id, step.experiment)
    work.tree.repository.set_ref(ref, first.commit)
    reason = problem or f"on the current best commit: {row.status}, {row.details.get('verdict', '')}"
    details = {**first.details, "verdict": reason, "onto": step.start, "again": row.metric}
    return journal.redact_row(
        replace(first, status="superseded", description=f"{first.description}; {reason}", details=details)
    )


def _find_interrupted(state: _ParallelRun) -> list[tuple[str, ExperimentProgress]]:
    """Return the experiments that ran when the run ended; finish those already in the journal."""
    rows_by_number = {row.iteration: row for row in state.rows}
    steps = []
    for worker, work in state.works.items():
        work.remove_hooks()
        step = progress.load(work.state_folder) or _recover_step(work, state.rows)
        if step and step.experiment in rows_by_number:
            sync_branch(work, rows_by_number[step.experiment], state.rows)
        elif step:
            steps.append((worker, step))
    return list(_number_steps(steps, max(rows_by_number)))


def _number_steps(
    steps: Sequence[tuple[str, ExperimentProgress]], last: int
) -> Iterator[tuple[str, ExperimentProgress]]:
    """Yield steps with unique numbers; a step whose progress file was lost gets a new number."""
    numbers: set[int] = set()
    for worker, step in sorted(steps, key=lambda item: item[1].experiment or last + len(steps) + 1):
        number = step.experiment or max(last, *numbers, 0) + 1
        numbers.add(number)
        yield worker, replace(step, experiment=number)


def _recover_step(work: Work, rows: Sequence[Row]) -> ExperimentProgress | None:
    """Return the step of an experiment whose progress file the agent deleted, if its work exists."""
    repository = work.tree.repository
    if not work.tree.exists or not repository.commit(f"{HEADS}{work.tree.branch}"):
        return None
    start = next(
        (row.commit for row in reversed(rows) if row.kept and _branch_contains(work, row.commit)), ""
    )
    if not start or not has_changes(work.tree, start, work.in_scope):
        return None
    return experiment.recover_step(work, rows, number=0, start=start)


def _branch_contains(work: Work, commit: str) -> bool:
    return work.tree.repository.descends(f"{HEADS}{work.tree.branch}", commit)


def _reset_worktrees(state: _ParallelRun) -> None:
    """Check out the incumbent in all worktrees when no worker is running."""
    commit = incumbent_commit(state.rows)
    for work in state.works.values():
        if work.tree.exists:
            replace(work.tree, branch="").check_out(commit)
