"""The agent `command`: any program that changes files and then ends."""

from hookline.engine.agent import Spawn, Task

SHELL = ("/bin/sh", "-c")


class CommandAgent:
    """The shell line of the target, with its further arguments."""

    def command(self, task: Task) -> Spawn:
        agent = task.target.agent
        line = agent.command + (' "$@"' if agent.args else "")
        return Spawn(
            argv=(*SHELL, line, "agent", *agent.args), cwd=task.worktree, env={**task.env, **agent.env}
        )
