"""An agent with a scripted model and a scripted hook, for tests of turns."""

import asyncio

from hookline import OnBudgetExceeded, hook
from hookline.core.events import Event
from hookline.loop import Agent, Answer, Failed, Tool, ToolCall
from hookline.runtime.runtime import Runtime


def calls(*names, **given):
    """Return an answer that calls all these tools at once."""
    wanted = (ToolCall(id=f"c{place}", tool=name, input=given) for place, name in enumerate(names))
    return Answer(calls=tuple(wanted))


def says(text, **usage):
    return Answer(text=text, usage=usage)


def named(event):
    tool = getattr(event, "tool", "")
    helper = f" of {event.subagent.type}" if event.subagent else ""
    return f"{event.name}{f' {tool}' if tool else ''}{helper}"


class Played:
    """An agent whose model returns *answers* in order, with a hook that responds according to *script*.

    *script* maps the name of an event to the responses for its first occurrence, its second, and so on.
    """

    def __init__(self, answers=(), script=None, tools=(), **values):
        self.answers, self.script = list(answers), {name: list(said) for name, said in (script or {}).items()}
        self.events, self.told, self.requests = [], [], []
        self.runtime = Runtime()
        self.runtime.register(self._hook())
        usual = [Tool(name="look", run=lambda: "seen"), Tool(name="fail", run=_fail)]
        self.agent = Agent(self.model, [*usual, *tools], runtime=self.runtime, **values)

    def _hook(self):
        @hook(name="scripted")
        def scripted(event: Event | OnBudgetExceeded, state):
            self.events.append(event)
            said = self.script.get(event.name) or [None]
            return said.pop(0) if self.script.get(event.name) else None

        return scripted

    def model(self, request):
        self.requests.append(request)
        answer = self.answers.pop(0) if self.answers else says("(over)")
        if isinstance(answer, Exception):
            raise answer
        return answer

    def run(self, *prompts):
        """Run a session with one turn per prompt, and return the result of each turn."""

        async def session():
            async with self.agent:
                return [await self.agent.run(prompt, self.told.append) for prompt in prompts]

        return asyncio.run(session())

    @property
    def order(self):
        return [named(event) for event in self.events]

    def one(self, name):
        (found,) = [event for event in self.events if event.name == name]
        return found

    @property
    def read(self):
        """The role and text of each message in the last request."""
        return [(message["role"], message["text"]) for message in self.requests[-1].messages]

    @property
    def warned(self):
        return [told.text for told in self.told if type(told).__name__ == "Warned"]


def _fail():
    raise Failed("no such file")
