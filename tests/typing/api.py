"""User code that must type-check, as a hook's author would write it."""

from collections.abc import AsyncIterator

from hookline import (
    Notify,
    Outcome,
    PostToolUse,
    PreToolUse,
    Response,
    State,
    block,
    effect,
    hook,
    inject,
    modify,
    warn,
)
from hookline.loop import Agent, Answer, Done, Piece, Question, Request, ToolCall, tool
from hookline.runtime.runtime import Runtime


@hook(priority=20)
def no_production(event: PreToolUse, state: State, *, names: tuple[str, ...] = ("prod",)) -> Response | None:
    """Keep the agent off production."""
    if event.command and any(name in event.command for name in names):
        return block("production is off limits; use staging", rule="production")
    return modify(input={**event.input, "command": event.command}) if event.command else None


@hook(nature="advice")
def tells(event: PreToolUse | PostToolUse, state: State) -> Response:
    return inject(f"on {state.branch}").plus(warn("mind")).plus(effect(Notify(title="t", text="x")))


async def program() -> str | None:
    runtime = Runtime()
    runtime.register(no_production)
    runtime.register(tells)
    outcome: Outcome = await runtime.fire(PreToolUse(tool="Bash", input={"command": "deploy prod"}))
    return outcome.blocked


async def model(request: Request) -> AsyncIterator[str | Answer]:
    yield request.messages[-1]["text"]
    yield Answer(calls=(ToolCall(id="1", tool="sh", input={"command": "ls"}),), usage={"input_tokens": 1})


async def sh(command: str) -> str:
    """Run a command."""
    return command


def yes(question: Question) -> bool:
    return question.tool == "sh"


async def builder() -> str:
    async with Agent(model, [sh, tool(sh, name="shell", kind="shell")], ask=yes, runtime=Runtime()) as agent:
        agent.helper("research", "Find out.", tools=[sh])
        async for told in agent.stream("hello"):
            if isinstance(told, Piece):
                return told.text
        done: Done = await agent.run("bye", print)
        return done.reason or done.ended
