"""Several experiments at once, and one writer of their journal.

Whoever wins from the commit that stands is kept. Whoever wins from one that others have overtaken is moved
onto what stands now and measured again: one such winner at a time, so that nothing moves below it meanwhile.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import closing

from msgspec import Struct, field

from hookline.core.values import replace
from hookline.engine import experiment, journal, progress, runs, stop_reason
from hookline.engine.git import commit as _commit
from hookline.engine.git import config
from hookline.engine.git.rebase import rebased
from hookline.engine.git.repository import HEADS
from hookline.engine.interrupts import Interrupts
from hookline.engine.journal import Row
from hookline.engine.parallel.local import Crew, Processes, Report
from hookline.engine.parallel.ray import Cluster
from hookline.engine.parallel.worker import Assignment
from hookline.engine.points import passed
from hookline.engine.progress import Step
from hookline.engine.run_state import Surroundings, follow, settle, stands
from hookline.engine.stop_reason import Stop
from hookline.engine.verdict import incumbent
from hookline.engine.work import Work
from hookline.engine.workplace import workers, workplace
from hookline.redact import redact

BEAT = 0.5
"""Seconds between two looks at the limits."""
ATTEMPTS = 3
"""How often an experiment is begun whose worker is lost."""


class WorkerFailed(OSError):
    """A worker could not go on, for a reason that the next one would meet as well."""


class _Field(Struct, kw_only=True):
    """Who works on what."""

    works: dict[str, Work]
    around: Surroundings
    crew: Crew
    rows: list[Row]
    most: int
    """At once."""
    busy: dict[str, Step] = field(default_factory=dict)
    """By worker: at work, or with a winner that waits for its turn."""
    winners: list[str] = field(default_factory=list)
    """Workers whose experiments won, and wait to be kept."""
    moving: str = ""
    """The worker that measures what was moved."""
    lost: dict[int, int] = field(default_factory=dict)
    until: float = float("inf")


def carry_on(work: Work, around: Surroundings, interrupts: Interrupts, rows: list[Row]) -> Stop:
    """From where the run is, with `run.parallel` workers, until there is a reason to stop."""
    work.tree.remove()  # of one worker alone: it is clean, and its branch would move under it
    spent, limit = work.run.spent, work.target.limits.seconds
    with closing(_crew(work, around)) as crew:
        began = time.monotonic()  # to join a cluster takes its time, and is no work
        on = _Field(works=_works(work, around), around=around, crew=crew, rows=rows, most=work.run.parallel)
        waiting = _taken_up(on)
        stop: Stop | None = None
        while stop is None or on.busy or (waiting and not interrupts.asked):
            total = spent + time.monotonic() - began
            on.until = float("inf") if limit is None else time.time() + limit - total  # clocks may jump
            runs.save(replace(work.run, spent=round(total, 3), stopped=""))
            stop = stop or _due(on, work, total, interrupts)
            waiting = waiting if interrupts.asked else _taken(on, waiting)
            _begun(on, work, fresh=stop is None and not waiting)
            _attend(on)
    if not waiting:
        _tidied(on)
    return stop_reason.due(work.target, on.rows, spent + time.monotonic() - began, work.run.since) or stop


def _crew(work: Work, around: Surroundings) -> Crew:
    if not work.run.cluster:
        return Processes(around.env, work.run.mark)
    return Cluster(work.run, work.tree.repository, around.env)


def _works(work: Work, around: Surroundings) -> dict[str, Work]:
    """Those that are asked for, and those that were there before."""
    names = {*map(str, range(1, work.run.parallel + 1)), *workers(work.run)}
    repository = work.tree.repository
    return {name: workplace(work.run, repository, around, worker=name) for name in sorted(names, key=int)}


def _due(on: _Field, work: Work, spent: float, interrupts: Interrupts) -> Stop | None:
    stop = stop_reason.due(work.target, on.rows, spent, work.run.since)
    if interrupts.asked:
        stop = stop or Stop(reason="cancelled", text="ended by the user after the experiments at work")
    return stop


def _attend(on: _Field) -> None:
    """Hear what is said until an experiment is over, or for a while."""
    known, until = len(on.rows), time.monotonic() + BEAT
    while on.busy and len(on.rows) == known and time.monotonic() < until:
        for report in on.crew.wait(max(until - time.monotonic(), 0.0)):
            _heard(on, report)


def _taken(on: _Field, waiting: Sequence[tuple[str, Step]]) -> list[tuple[str, Step]]:
    """Have those go on that were interrupted, as many at once as may be; gives those that wait."""
    free = max(on.most - len(on.busy), 0)
    for worker, step in waiting[:free]:
        on.busy[worker] = step
        _sent(on, worker, step)
    return list(waiting[free:])


def _begun(on: _Field, work: Work, *, fresh: bool) -> None:
    """Give every worker that is free something new."""
    free = [name for name in on.works if int(name) <= on.most and name not in on.busy]
    for worker in free if fresh else ():
        if len(on.busy) < on.most and _room(on, work):
            passed("before-begun")
            step = Step(experiment=_number(on), start=stands(on.rows))
            on.busy[worker] = progress.save(on.works[worker].place, step)
            passed("after-begun")
            _sent(on, worker, step)


def _number(on: _Field) -> int:
    known = [row.iteration for row in on.rows]
    return 1 + max([*known, *(step.experiment for step in on.busy.values())])


def _room(on: _Field, work: Work) -> bool:
    most = work.target.limits.experiments
    return most is None or len(on.rows) - 1 + len(on.busy) < most


def _sent(on: _Field, worker: str, step: Step) -> None:
    rows = list(_as_of(on.rows, step.start))
    run, ladder = on.works[worker].run, on.around.ladder
    what = Assignment(run=run, step=step, rows=rows, worker=worker, until=on.until, ladder=ladder)
    if step.phase == "decided":
        _decided(on, worker, step)
    else:
        on.crew.start(what, again=on.lost.get(step.experiment, 0) > 0)


def _as_of(rows: Sequence[Row], start: str) -> Iterator[Row]:
    """The rows as long as *start* was what stands: an experiment is judged against what it began with."""
    began = False
    for row in rows:
        if row.kept and began:
            return
        began = began or (row.kept and row.commit == start)
        yield row


def _heard(on: _Field, report: Report) -> None:
    worker, (word, *told) = report
    watcher = on.around.watcher
    if word == "decided":
        _decided(on, worker, progress.from_json(told[0]))
    elif word in ("failed", "lost"):
        _again(on, worker, *told)
    elif word == "heard":
        watcher.heard(told[0].encode())
    elif word in ("working", "measuring", "noted"):
        getattr(watcher, word)(*told)


def _again(on: _Field, worker: str, failed: str = "") -> None:
    """A worker is gone, or could not go on; its experiment goes on where it was, but not for ever."""
    work, step = on.works[worker], on.busy[worker]
    step = progress.load(work.place) or step
    count = on.lost[step.experiment] = on.lost.get(step.experiment, 0) + 1
    if failed:  # as an agent beside it may have seen to
        repository = work.tree.repository
        was = config.known(work.run, repository)
        config.put_back(work.run, repository.git.dir, was, step.experiment, on.around.watcher.noted)
    said = failed or "its worker is gone"
    on.around.watcher.noted(redact(f"experiment {step.experiment} goes on with another worker: {said}"))
    if count < ATTEMPTS:
        _sent(on, worker, step)
    elif failed:
        raise WorkerFailed(redact(f"experiment {step.experiment} cannot go on: {failed}"))
    else:
        why = f"its worker was lost {count} times"
        _decided(on, worker, experiment.given_up(work, step, on.rows, why))


def _decided(on: _Field, worker: str, step: Step) -> None:
    on.busy[worker] = step
    if on.moving == worker:
        on.moving = ""
    if journal.from_json(step.row).kept:
        on.winners.append(worker)
    else:
        _settled(on, worker, step)
    while on.winners and not on.moving:
        _next_winner(on, on.winners.pop(0))


def _next_winner(on: _Field, worker: str) -> None:
    step, at = on.busy[worker], stands(on.rows)
    if step.start == at:
        _settled(on, worker, step)
        return
    moved = _moved(on.works[worker], step, at)
    if moved is None:
        _settled(on, worker, step, problem="its change does not fit what stands by now")
        return
    on.moving, on.busy[worker] = worker, moved
    _sent(on, worker, moved)


def _moved(work: Work, step: Step, onto: str) -> Step | None:
    """The step with its change on *onto*, to be measured there; None where it does not fit."""
    repository, ref = work.tree.repository, _commit.ref_of(work.run.id, step.experiment)
    commit = rebased(repository, work.bench.trees["candidate"], step.start, step.commit, onto)
    if not commit:
        return None
    passed("after-rebase")
    first = step.first or step.row
    repository.set_ref(f"{ref}-first", first["commit"])
    repository.set_ref(ref, commit)
    passed("after-moved-ref")
    step = replace(step, phase="committed", start=onto, commit=commit, first=first, row={})
    step = progress.save(work.place, step)
    passed("after-moved")
    return step


def _settled(on: _Field, worker: str, step: Step, problem: str = "") -> None:
    """In the journal, and the worker is free."""
    work = on.works[worker]
    row = replace(_judged(work, step, problem), worker=worker, timestamp=time.time())
    if not row.kept:
        row = replace(row, best=incumbent(on.rows).metric)
    step = progress.save(work.place, replace(step, phase="decided", row=journal.to_json(row)))
    on.rows = settle(work, on.around, step, on.rows)
    del on.busy[worker]


def _judged(work: Work, step: Step, problem: str) -> Row:
    """What is written of it; who won and does so no more keeps what it was when it won."""
    row = journal.from_json(step.row)
    if row.kept and not problem:
        began = {"began": step.first["base"]} if step.first else {}
        return replace(row, details={**row.details, **began})
    if not step.first and not problem:
        return row
    first = journal.from_json(step.first or step.row)
    ref = _commit.ref_of(work.run.id, step.experiment)
    work.tree.repository.set_ref(ref, first.commit)
    why = problem or f"on what stands by now: {row.status}, {row.details.get('verdict', '')}"
    details = {**first.details, "verdict": why, "onto": step.start, "again": row.metric}
    return journal.clean(
        replace(first, status="superseded", description=f"{first.description}; {why}", details=details)
    )


def _taken_up(on: _Field) -> list[tuple[str, Step]]:
    """What was at work when the run was ended; what is in the journal already is settled."""
    known = {row.iteration: row for row in on.rows}
    found = []
    for worker, work in on.works.items():
        work.unwire()
        step = progress.load(work.place) or _forgotten(work, on.rows)
        if step and step.experiment in known:
            follow(work, known[step.experiment], on.rows)
        elif step:
            found.append((worker, step))
    return list(_apart(found, max(known)))


def _apart(found: Sequence[tuple[str, Step]], last: int) -> Iterator[tuple[str, Step]]:
    """Two of one number there are where the notes of one were lost: it gets another."""
    numbers: set[int] = set()
    for worker, step in sorted(found, key=lambda one: one[1].experiment or last + len(found) + 1):
        number = step.experiment or max(last, *numbers, 0) + 1
        numbers.add(number)
        yield worker, replace(step, experiment=number)


def _forgotten(work: Work, rows: Sequence[Row]) -> Step | None:
    """An agent may have deleted the note of its own experiment; its work is still there."""
    repository = work.tree.repository
    if not work.tree.there or not repository.commit(f"{HEADS}{work.tree.branch}"):
        return None
    start = next((row.commit for row in reversed(rows) if row.kept and _began_at(work, row.commit)), "")
    if not start or not _commit.anything(work.tree, start, work.inside):
        return None
    return experiment.forgotten(work, rows, number=0, start=start)


def _began_at(work: Work, commit: str) -> bool:
    return work.tree.repository.descends(f"{HEADS}{work.tree.branch}", commit)


def _tidied(on: _Field) -> None:
    """Nobody is at work: the worktrees show what stands."""
    at = stands(on.rows)
    for work in on.works.values():
        if work.tree.there:
            replace(work.tree, branch="").put(at)
