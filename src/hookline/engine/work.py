"""The parts that an experiment works with."""

import time
from collections.abc import Callable, Mapping

from msgspec import Struct

from hookline.core.frozen import EMPTY
from hookline.core.store import Store
from hookline.core.values import replace
from hookline.engine.agents.agent import Agent
from hookline.engine.git.worktree import Worktree
from hookline.engine.measure_pool import MeasuringCheckouts
from hookline.engine.runs import Run
from hookline.engine.scope import PathFilter
from hookline.engine.target import Target
from hookline.engine.usage import SessionUsage
from hookline.engine.watcher import Watcher
from hookline.system.process import unattended


class Work(Struct, frozen=True, kw_only=True):
    """Everything an experiment needs; the same for every experiment of a worker."""

    run: Run
    target: Target
    tree: Worktree
    bench: MeasuringCheckouts
    agent: Agent
    in_scope: PathFilter
    """Filter of the paths that the agent may change."""
    env: Mapping[str, str]
    """Environment of the agent's process."""
    watcher: Watcher
    install_hooks: Callable[[str], None] = lambda start: None
    """Install hookline's hooks for the agent's host in the worktree, given the start commit.

    Called only when they are not installed.
    """
    remove_hooks: Callable[[], None] = lambda: None
    """Remove exactly those hooks; does nothing if none are installed."""
    hosted: bool = False
    """True if the agent is a host, which calls hookline's hooks."""
    read_usage: Callable[[float], Mapping[str, SessionUsage]] = lambda since: {}
    """Return the usage of the worktree's sessions active since a Unix time, by session id."""
    find_blocked_work: Callable[[float, float], str] = lambda since, until: ""
    """Return the agent's work that guards blocked between two Unix times, if no other work followed."""
    until: float = float("inf")
    """Time of the monotonic clock at which the run must end; the wall clock may jump."""
    allowance: Mapping[str, float] = EMPTY
    """Tokens and cost that an experiment may use, as far as they are limited."""
    store: Store | None = None
    """Store with the events of the agent's sessions; None if it cannot be opened."""
    worker: str = ""
    """Name of the worker; empty if there is only one."""
    ladder: unattended.Ladder = unattended.END_SIGNALS

    def limited(self, seconds: float) -> "Work":
        """Return the work with a deadline for agent, guard and metric."""
        until = time.monotonic() + seconds
        return replace(self, until=until, bench=replace(self.bench, until=until))

    def with_variables(self, variables: Mapping[str, str]) -> "Work":
        """Return the work with further variables for agent, guard and metric."""
        return replace(self, env={**self.env, **variables}, bench=self.bench.with_variables(variables))

    @property
    def state_folder(self) -> str:
        """Folder with the progress file of the experiment."""
        return self.run.worker_folder(self.worker)
