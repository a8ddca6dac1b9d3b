"""What a run is carried out with, and how the journal, the branch and the worktree follow a decision."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from hookline.core.store import Store
from hookline.core.values import replace
from hookline.engine import durable_files, journal, progress, runs
from hookline.engine.git import keep_refs, stash
from hookline.engine.git import repository as repositories
from hookline.engine.git.repository import HEADS
from hookline.engine.journal import Row
from hookline.engine.points import passed
from hookline.engine.progress import Step
from hookline.engine.rows import noted
from hookline.engine.runs import Run
from hookline.engine.target import Target
from hookline.engine.watcher import Watcher
from hookline.engine.work import Work
from hookline.system.process import unattended


class Surroundings(Struct, frozen=True, kw_only=True):
    """What a run is carried out with."""

    env: Mapping[str, str]
    watcher: Watcher
    store: Store | None = None
    """Where rows are kept besides their files; None where there is no store to be had."""
    experiments: int | None = None
    """At most so many in all, instead of what the target says."""
    ladder: unattended.Ladder = unattended.LADDER


def stands(rows: Sequence[Row]) -> str:
    return next(row.commit for row in reversed(rows) if row.kept)


def settle(work: Work, around: Surroundings, step: Step, before: Sequence[Row]) -> list[Row]:
    """Record a decided experiment, then have the branch and the worktree follow; twice is as good as once."""
    row = journal.from_json(step.row)
    row = row if step.phase == "recorded" else journal.behind(row, before)
    passed("before-row")
    rows = noted(work.run, around.store, row, before, around.watcher.noted)
    passed("after-row")
    step = progress.save(work.place, replace(step, phase="recorded", row=journal.to_json(row)))
    passed("after-recorded")
    follow(work, row, rows)
    around.watcher.decided(row)
    _say_once(work.target, rows, around)
    return rows


def follow(work: Work, row: Row, rows: Sequence[Row]) -> None:
    """Have the branch and the worktree follow what is in the journal."""
    run, at, repository, noted = work.run, stands(rows), work.tree.repository, work.watcher.noted
    keep_refs.of_rows(repository, run.id, rows, noted)
    own = repositories.ref(run.id, row.iteration)
    known, keep = [row.commit, repository.commit(f"{own}-own")], f"{own}-branch"
    keep_refs.put_branch(
        repository, run.branch, at, ours=run.checkout, keep=keep, known=known, complain=noted
    )
    passed("after-branch")
    if work.worker:  # its own branch is gone when its experiment is over
        repository.drop_ref(f"{HEADS}{work.tree.branch}")
    else:
        work.tree.put(at)
    passed("after-reset")
    _keep_idea(run, row)
    stash.unpin(work.tree, run.id, work.worker)
    progress.drop(work.place)
    passed("after-settled")


def _say_once(target: Target, rows: Sequence[Row], around: Surroundings) -> None:
    """A limit on what nobody reports would hold for ever."""
    limits, row = target.limits, rows[-1]
    unknown = [
        name
        for name, limit, value in (("tokens", limits.tokens, row.tokens_out), ("cost", limits.cost, row.cost))
        if limit is not None and value is None
    ]
    if unknown and row.iteration == 1:
        told, limit = " and ".join(unknown), "that limit" if len(unknown) == 1 else "those limits"
        around.watcher.noted(f"{target.agent.host} does not report {told}: {limit} cannot hold")


def _keep_idea(run: Run, row: Row) -> None:
    """What the agent would try next outlives its code."""
    idea = row.details.get("next", "")
    line = f"- {idea} (experiment {row.iteration})\n"
    path = run.path(runs.IDEAS)
    if idea:
        durable_files.clear(path)
        with open(path, "a+", encoding="utf-8", errors="replace") as file:
            file.seek(0)
            if line not in file.read():
                file.write(line)
