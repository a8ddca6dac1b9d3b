"""The agent `tuner`: the embedded one, as a process like any other."""

import os
import sys
from importlib.util import find_spec

from hookline.core.extras import missing
from hookline.engine.agents.agent import Spawn, Task
from hookline.engine.git.repository import Repository
from hookline.engine.journal import TWIN
from hookline.engine.scope import inside
from hookline.engine.target import Scope

NEEDS = "optuna"


def choose() -> "TunerAgent":
    """Raises `ValueError` where what it needs is not installed: the first experiment could do without."""
    if find_spec(NEEDS) is None:
        raise ValueError(missing("engine", "the agent 'tuner'"))
    return TunerAgent()


def check(scope: Scope, repository: Repository, base: str) -> None:
    """Raise `ValueError` where nothing is marked in the commit *base*: every experiment would say so."""
    told = repository.git.attempt("grep", "-I", "-i", "-l", "-z", "-e", "tune:", base).stdout
    paths = [path.removeprefix(f"{base}:") for path in told.split("\0") if path]
    if not any(map(inside(scope), paths)):
        raise ValueError(
            "no value is marked in the committed files of scope.mutable, and the tuner changes nothing else; "
            "write `# tune: 1..100` behind one, and commit that"
        )


class TunerAgent:
    """Changes marked values, in a process of its own."""

    def command(self, task: Task) -> Spawn:
        scope, agent = task.target.scope, task.target.agent
        words = {
            "--worktree": task.worktree,
            "--journal": os.path.join(task.state_dir, TWIN),
            "--direction": task.target.metric.direction,
            "--experiment": str(task.experiment),
            "--run": task.run,
        }
        argv = [sys.executable, "-m", "hookline.engine.tuner"]
        argv += [f"{name}={value}" for name, value in words.items()]
        argv += [f"--mutable={glob}" for glob in scope.mutable]
        argv += [f"--immutable={glob}" for glob in scope.immutable]
        return Spawn(argv=(*argv, *agent.args), cwd=task.worktree, env={**task.env, **agent.env})
