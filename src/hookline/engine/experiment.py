"""One experiment: an agent changes something, what it left is committed, measured and judged.

Each step is written down before the next one is taken, so that whoever comes after a crash goes on where this
one was. What becomes of the result is the business of the run, which alone writes the journal.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from hookline.core.run_variables import BUDGET_END, IDEAS, INSTRUCTIONS, JOURNAL, RUN
from hookline.core.values import replace
from hookline.engine import agent_notes, durable_files, instructions, progress, rotate, runs, usage
from hookline.engine.agents.agent import Spawn, Task
from hookline.engine.escalation import advice
from hookline.engine.git import commit, config, keep_refs, stash
from hookline.engine.journal import TABLE, Row
from hookline.engine.points import passed
from hookline.engine.progress import Step
from hookline.engine.runs import Run
from hookline.engine.verdict import judged, left_nothing, not_measured, withdrawn
from hookline.engine.work import Work
from hookline.redact import redact
from hookline.system.process import unattended

SAID = 4_000
"""Characters of what an agent printed last that are kept."""
_IDEAS = 1 << 20


def decide(work: Work, step: Step, rows: Sequence[Row]) -> Step:
    """Go on from *step* until it is known what becomes of the experiment: its row is in what this gives.

    Where nothing was done yet, the worktree is as it was put at the step's start.
    """
    while step.phase not in ("decided", "recorded"):
        step = progress.save(work.place, _NEXT[step.phase](work, step, rows))
        passed(f"after-{step.phase}")
    return step


def _begin(work: Work, step: Step, rows: Sequence[Row]) -> Step:
    """Let the agent work, and note first that it may."""
    left = work.target.agent.budget - step.spent
    end = min(time.time() + left, work.until)
    spawn = work.agent.command(_task(work, step, rows, end))
    passed("before-wire")
    work.wire(step.start)
    passed("after-wire")
    before = usage.noted(work.used(work.run.began))
    with _untouched(work, step.experiment) as refs:
        keep_refs.note(work.place, refs)
        step = replace(step, phase="spawned", mark=unattended.new_mark(), began=time.time(), before=before)
        progress.save(work.place, step)
        work.watcher.working(step.experiment, end)
        passed("before-spawn")
        spawn, over = _sessions(work, step, rows, spawn, end)
        passed("after-agent")
    work.unwire()
    passed("after-unwire")
    told = redact(over.tail)
    return replace(
        _heard(work, step, end),
        phase="left",
        spent=step.spent + over.seconds,
        ended=_ended(over),
        said=told[-SAID:],
        notes=agent_notes.notes(spawn.says(told)),
        description=spawn.describe(told),
    )


@contextmanager
def _untouched(work: Work, number: int) -> Iterator[keep_refs.Before]:
    """The repository is afterwards as it is now, however what runs meanwhile ends: also where a user ends it.

    Gives its refs.
    """
    repository = work.tree.repository
    stash.pin(work.tree, work.run.id, work.worker)
    was, refs = config.known(work.run, repository), keep_refs.before(repository, work.run.id)
    try:
        yield refs
    finally:
        _put_back(work, number, was, refs)


def _put_back(work: Work, number: int, was: config.Settings, refs: keep_refs.Before) -> None:
    repository, noted = work.tree.repository, work.watcher.noted
    config.put_back(work.run, repository.git.dir, was, number, noted)
    keep_refs.after(repository, work.run.id, number, refs, noted)
    stash.put_back(work.tree, work.run.id, number, work.worker)


def _heard(work: Work, step: Step, until: float | None = None) -> Step:
    """With what hooks heard of the agent: what it spent, and whether they stopped it before *until*.

    None: it is not known when its time was over, nor whether it ever began.
    """
    now = work.used(work.run.began)
    if until and work.hosted and work.store and usage.noted(now) == step.before:
        work.watcher.noted(
            f"no hook was called in experiment {step.experiment}: {work.target.agent.host} may have worked "
            "without guards; `hookline doctor` says what is in the way"
        )
    spent = usage.added(step.usage, step.before, now)
    return replace(step, usage=spent, before={}, stopped=work.stopped(step.began, until or float("inf")))


def _ended(over: unattended.Over) -> str:
    if over.problem:
        return over.problem
    return "timeout" if over.timed_out else "exit" if over.code == 0 or over.cut else f"exit code {over.code}"


def _sessions(
    work: Work, step: Step, rows: Sequence[Row], spawn: Spawn, end: float
) -> tuple[Spawn, unattended.Over]:
    """The agent's session, and the fresh ones that go on where a context is nearly full."""
    again = rotate.Sessions(
        spawned=lambda before: work.agent.command(_task(work, step, rows, end, before)),
        start=lambda spawn, enough: _run(work, step, spawn, end, enough),
        store=work.store,
        host=work.target.agent.host,
        budget=work.target.agent.budget,
        until=end,
        noted=work.watcher.noted,
    )
    return rotate.carry_out(again, spawn)


def _run(work: Work, step: Step, spawn: Spawn, end: float, enough: Callable[[], bool]) -> unattended.Over:
    process = unattended.Work(
        argv=spawn.argv, cwd=spawn.cwd, env=spawn.env, stdin=spawn.stdin, mark=step.mark
    )
    durable_files.folder(work.run.path(runs.LOGS))
    durable_files.clear(path := log(work.run, step.experiment))
    return unattended.run(
        process,
        limit=max(end - time.time(), 0.0) + work.target.agent.grace,
        log=path,
        heard=work.watcher.heard,
        ladder=work.ladder,
        enough=enough,
    )


def log(run: Run, number: int) -> str:
    return run.path(runs.LOGS, f"{number}.log")


def _task(work: Work, step: Step, rows: Sequence[Row], end: float, before: str = "") -> Task:
    run, path = work.run, work.run.path(runs.LOGS, f"{step.experiment}.md")
    told = instructions.text(
        work.target,
        rows,
        number=step.experiment,
        seconds=end - time.time(),
        ideas=_ideas(run),
        advice=advice(rows[run.since :], work.target.escalation).text,
        feedback=step.feedback,
    )
    durable_files.folder(run.path(runs.LOGS))
    durable_files.clear(path)
    with open(path, "w", encoding="utf-8", errors="replace") as file:
        file.write(f"{before}\n\n{told}" if before else told)
    journal = run.path(TABLE)
    env = {
        **work.env,
        RUN: f"{run.id}:{step.experiment}:{journal}",
        BUDGET_END: str(int(end)),
        JOURNAL: journal,
        INSTRUCTIONS: path,
        IDEAS: run.path(runs.IDEAS),
    }
    return Task(
        target=work.target,
        worktree=work.tree.path,
        experiment=step.experiment,
        run=run.id,
        instructions=told,
        budget_end=end,
        rows=rows,
        state_dir=run.folder,
        before=before,
        env=env,
    )


def _ideas(run: Run) -> str:
    return redact(durable_files.text(run.path(runs.IDEAS))[:_IDEAS])


def _take_over(work: Work, step: Step, rows: Sequence[Row]) -> Step:
    """After a crash: an agent may have been at work, and may still be."""
    unattended.end_marked(step.mark)
    was = config.known(work.run, work.tree.repository)
    _put_back(work, step.experiment, was, keep_refs.noted(work.place))
    work.unwire()
    step = _heard(work, step)
    if not commit.anything(work.tree, step.start, work.inside):
        work.tree.put(step.start)
        return replace(step, phase="begun", mark="")
    return replace(step, phase="left", ended="interrupted")


def _commit_it(work: Work, step: Step, rows: Sequence[Row]) -> Step:
    """Always: whatever the agent left, and however it ended."""
    passed("before-commit")
    ref, tried = commit.ref_of(work.run.id, step.experiment), step.commit
    if tried:  # what is mended may be worth less than what it was
        work.tree.repository.set_ref(f"{ref}-try{step.reworks}", tried)
    kept = commit.commit(work.tree, step, work.inside, ref=ref)
    passed("after-commit")
    message = redact(work.tree.repository.message(kept.own)) if kept.own else ""
    step = replace(
        step,
        commit=kept.commit,
        outside=kept.outside,
        description=agent_notes.subject(message) or step.description,
        notes={**step.notes, **agent_notes.notes(message)},
    )
    if tried and not step.commit:
        return withdrawn(replace(step, commit=tried), rows)
    if not step.commit:
        return left_nothing(work.run, step, rows, now=time.time(), over=time.time() >= work.until)
    return replace(step, phase="committed")


def _measure(work: Work, step: Step, rows: Sequence[Row]) -> Step:
    passed("before-guard")
    holds, guard = True, None
    if work.target.guard:
        work.watcher.measuring(step.experiment, "guard")
        with _untouched(work, step.experiment):  # what runs there is the agent's work, too
            holds, guard = work.bench.guard(work.target.guard, step.commit)
    passed("before-metric")
    work.watcher.measuring(step.experiment, "metric")
    with _untouched(work, step.experiment):
        metric, samples = work.bench.metric(step.commit)
        passed("after-metric")
        return judged(work, step, rows, holds=holds, guard=guard, metric=metric, samples=samples)


def forgotten(work: Work, rows: Sequence[Row], *, number: int, start: str) -> Step:
    """The step of an experiment whose note was deleted, with what was spent since the last row."""
    since = max((row.timestamp for row in rows if row.worker == work.worker), default=work.run.began)
    spent = usage.added({}, {}, work.used(since))
    return Step(experiment=number, start=start, phase="left", ended="interrupted", usage=spent)


def given_up(work: Work, step: Step, rows: Sequence[Row], why: str) -> Step:
    """Go no further than to commit what there is: it is known that more does not work."""
    if step.phase == "spawned":
        step = _take_over(work, step, rows)
    if step.phase == "left":
        step = _commit_it(work, step, rows)
    step = step if step.phase == "decided" else not_measured(step, rows, why)
    return progress.save(work.place, step)


_NEXT: Mapping[str, Callable[[Work, Step, Sequence[Row]], Step]] = {
    "begun": _begin,
    "spawned": _take_over,
    "left": _commit_it,
    "committed": _measure,
}
