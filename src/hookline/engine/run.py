"""A run: experiment after experiment until there is a reason to stop, with one writer of the journal."""

import os
import shutil
import time
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import count
from statistics import median

from hookline.core.values import replace
from hookline.engine import experiment, host_setup, journal, progress, runs, stop_reason
from hookline.engine.git import config, keep_refs
from hookline.engine.git import repository as repositories
from hookline.engine.git.repository import BRANCHES, Repository
from hookline.engine.interrupts import Interrupts
from hookline.engine.journal import Row
from hookline.engine.judge import mad, noisy
from hookline.engine.lock import held
from hookline.engine.parallel import run_parallel
from hookline.engine.points import passed
from hookline.engine.progress import Step
from hookline.engine.resume import take_up
from hookline.engine.rows import known, noted
from hookline.engine.run_state import Surroundings, settle, stands
from hookline.engine.runs import Run
from hookline.engine.stop_reason import Stop
from hookline.engine.target import Target
from hookline.engine.work import Work
from hookline.engine.workplace import workers, workplace
from hookline.redact import redact
from hookline.system.process import unattended

FINISHES = "what is at work is finished first; Ctrl-C again ends it now"


class NoBaseline(ValueError):
    """What the run begins at cannot be measured, or no agent can be guarded there; the message says why."""


def begin(repository: Repository, target: Target, text: str, *, scratch: str, base: str, now: float) -> Run:
    """Write down a new run, with a branch of its own at *base*."""
    day = time.strftime("%y%m%d", time.localtime(now))
    repository.exclude(f"/{journal.FOLDER}/")
    name = _folder(repository, f"{target.name}-{day}-{time.strftime('%H%M', time.localtime(now))}", base)
    branch = repository.begin_branch(f"{BRANCHES}{target.name}-{day}", base)
    run = Run(
        id=name,
        root=repository.root,
        text=text,
        name=target.name,
        base=base,
        branch=branch,
        scratch=os.path.join(scratch, "engine", runs.short(repository.root), name),
        mark=unattended.new_mark(),
        began=now,
    )
    shutil.rmtree(run.scratch, ignore_errors=True)  # of a run of that name, in a checkout that is gone
    return runs.save(run)


def _folder(repository: Repository, name: str, base: str) -> str:
    """A folder that was not there, of that name or with a number behind it, and the run's first ref.

    Refs of that name may be there of a run in another worktree, or of one whose folder is gone.
    """
    place = os.path.join(repository.root, journal.FOLDER)
    if os.path.islink(place):
        raise ValueError(
            f"{place!r} is a link; the journal must not lead out of the repository, so remove it"
        )
    if os.path.exists(place) and not os.path.isdir(place):
        raise ValueError(f"{place!r} is a file, and runs are written into a folder there; move it away")
    os.makedirs(place, exist_ok=True)
    for number in count(1):
        full = name if number == 1 else f"{name}-{number}"
        try:
            os.mkdir(folder := os.path.join(place, full))
        except FileExistsError:
            continue
        if repository.new_ref(repositories.ref(full, 0), base):
            return full
        os.rmdir(folder)
    raise AssertionError


def carry_out(run: Run, repository: Repository, around: Surroundings) -> Stop:
    """Go on with a run, from wherever it is, until there is a reason to stop."""
    with ExitStack() as stack:
        stack.enter_context(held(run))
        interrupts = stack.enter_context(Interrupts(lambda: around.watcher.noted(FINISHES)))
        _not_elsewhere(run, repository)
        runs.save(run)  # with what is asked for now
        work = workplace(run, repository, around)
        stack.callback(work.unwire)
        try:
            stop = _carry_out(work, around, interrupts)
        except KeyboardInterrupt:
            text = f"ended by the user; `hookline run --resume {run.id}` goes on"
            stop = Stop(reason="interrupted", text=text)
        except OSError as error:
            if os.path.isdir(repository.git.dir) and os.path.isdir(repository.root):
                raise
            stop = Stop(reason="workspace-gone", text=f"the repository is not there any more ({error})")
        around.watcher.ended(stop)
        return stop


def _not_elsewhere(run: Run, repository: Repository) -> None:
    """What is checked out elsewhere would change under whoever works there."""
    place = keep_refs.elsewhere(repository, run.branch, run.checkout)
    if place:
        raise ValueError(
            f"{run.branch!r} is checked out in {place!r}, and the run would move it there; "
            "say `git switch -` there first"
        )


def _carry_out(work: Work, around: Surroundings, interrupts: Interrupts) -> Stop:
    rows = known(work.run, around.store)
    around.watcher.begun(work.run, rows)
    began, spent = time.monotonic(), work.run.spent
    rows = take_up(_timed(work, spent), rows, lambda step, before: settle(work, around, step, before))
    _aligned(work, rows)
    work = _looked_at(work, rows)
    if not rows:
        _guarded(work)
        work, rows = _baseline(work, around)
    if work.run.parallel > 1 or work.run.cluster or workers(work.run):
        limited = replace(work, target=_limited(work.target, around))
        over = run_parallel.carry_on(limited, around, interrupts, rows)
        _noted(work, spent=spent + time.monotonic() - began, stopped=over.reason)
        return over
    ready = False
    while True:
        total = spent + time.monotonic() - began
        work = _noted(work, spent=total)
        stop = stop_reason.due(_limited(work.target, around), rows, total, work.run.since)
        if interrupts.asked:
            stop = stop or Stop(reason="cancelled", text="ended by the user after the experiment")
        if stop:
            work = _noted(work, stopped=stop.reason)
            return stop
        rows, ready = _next(work, around, rows, spent=total, ready=ready), True


def _aligned(work: Work, rows: Sequence[Row]) -> None:
    """The branch and the refs as the journal says, whatever was done to them while the run rested."""
    repository, run, noted = work.tree.repository, work.run, work.watcher.noted
    config.note(run, repository)
    if not rows:
        return
    keep_refs.of_rows(repository, run.id, rows, noted)
    keep = f"{repositories.ref(run.id, rows[-1].iteration)}-branch"
    known, at = [row.commit for row in rows if row.commit], stands(rows)
    keep_refs.put_branch(
        repository, run.branch, at, ours=run.checkout, keep=keep, known=known, complain=noted
    )


def _looked_at(work: Work, rows: Sequence[Row]) -> Work:
    """Whoever has a run go on that waited for a person has seen what did not help."""
    if work.run.stopped not in stop_reason.WAITS:
        return work
    return replace(work, run=runs.save(replace(work.run, since=len(rows), stopped="")))


def _limited(target: Target, around: Surroundings) -> Target:
    if around.experiments is None:
        return target
    return replace(target, limits=replace(target.limits, experiments=around.experiments))


def _timed(work: Work, spent: float) -> Work:
    """With the time that is left of the run's."""
    limit = work.target.limits.seconds
    return work if limit is None else replace(work, until=time.time() + limit - spent)


def _next(work: Work, around: Surroundings, rows: list[Row], *, spent: float, ready: bool) -> list[Row]:
    """The next experiment; the worktree is *ready* where one was settled just now."""
    work = _timed(work, spent)
    step = Step(experiment=1 + max(row.iteration for row in rows), start=stands(rows))
    passed("before-begun")
    step = progress.save(work.place, step)
    passed("after-begun")
    if not ready:
        work.tree.put(step.start)
    passed("after-put")
    return settle(work, around, experiment.decide(work, step, rows), rows)


def _guarded(work: Work) -> None:
    """Wire the agent once, to see that it can be, before anything is measured."""
    if not host_setup.paths(work.target.agent.host):
        return
    work.tree.put(work.run.base)
    try:
        work.wire(work.run.base)
        passed("after-first-wire")
    except host_setup.NotWired as error:
        raise NoBaseline(str(error)) from None
    finally:
        work.unwire()


def _baseline(work: Work, around: Surroundings) -> tuple[Work, list[Row]]:
    """Row 0, and whether the metric says the same twice."""
    run, target = work.run, work.target
    passed("before-baseline")
    guard = None
    if target.guard:
        around.watcher.measuring(0, "guard")
        holds, guard = work.bench.guard(target.guard, run.base)
        if not holds:
            raise NoBaseline(
                _unmeasured("guard", guard.problem or "its number is not good enough", guard.tail)
            )
    values, varies = _measured(work, around)
    work = _noted(work, noise="noisy" if varies else "deterministic")
    row = Row(
        iteration=0,
        timestamp=time.time(),
        status="baseline",
        commit=run.base,
        metric=median(values),
        best=median(values),
        guard="pass" if guard else "",
        guard_metric=guard.value if guard else None,
        samples=tuple(values),
        mad=mad(values) if varies else None,
        base=run.base,
        description="baseline",
    )
    passed("before-row")
    rows = noted(work.run, around.store, row, (), around.watcher.noted)
    passed("after-baseline")
    around.watcher.decided(row)
    return work, rows


def _measured(work: Work, around: Surroundings) -> tuple[list[float], bool]:
    """What the commit that the run begins at comes to, and whether that varies.

    Where it does, it takes as many runs as confirm a better result: one that was lucky would be a mark that
    honest work never reaches.
    """
    noise, values = work.target.noise, list[float]()
    varies, most = noise.kind == "noisy", 1 if noise.kind == "deterministic" else 2
    while len(values) < (max(most, noise.samples) if varies else most):
        around.watcher.measuring(0, "metric")
        measured, _samples = work.bench.metric(work.run.base)
        if measured.value is None:
            raise NoBaseline(_unmeasured("metric", measured.problem, measured.tail))
        values.append(measured.value)
        varies = varies or (len(values) > 1 and noisy(values))
    return values, varies


def _unmeasured(what: str, problem: str, tail: str) -> str:
    said = redact(tail).strip().splitlines()
    last = f" ({said[-1][:200]})" if said else ""
    return f"the {what} does not work on the commit that the run begins at: {problem}{last}; mend that first"


def _noted(work: Work, *, spent: float | None = None, noise: str = "", stopped: str = "") -> Work:
    run = work.run
    new = replace(
        run, spent=run.spent if spent is None else round(spent, 3), noise=noise or run.noise, stopped=stopped
    )
    return replace(work, run=runs.save(new))
