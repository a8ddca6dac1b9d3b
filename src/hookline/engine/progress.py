"""The progress of the running experiment, saved to disk before each next step.

After a crash, a step is repeated or resumed, and no row is written twice.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Literal

from msgspec import Struct, to_builtins

from hookline.core.frozen import EMPTY
from hookline.engine import durable_files, runs
from hookline.engine.runs import Run

FILE = "step.json"
Phase = Literal["begun", "spawned", "left", "committed", "decided", "recorded"]
"""State of an experiment.

begun: nothing done; spawned: an agent may run; left: the agent has ended; committed: its changes are in a
commit; decided: the row is known; recorded: the row is in the journal, the branch is not updated yet.
"""


class ExperimentProgress(Struct, frozen=True, kw_only=True):
    """An experiment in progress."""

    experiment: int
    start: str
    """The commit that it started from."""
    phase: Phase = "begun"
    mark: str = ""
    """Identifies the agent's processes."""
    spent: float = 0.0
    """Seconds of the budget that the agent has used, including earlier attempts."""
    ended: str = ""
    """End of the agent: exit, timeout, interrupted, an exit code, or the reason it could not start."""
    output_tail: str = ""
    """The end of the agent's output."""
    commit: str = ""
    outside: tuple[str, ...] = ()
    """Paths outside of the scope that the agent changed and that were restored."""
    description: str = ""
    notes: Mapping[str, str] = EMPTY
    """The agent's `reason:` and `next:` lines."""
    reworks: int = 0
    feedback: str = ""
    """Output of the failed guard, for the next attempt."""
    usage: Mapping[str, Any] = EMPTY
    began: float = 0.0
    """Unix time at which the agent was started."""
    limit: float = 0.0
    """Seconds after which the agent must be dead, with the time to end by itself; 0 if it was not started."""
    before: Mapping[str, Mapping[str, Any]] = EMPTY
    """Usage of the worktree's sessions at that time, by session id."""
    stopped: str = ""
    """Work that guards blocked, if no other work followed."""
    row: Mapping[str, Any] = EMPTY
    first: Mapping[str, Any] = EMPTY
    """The winning row at the original start, if the change was rebased onto a newer incumbent."""


def save(folder: str, step: ExperimentProgress) -> ExperimentProgress:
    durable_files.ensure_folder(folder)
    durable_files.write(os.path.join(folder, FILE), json.dumps(to_json(step)))
    return step


def to_json(step: ExperimentProgress) -> dict[str, Any]:
    values: dict[str, Any] = to_builtins(step)
    return values | {name: dict(values[name]) for name in ("notes", "usage", "before", "row", "first")}


def load(folder: str) -> ExperimentProgress | None:
    """Return the saved step, or None if no experiment is in progress."""
    text = durable_files.read_text(os.path.join(folder, FILE))
    if not text:
        return None
    try:
        return from_json(json.loads(text))
    except (ValueError, TypeError, AttributeError, RecursionError):  # not written by hookline
        return None


def running_steps(run: Run) -> Iterator[ExperimentProgress]:
    """Yield the steps of all workers."""
    folders = [run.folder]
    with suppress(OSError):
        folders += [run.worker_folder(name) for name in os.listdir(run.path(runs.WORKERS))]
    yield from filter(None, map(load, folders))


def from_json(values: Mapping[str, Any]) -> ExperimentProgress:
    fields = {*ExperimentProgress.__struct_fields__}
    values = {name: value for name, value in values.items() if name in fields}
    return ExperimentProgress(**{**values, "outside": tuple(values.get("outside", ()))})


def remove(folder: str) -> None:
    durable_files.remove(os.path.join(folder, FILE))
