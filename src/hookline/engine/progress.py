"""How far the experiment now running has come, on the disk before the next thing is done.

After a crash this says what is left to do: a step is done again or gone on from, and no row is written twice.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Literal

from msgspec import Struct, to_builtins

from hookline.core.frozen import NOTHING
from hookline.engine import durable_files, runs
from hookline.engine.runs import Run

FILE = "step.json"
Phase = Literal["begun", "spawned", "left", "committed", "decided", "recorded"]
"""begun: nothing yet; spawned: an agent may run; left: no more; committed: what it left is in a commit;
decided: the row is known; recorded: it is in the journal, and the branch has yet to follow."""


class Step(Struct, frozen=True, kw_only=True):
    """An experiment on its way."""

    experiment: int
    start: str
    """The commit that it began at."""
    phase: Phase = "begun"
    mark: str = ""
    """By which the agent's processes are known again."""
    spent: float = 0.0
    """Seconds of the budget that the agent has used, earlier attempts included."""
    ended: str = ""
    """How the agent ended: exit, timeout, interrupted, or why it could not be started."""
    said: str = ""
    """The end of what it printed."""
    commit: str = ""
    outside: tuple[str, ...] = ()
    """Paths outside of the scope that it changed, and that were put back."""
    description: str = ""
    notes: Mapping[str, str] = NOTHING
    """The agent's reason and next hint."""
    reworks: int = 0
    feedback: str = ""
    """What the guard said, for the next attempt."""
    usage: Mapping[str, Any] = NOTHING
    began: float = 0.0
    """When the agent that may run was started, in Unix seconds."""
    before: Mapping[str, Mapping[str, Any]] = NOTHING
    """What the sessions of the worktree had spent by then, by their names."""
    stopped: str = ""
    """What guards stopped, and nothing came after it."""
    row: Mapping[str, Any] = NOTHING
    first: Mapping[str, Any] = NOTHING
    """The row that won where the experiment began, once its change was moved onto what stands now."""


def save(folder: str, step: Step) -> Step:
    durable_files.folder(folder)
    durable_files.write(os.path.join(folder, FILE), json.dumps(to_json(step)))
    return step


def to_json(step: Step) -> dict[str, Any]:
    told: dict[str, Any] = to_builtins(step)
    return told | {name: dict(told[name]) for name in ("notes", "usage", "before", "row", "first")}


def load(folder: str) -> Step | None:
    """None where no experiment is on its way."""
    text = durable_files.text(os.path.join(folder, FILE))
    if not text:
        return None
    try:
        return from_json(json.loads(text))
    except (ValueError, TypeError, AttributeError, RecursionError):  # somebody else wrote it
        return None


def under_way(run: Run) -> Iterator[Step]:
    """Those of all its workers."""
    places = [run.folder]
    with suppress(OSError):
        places += [run.of(name) for name in os.listdir(run.path(runs.WORKERS))]
    yield from filter(None, map(load, places))


def from_json(told: Mapping[str, Any]) -> Step:
    known = {*Step.__struct_fields__}
    told = {name: value for name, value in told.items() if name in known}
    return Step(**{**told, "outside": tuple(told.get("outside", ()))})


def drop(folder: str) -> None:
    durable_files.remove(os.path.join(folder, FILE))
