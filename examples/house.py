"""Shared parts of the examples: two tools, two hooks, and the display of a turn.

The hooks here belong to this program. `Runtime.load()` adds the built-in guards and the configured hooks.
"""

import asyncio
import subprocess
import sys

from hookline import PreToolUse, Response, SessionStart, State, hook, inject, modify
from hookline.loop import Agent, Calling, Done, Failed, Model, Piece, Tool, TurnItem, Warned, tool
from hookline.runtime.runtime import Runtime


def sh(command: str) -> str:
    """Run a shell command in the project's folder, and return its output."""
    process = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    if process.returncode:
        raise Failed(f"exit code {process.returncode}\n{process.stdout}{process.stderr}")
    return process.stdout


def read(path: str) -> str:
    """Read a file."""
    with open(path, encoding="utf-8") as file:
        return file.read()


TOOLS: list[Tool] = [tool(sh, kind="shell"), tool(read, kind="read")]


@hook()
def house_rules(event: SessionStart, state: State) -> Response:
    """Add the house rules to the context of every session."""
    return inject("House rules: commits are small, and nothing is deployed on a Friday.")


@hook()
def only_rehearse(event: PreToolUse, state: State) -> Response | None:
    """Replace a deployment by a dry run."""
    command = event.command or ""
    if not command.startswith("make deploy"):
        return None
    dry_run = command.replace("make", "make --dry-run", 1)
    return modify(input={**event.input, "command": dry_run}, reason="deployments are dry runs here")


def main(model: Model) -> int:
    """Run one turn with the prompt of the command line, and show it live."""
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


def show(item: TurnItem) -> None:
    if isinstance(item, Piece):
        print(item.text, end="", flush=True)
    elif isinstance(item, Calling):
        print(f"\n> {item.call.tool} {dict(item.call.input)}")
    elif isinstance(item, Warned):
        print(f"\n! {item.text}", file=sys.stderr)
    elif isinstance(item, Done):
        print(f"\n{item.ended}" if item.ended == "done" else f"\n{item.ended}: {item.reason}")
