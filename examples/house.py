"""What the examples share: two tools, the rules of the house, and how a turn is shown.

The hooks below are this program's own; `Runtime.load()` has the built-in guards and all that you configured.
"""

import asyncio
import subprocess
import sys

from hookline import PreToolUse, Response, SessionStart, State, hook, inject, modify
from hookline.loop import Agent, Calling, Done, Failed, Model, Piece, Tool, TurnItem, Warned, tool
from hookline.runtime.runtime import Runtime


def sh(command: str) -> str:
    """Run a shell command in the project's folder, and see what it prints."""
    ran = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    if ran.returncode:
        raise Failed(f"exit code {ran.returncode}\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def read(path: str) -> str:
    """Read a file."""
    with open(path, encoding="utf-8") as file:
        return file.read()


TOOLS: list[Tool] = [tool(sh, kind="shell"), tool(read, kind="read")]


@hook()
def house_rules(event: SessionStart, state: State) -> Response:
    """What every session of this agent should know."""
    return inject("House rules: commits are small, and nothing is deployed on a Friday.")


@hook()
def only_rehearse(event: PreToolUse, state: State) -> Response | None:
    """A deployment is only rehearsed."""
    command = event.command or ""
    if not command.startswith("make deploy"):
        return None
    rehearsed = command.replace("make", "make --dry-run", 1)
    return modify(input={**event.input, "command": rehearsed}, reason="deployments are only rehearsed")


def main(model: Model) -> int:
    """One turn with the prompt of the command line; what happens is shown as it happens."""
    return asyncio.run(_turn(model, " ".join(sys.argv[1:]) or "What is in this folder?"))


async def _turn(model: Model, prompt: str) -> int:
    runtime = Runtime.load()
    runtime.register(house_rules)
    runtime.register(only_rehearse)
    agent = Agent(model, TOOLS, system="You are a careful engineer.", name="example", runtime=runtime)
    async with agent:
        done = await agent.run(prompt, show)
    runtime.close()
    return 0 if done.ended == "done" else 1


def show(told: TurnItem) -> None:
    if isinstance(told, Piece):
        print(told.text, end="", flush=True)
    elif isinstance(told, Calling):
        print(f"\n> {told.call.tool} {dict(told.call.input)}")
    elif isinstance(told, Warned):
        print(f"\n! {told.text}", file=sys.stderr)
    elif isinstance(told, Done):
        print(f"\n{told.ended}" if told.ended == "done" else f"\n{told.ended}: {told.reason}")
