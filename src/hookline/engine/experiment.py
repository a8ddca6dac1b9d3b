"""One experiment: an agent changes files, and its changes are committed, measured and judged.

Each step is saved before the next one starts, so that the experiment can resume after a crash. Only the run
writes the journal.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from hookline.core.values import replace
from hookline.core.variables import BUDGET_END, IDEAS, INSTRUCTIONS, JOURNAL, RUN, add_old_names
from hookline.engine import (
    agent_notes,
    devices,
    durable_files,
    instructions,
    progress,
    rotate,
    runs,
    scope,
    stop_reason,
    usage,
)
from hookline.engine.agents import host_agent
from hookline.engine.agents.agent import Spawn, Task
from hookline.engine.escalation import advice
from hookline.engine.git import commit, config, keep_refs, stash, user_side
from hookline.engine.git.repository import HEADS, experiment_ref
from hookline.engine.journal import TABLE, USER_SIDE, Row
from hookline.engine.measure_pool import OutOfTime
from hookline.engine.progress import ExperimentProgress
from hookline.engine.runs import Run
from hookline.engine.verdict import (
    decide_crash,
    decide_measured,
    decide_out_of_time,
    decide_withdrawn,
    decide_without_change,
)
from hookline.engine.work import Work
from hookline.redact import redact
from hookline.system.process import unattended

_LOG = logging.getLogger("hookline.engine")

MAX_OUTPUT_CHARACTERS = 4_000
"""Maximum characters of the agent's output that are kept: the last ones."""
USAGE_SECONDS = 2.0
"""Seconds between two readings of the tokens and the cost that a running agent used."""
_MAX_IDEAS_CHARACTERS = 1 << 20
_DECIDED = ("decided", "recorded")


def decide(work: Work, step: ExperimentProgress, rows: Sequence[Row]) -> ExperimentProgress:
    """Continue from *step* until the outcome is decided; return the step with its row.

    If nothing has been done yet, the worktree must be at the step's start commit.
    """
    if step.phase not in _DECIDED:
        step = _decide_with_devices(work, step, rows)
    return _report_changes(work, step)


def _decide_with_devices(work: Work, step: ExperimentProgress, rows: Sequence[Row]) -> ExperimentProgress:
    """Decide the experiment on the same devices, from the agent to the last measurement."""
    required, report = work.target.resources.gpu, work.watcher.on_notice
    try:
        with devices.reserve(required, work.env, until=work.until, report=report) as variables:
            work = work.with_variables(variables)
            while step.phase not in _DECIDED:
                step = progress.save(work.state_folder, _NEXT_STEP[step.phase](work, step, rows))
                _LOG.debug("after-%s", step.phase)
            return step
    except OutOfTime:
        return progress.save(work.state_folder, decide_out_of_time(step, rows))


def _report_changes(work: Work, step: ExperimentProgress) -> ExperimentProgress:
    """Add to the row the changes outside of the run, by the agent or by the user."""
    changes = user_side.find_changes(work.state_folder, work.run, work.tree.repository)
    if step.phase != "decided" or not changes:
        return step
    for change in changes:
        work.watcher.on_notice(redact(f"during experiment {step.experiment}, outside of the run: {change}"))
    details = {**step.row.get("details", {}), USER_SIDE: [redact(change) for change in changes]}
    return progress.save(work.state_folder, replace(step, row={**step.row, "details": details}))


def _run_agent(work: Work, step: ExperimentProgress, rows: Sequence[Row]) -> ExperimentProgress:
    """Save that the agent may be running, then run it to its end."""
    remaining = work.target.agent.budget - step.spent
    end = time.time() + min(remaining, work.until - time.monotonic())
    spawn = work.agent.command(_prepare_task(work, step, rows, end))
    if step.outside:  # rework starts without these changes, which do not count, in files, index and history
        work.tree.repository.set_ref(f"{HEADS}{work.tree.branch}", step.commit)
        work.tree.check_out(step.commit)
    if not step.reworks:
        user_side.save_state(work.state_folder, work.run, work.tree.repository)
    scope.save(work.target.scope, work.run.folder)
    _LOG.debug("before-install")
    work.install_hooks(step.start)
    _LOG.debug("after-install")
    before = usage.to_json(work.read_usage(work.run.began))
    with _protect_repository(work, step.experiment) as snapshot:
        keep_refs.save_snapshot(work.state_folder, snapshot)
        step = _save_start(work, step, end, before)
        work.watcher.on_experiment(step.experiment, end)
        _LOG.debug("before-spawn")
        spawn, result = _run_sessions(work, step, rows, spawn, end)
        _LOG.debug("after-agent")
    work.remove_hooks()
    _LOG.debug("after-remove")
    output = redact(result.tail)
    return replace(
        _add_hook_data(work, step, end),
        phase="left",
        spent=step.spent + result.seconds,
        ended=_describe_end(result),
        output_tail=output[-MAX_OUTPUT_CHARACTERS:],
        notes={**step.notes, **agent_notes.extract_notes(spawn.extract_text(output))},
        description=spawn.describe(output) or step.description,
    )


def _save_start(
    work: Work, step: ExperimentProgress, end: float, before: Mapping[str, Mapping[str, Any]]
) -> ExperimentProgress:
    """Save that the agent may be running, with its mark and its limit in seconds."""
    started = replace(
        step,
        phase="spawned",
        mark=unattended.new_mark(),
        began=time.time(),
        limit=end - time.time() + work.target.agent.grace + sum(wait for _, wait in work.ladder),
        before=before,
    )
    return progress.save(work.state_folder, started)


@contextmanager
def _protect_repository(work: Work, number: int) -> Iterator[keep_refs.RefSnapshot]:
    """Restore settings, refs and stash on exit, even after an error or an interrupt; yield the refs."""
    repository = work.tree.repository
    stash.pin(work.tree, work.run.id, work.worker)
    settings, snapshot = (
        config.saved_settings(work.run, repository),
        keep_refs.snapshot_refs(repository, work.run.id),
    )
    try:
        yield snapshot
    finally:
        _restore_repository(work, number, settings, snapshot)


def _restore_repository(
    work: Work, number: int, settings: config.Settings, snapshot: keep_refs.RefSnapshot
) -> None:
    repository = work.tree.repository

    def report(text: str) -> None:
        work.watcher.on_notice(text)
        user_side.note_restored(work.state_folder, text)

    config.restore_settings(work.run, repository.git.dir, settings, number, report)
    keep_refs.restore_refs(repository, work.run.id, number, snapshot, report, own=work.tree.head)
    stash.restore_stash(work.tree, work.run.id, number, work.worker)


def _add_hook_data(work: Work, step: ExperimentProgress, until: float | None = None) -> ExperimentProgress:
    """Return the step with the agent's usage and any work that guards blocked before *until*.

    None: it is unknown when the agent's time ended, or whether it started at all.
    """
    current = work.read_usage(work.run.began)
    if until and work.hosted and work.store and usage.to_json(current) == step.before:
        work.watcher.on_notice(
            f"no hook was called in experiment {step.experiment}: {work.target.agent.host} may have worked "
            "without guards; run `hookline doctor` to find the cause"
        )
    total = usage.add_usage(step.usage, step.before, current)
    return replace(
        step, usage=total, before={}, stopped=work.find_blocked_work(step.began, until or float("inf"))
    )


def _describe_end(result: unattended.RunResult) -> str:
    if result.problem:
        return result.problem
    return (
        "timeout"
        if result.timed_out
        else "exit"
        if result.code == 0 or result.cut
        else f"exit code {result.code}"
    )


def _run_sessions(
    work: Work, step: ExperimentProgress, rows: Sequence[Row], spawn: Spawn, end: float
) -> tuple[Spawn, unattended.RunResult]:
    """Run the agent in one session, and in further ones whenever its context is nearly full."""
    sessions = rotate.Sessions(
        spawn_next=lambda preamble: work.agent.command(_prepare_task(work, step, rows, end, preamble)),
        start=lambda spawn, should_end: _run_session(work, step, spawn, end, should_end),
        store=work.store,
        host=work.target.agent.host,
        budget=work.target.agent.budget,
        until=end,
        noted=work.watcher.on_notice,
    )
    return rotate.carry_out(sessions, spawn)


def _run_session(
    work: Work, step: ExperimentProgress, spawn: Spawn, end: float, should_end: Callable[[], bool]
) -> unattended.RunResult:
    process = unattended.Command(
        argv=spawn.argv, cwd=spawn.cwd, env=spawn.env, stdin=spawn.stdin, mark=step.mark
    )
    durable_files.ensure_folder(work.run.path(runs.LOGS))
    durable_files.remove_non_file(path := log_path(work.run, step.experiment))
    return unattended.run(
        process,
        limit=max(min(end + work.target.agent.grace - time.time(), work.until - time.monotonic()), 0.0),
        log=path,
        on_output=work.watcher.on_output,
        end_signals=work.ladder,
        should_stop=_UsageLimit(work, step, should_end),
    )


class _UsageLimit:
    """Predicate that is true when the experiment used its tokens or cost, or *should_end* is true."""

    def __init__(self, work: Work, step: ExperimentProgress, should_end: Callable[[], bool]) -> None:
        self._work, self._step, self._should_end = work, step, should_end
        self._next = time.monotonic() + USAGE_SECONDS

    def __call__(self) -> bool:
        if self._should_end():
            return True
        if not self._work.allowance or time.monotonic() < self._next:
            return False
        self._next = time.monotonic() + USAGE_SECONDS
        current = self._work.read_usage(self._work.run.began)
        used = usage.add_usage(self._step.usage, self._step.before, current)
        return stop_reason.is_exhausted(self._work.allowance, used)


def log_path(run: Run, number: int) -> str:
    return run.path(runs.LOGS, f"{number}.log")


def _prepare_task(
    work: Work, step: ExperimentProgress, rows: Sequence[Row], end: float, preamble: str = ""
) -> Task:
    run, path = work.run, work.run.path(runs.LOGS, f"{step.experiment}.md")
    prompt = instructions.render_instructions(
        work.target,
        rows,
        number=step.experiment,
        seconds=end - time.time(),
        ideas=_read_ideas(run),
        advice=advice(rows[run.since :], work.target.escalation).text,
        feedback=step.feedback,
    )
    durable_files.ensure_folder(run.path(runs.LOGS))
    durable_files.remove_non_file(path)
    with open(path, "w", encoding="utf-8", errors="replace") as file:
        file.write(f"{preamble}\n\n{prompt}" if preamble else prompt)
    journal = run.path(TABLE)
    own_env = {
        RUN: f"{run.id}:{step.experiment}:{journal}",
        BUDGET_END: str(int(end)),
        JOURNAL: journal,
        INSTRUCTIONS: path,
        IDEAS: run.path(runs.IDEAS),
    }
    env = {**work.env, **add_old_names(own_env)}
    return Task(
        target=work.target,
        worktree=work.tree.path,
        experiment=step.experiment,
        run=run.id,
        instructions=prompt,
        budget_end=end,
        rows=rows,
        state_dir=run.folder,
        before=preamble,
        env=env,
    )


def _read_ideas(run: Run) -> str:
    return redact(durable_files.read_text(run.path(runs.IDEAS))[:_MAX_IDEAS_CHARACTERS])


def _take_over(work: Work, step: ExperimentProgress, rows: Sequence[Row]) -> ExperimentProgress:
    """Resume after a crash during which an agent was running, and may still be."""
    unattended.end_marked(step.mark)
    settings = config.saved_settings(work.run, work.tree.repository)
    _restore_repository(work, step.experiment, settings, keep_refs.load_snapshot(work.state_folder))
    work.remove_hooks()
    step = _add_hook_data(work, step)
    if not commit.has_changes(work.tree, step.start, work.in_scope):
        work.tree.check_out(step.start)
        return replace(step, phase="begun", mark="")
    output = durable_files.read_text(log_path(work.run, step.experiment))[-MAX_OUTPUT_CHARACTERS:]
    description = host_agent.describe(redact(output)) or step.description
    return replace(step, phase="left", ended="interrupted", description=description)


def _commit_changes(work: Work, step: ExperimentProgress, rows: Sequence[Row]) -> ExperimentProgress:
    """Commit the agent's changes, however it ended."""
    _LOG.debug("before-commit")
    ref, previous = experiment_ref(work.run.id, step.experiment), step.commit
    if previous:  # the reworked change may be worse than the previous one
        work.tree.repository.set_ref(f"{ref}-try{step.reworks}", previous)
    result = commit.commit(work.tree, step, work.in_scope, ref=ref)
    _LOG.debug("after-commit")
    message = redact(work.tree.repository.message(result.own)) if result.own not in ("", previous) else ""
    step = replace(
        step,
        commit=result.commit,
        outside=result.outside,
        description=agent_notes.subject(message) or step.description,
        notes={**step.notes, **agent_notes.extract_notes(message)},
    )
    if previous and not step.commit:
        return decide_withdrawn(replace(step, commit=previous), rows)
    if not step.commit:
        return decide_without_change(
            work.run, step, rows, now=time.time(), run_over=time.monotonic() >= work.until
        )
    return replace(step, phase="committed")


def _measure(work: Work, step: ExperimentProgress, rows: Sequence[Row]) -> ExperimentProgress:
    try:
        return _measure_and_judge(work, step, rows)
    except OutOfTime:
        return decide_out_of_time(step, rows)


def _measure_and_judge(work: Work, step: ExperimentProgress, rows: Sequence[Row]) -> ExperimentProgress:
    _LOG.debug("before-guard")
    holds, guard = True, None
    if work.target.guard:
        work.watcher.on_measurement(step.experiment, "guard")
        with _protect_repository(work, step.experiment):  # the command runs the agent's code
            holds, guard = work.bench.check_guard(work.target.guard, step.commit)
    _LOG.debug("before-metric")
    work.watcher.on_measurement(step.experiment, "metric")
    with _protect_repository(work, step.experiment):
        metric, samples = work.bench.measure_metric(step.commit)
        _LOG.debug("after-metric")
        return decide_measured(work, step, rows, holds=holds, guard=guard, metric=metric, samples=samples)


def recover_step(work: Work, rows: Sequence[Row], *, number: int, start: str) -> ExperimentProgress:
    """Return the step of an experiment whose progress file was deleted, with the usage since the last row."""
    since = max((row.timestamp for row in rows if row.worker == work.worker), default=work.run.began)
    spent = usage.add_usage({}, {}, work.read_usage(since))
    return ExperimentProgress(experiment=number, start=start, phase="left", ended="interrupted", usage=spent)


def give_up(work: Work, step: ExperimentProgress, rows: Sequence[Row], reason: str) -> ExperimentProgress:
    """Commit existing changes without measuring them, because further attempts would fail."""
    if step.phase == "spawned":
        step = _take_over(work, step, rows)
    if step.phase == "left":
        step = _commit_changes(work, step, rows)
    step = step if step.phase == "decided" else decide_crash(step, rows, reason)
    return progress.save(work.state_folder, step)


_NEXT_STEP: Mapping[str, Callable[[Work, ExperimentProgress, Sequence[Row]], ExperimentProgress]] = {
    "begun": _run_agent,
    "spawned": _take_over,
    "left": _commit_changes,
    "committed": _measure,
}
