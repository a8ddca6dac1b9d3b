"""The interface of an agent: a process that changes files in a worktree, then exits."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from hookline.core.frozen import EMPTY
from hookline.engine import agent_notes
from hookline.engine.journal import Row
from hookline.engine.target import Target


class Task(Struct, frozen=True, kw_only=True):
    """One experiment, as passed to an agent."""

    target: Target
    worktree: str
    experiment: int
    run: str
    instructions: str
    """The full prompt."""
    budget_end: float
    """Unix time."""
    rows: Sequence[Row]
    """The journal so far, baseline first."""
    state_dir: str
    """Folder of the run: logs, ideas, undo files."""
    before: str = ""
    """Text to put before the prompt when a session continues another one of the same experiment."""
    env: Mapping[str, str] = EMPTY
    """Environment of the agent's process, including the engine's variables."""


class Spawn(Struct, frozen=True, kw_only=True):
    """Command line and environment of an agent's process."""

    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    """The complete environment."""
    stdin: str | None = None
    """None: closed."""
    extract_text: Callable[[str], str] = str
    """Function that extracts the agent's own text from the end of its output."""
    describe: Callable[[str], str] = agent_notes.last_line
    """Function that summarises the end of the output in one line; commit messages take precedence."""


class Agent(Protocol):
    """Protocol of agents. Every agent is a process, so all are ended in the same way."""

    def command(self, task: Task) -> Spawn:
        """Return the command that starts the agent on *task*."""


SHELL = ("/bin/sh", "-c")


class CommandAgent:
    """Agent that runs the target's shell line with its extra arguments."""

    def command(self, task: Task) -> Spawn:
        agent = task.target.agent
        line = agent.command + (' "$@"' if agent.args else "")
        return Spawn(
            argv=(*SHELL, line, "agent", *agent.args), cwd=task.worktree, env={**task.env, **agent.env}
        )
