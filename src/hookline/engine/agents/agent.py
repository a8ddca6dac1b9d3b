"""The interface of an agent: a process that changes files in a worktree, then exits."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from hookline.core.frozen import NOTHING
from hookline.engine import agent_notes
from hookline.engine.journal import Row
from hookline.engine.target import Target


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
    describe: Callable[[str], str] = agent_notes.last_line
    """What it did, in a line, from the end of what it printed; where it made commits, their words count."""


class Agent(Protocol):
    """Every agent is a process, so that one way of ending it serves all."""

    def command(self, task: Task) -> Spawn:
        """How to start it on *task*."""


SHELL = ("/bin/sh", "-c")


class CommandAgent:
    """The shell line of the target, with its further arguments."""

    def command(self, task: Task) -> Spawn:
        agent = task.target.agent
        line = agent.command + (' "$@"' if agent.args else "")
        return Spawn(
            argv=(*SHELL, line, "agent", *agent.args), cwd=task.worktree, env={**task.env, **agent.env}
        )
