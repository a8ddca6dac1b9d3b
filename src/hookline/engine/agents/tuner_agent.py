"""The agent `tuner`: the embedded agent, run as a process of its own."""

import os
from importlib.util import find_spec

from hookline.core.install_commands import describe_missing
from hookline.engine.agents.agent import Spawn, Task
from hookline.engine.git.repository import Repository
from hookline.engine.journal import JSONL
from hookline.engine.scope import compile_scope
from hookline.engine.target import Scope
from hookline.engine.tuner.tunable_values import find_marks
from hookline.system.own_command import module_command

PACKAGE = "optuna"


def choose() -> "TunerAgent":
    """Return the agent; raise `ValueError` if Optuna is not installed.

    The check is made at the start, because only later experiments need Optuna.
    """
    if find_spec(PACKAGE) is None:
        raise ValueError(describe_missing("engine", "the agent 'tuner'"))
    return TunerAgent()


def check(scope: Scope, repository: Repository, base: str) -> None:
    """Raise `ValueError` if no file of the scope has a mark in the commit *base*, or a mark is invalid."""
    output = repository.git.attempt("grep", "-I", "-i", "-l", "-z", "-e", "tune:", base).stdout
    paths = [path.removeprefix(f"{base}:") for path in output.split("\0") if path]
    paths = list(filter(compile_scope(scope), paths))
    find_marks({path: repository.git("cat-file", "blob", f"{base}:{path}") for path in paths})
    if not paths:
        raise ValueError(
            "no committed file of scope.mutable has a marked value for the tuner to change; "
            "add a comment such as `# tune: 1..100` after a value, and commit it"
        )


class TunerAgent:
    """Agent that changes marked values."""

    def command(self, task: Task) -> Spawn:
        scope, agent = task.target.scope, task.target.agent
        options = {
            "--worktree": task.worktree,
            "--journal": os.path.join(task.state_dir, JSONL),
            "--direction": task.target.metric.direction,
            "--experiment": str(task.experiment),
            "--run": task.run,
        }
        argv = [*module_command("hookline.engine.tuner")]
        argv += [f"{name}={value}" for name, value in options.items()]
        argv += [f"--mutable={glob}" for glob in scope.mutable]
        argv += [f"--immutable={glob}" for glob in scope.immutable]
        return Spawn(argv=(*argv, *agent.args), cwd=task.worktree, env={**task.env, **agent.env})
