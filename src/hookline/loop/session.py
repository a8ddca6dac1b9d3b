"""Session of the loop: fires events, passes warnings on to the watcher, and holds context for the model."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from hookline.core.chain import cut
from hookline.core.events import Event, PreModelCall
from hookline.core.outcome import Outcome
from hookline.loop.messages import Told, Warned
from hookline.runtime.runtime import Runtime
from hookline.system.process import identity

Late = Callable[[Outcome], Awaitable[None]]


def nobody(told: Told) -> None:
    """Who is told when nobody watches."""


class Session:
    """One agent's life, or one helper's within it."""

    def __init__(self, runtime: Runtime, **common: Any) -> None:
        self.runtime = runtime
        self.common = common
        """What every event of it says."""
        self.turn = 0
        self.tell: Callable[[Told], Any] = nobody
        self.waiting: list[str] = []
        """Context for the next moment at which the model reads."""

    @property
    def id(self) -> str:
        return str(self.common["session"])

    @property
    def helps(self) -> bool:
        return self.common["subagent"] is not None

    def warn(self, text: str) -> None:
        self.tell(Warned(text=text))

    async def fire(self, moment: type[Event], too_late: Late | None = None, **values: Any) -> Outcome:
        """Have an event judged, and tell the user the warnings.

        Where the turn is aborted meanwhile it is judged to its end, and *too_late* has the outcome.
        """
        event = moment(**self.common, turn=str(self.turn or ""), **values)
        judging = asyncio.ensure_future(self.runtime.fire(event))
        try:
            outcome = await asyncio.shield(judging)
        except asyncio.CancelledError:
            outcome = await judging
            if too_late is not None:
                await too_late(outcome)
            raise
        for warning in outcome.warnings:
            self.warn(warning)
        return outcome

    async def introduce(self) -> None:
        """The store knows of the session from then on, and of the process that it is in."""
        await asyncio.to_thread(self.runtime.begin, Event(**self.common), identity.mark())

    async def spent(self) -> Mapping[str, float]:
        """Which budgets have something to say; a helper's are its session's."""
        here = PreModelCall(**self.common)
        return {} if self.helps else await asyncio.to_thread(self.runtime.spent, here)

    async def mention(self, moment: type[Event], **values: Any) -> Outcome:
        """Fire where the model does not read at once: what it is given waits."""
        outcome = await self.fire(moment, **values)
        self.waiting += outcome.context
        return outcome

    async def settle(self) -> None:
        """What can wait until the turn is over."""
        for notice in self.runtime.wanted.notices():
            self.warn(f"{notice.title}: {notice.text}")
        if not self.helps:
            await asyncio.to_thread(self.runtime.settle)


def stands(outcome: Outcome) -> Any:
    """What hooks may change of an event, as they let it stand."""
    return getattr(outcome.event, outcome.event.changes)


HEADER = "[Session context]"
EACH = 4_096
"""Characters that one hook may add to a system prompt."""


def session_context(began: Outcome) -> str:
    """The part, empty where no hook said anything; what of one hook is too long is cut aloud."""
    if not began.context:
        return ""
    told = [step.told for step in began.trail if step.told]
    # A hook may have replaced what those before it said: the first text that stands is the first that counts.
    first = next((place for place, texts in enumerate(told) if texts[0].startswith(began.context[0])), 0)
    texts = [text for one in told[first:] for text in cut(one, EACH)]
    return "\n".join((HEADER, *dict.fromkeys(texts)))
