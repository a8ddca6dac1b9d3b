"""What an experiment works with."""

from collections.abc import Callable, Mapping

from msgspec import Struct

from hookline.core.store import Store
from hookline.engine.agents.agent import Agent
from hookline.engine.git.worktree import Worktree
from hookline.engine.measure_pool import Bench
from hookline.engine.runs import Run
from hookline.engine.scope import Inside
from hookline.engine.target import Target
from hookline.engine.usage import Used
from hookline.engine.watcher import Watcher
from hookline.system.process import unattended


class Work(Struct, frozen=True, kw_only=True):
    """All that an experiment needs, the same for every experiment of a worker."""

    run: Run
    target: Target
    tree: Worktree
    bench: Bench
    agent: Agent
    inside: Inside
    env: Mapping[str, str]
    """What the agent's process gets."""
    watcher: Watcher
    wire: Callable[[str], None] = lambda start: None
    """Have the agent's host call hookline, in what began at that commit; only called where no wiring is."""
    unwire: Callable[[], None] = lambda: None
    """Take that out again, exactly; does nothing where nothing is wired."""
    hosted: bool = False
    """Whether the agent is a host, which calls hookline."""
    used: Callable[[float], Mapping[str, Used]] = lambda since: {}
    """What the sessions of the worktree that were heard of since then spent so far, by their names."""
    stopped: Callable[[float, float], str] = lambda since, until: ""
    """What guards stopped in the worktree between two times, where nothing came after it."""
    until: float = float("inf")
    """When the run has to end, in Unix seconds."""
    store: Store | None = None
    """What hooks say of the agent's sessions; None where there is no store to be had."""
    worker: str = ""
    """Which of several; empty where there is one alone."""
    ladder: unattended.Ladder = unattended.LADDER

    @property
    def place(self) -> str:
        """The folder that notes how far the experiment has come."""
        return self.run.of(self.worker)
