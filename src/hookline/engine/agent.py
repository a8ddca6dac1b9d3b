"""What an agent of the engine is: a process that changes files in a worktree, and then ends."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from hookline.engine import said
from hookline.engine.journal import Row
from hookline.engine.target import Target
from hookline.frozen import NOTHING

RUN = "HOOKLINE_RUN"
"""The variable that says that a session is the engine's: run, experiment and journal, with `:` between."""
BUDGET_END = "AUTORESEARCH_BUDGET_END"
JOURNAL = "AUTORESEARCH_JOURNAL"
INSTRUCTIONS = "AUTORESEARCH_INSTRUCTIONS"
"""A file that says all that the agent should know."""
IDEAS = "AUTORESEARCH_IDEAS"


class Task(Struct, frozen=True, kw_only=True):
    """One experiment, as an agent gets it."""

    target: Target
    worktree: str
    experiment: int
    run: str
    instructions: str
    """All that the agent should know, for its prompt."""
    budget_end: float
    """Unix seconds."""
    rows: Sequence[Row]
    """The journal so far, the baseline first."""
    state_dir: str
    """The run's folder: logs, ideas, undo files."""
    before: str = ""
    """Of a session that goes on from another one of this experiment: what it is told before all else."""
    env: Mapping[str, str] = NOTHING
    """What the agent's process gets besides its own; the engine's variables included."""


class Spawn(Struct, frozen=True, kw_only=True):
    """How an agent's process is started."""

    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    """The whole environment."""
    stdin: str | None = None
    """None: closed."""
    says: Callable[[str], str] = str
    """Its own words, from the end of what it printed."""
    describe: Callable[[str], str] = said.last_line
    """What it did, in a line, from the end of what it printed; where it made commits, their words count."""


class Agent(Protocol):
    """Every agent is a process, so that one way of ending it serves all."""

    def command(self, task: Task) -> Spawn:
        """How to start it on *task*."""
