"""Session of the loop: fires events, passes warnings on to the watcher, and holds context for the model."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from hookline.core.chain import truncate_texts
from hookline.core.events import Event, PreModelCall
from hookline.core.outcome import Outcome
from hookline.loop.messages import TurnItem, Warned
from hookline.runtime.runtime import Runtime
from hookline.system.process import identity

LateCallback = Callable[[Outcome], Awaitable[None]]


def ignore(item: TurnItem) -> None:
    """Ignore the item: the default watcher of a turn."""


class Session:
    """The session of an agent, or of a subagent within it."""

    def __init__(self, runtime: Runtime, **common: Any) -> None:
        self.runtime = runtime
        self.common = common
        """Fields that all events of the session have in common."""
        self.turn = 0
        self.report: Callable[[TurnItem], Any] = ignore
        self.waiting: list[str] = []
        """Context for the next request to the model."""

    @property
    def id(self) -> str:
        return str(self.common["session"])

    @property
    def is_subagent(self) -> bool:
        return self.common["subagent"] is not None

    def warn(self, text: str) -> None:
        self.report(Warned(text=text))

    async def fire(self, moment: type[Event], too_late: LateCallback | None = None, **values: Any) -> Outcome:
        """Fire an event and pass its warnings on to the watcher.

        If the turn is aborted meanwhile, the hooks still run to their end, and *too_late* gets the outcome.
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

    async def register(self) -> None:
        """Register the session and its process in the store."""
        await asyncio.to_thread(self.runtime.begin, Event(**self.common), identity.describe_process())

    async def find_exceeded_budgets(self) -> Mapping[str, float]:
        """Return the exceeded budgets with their percentages; a subagent has none of its own."""
        event = PreModelCall(**self.common)
        return {} if self.is_subagent else await asyncio.to_thread(self.runtime.find_exceeded_budgets, event)

    async def fire_deferred(self, moment: type[Event], **values: Any) -> Outcome:
        """Fire an event at which the model does not read, and hold its context for the next request."""
        outcome = await self.fire(moment, **values)
        self.waiting += outcome.context
        return outcome

    async def settle(self) -> None:
        """Do the work that can wait until the turn is over."""
        for notice in self.runtime.effects.take_notices():
            self.warn(f"{notice.title}: {notice.text}")
        if not self.is_subagent:
            await asyncio.to_thread(self.runtime.run_deferred_work)


def changed_value(outcome: Outcome) -> Any:
    """Return the changeable field of an event, as hooks left it."""
    return getattr(outcome.event, outcome.event.changeable_field)


CONTEXT_HEADER = "[Session context]"
MAX_HOOK_LENGTH = 4_096
"""Characters that one hook may add to the system prompt."""


def format_session_context(outcome: Outcome) -> str:
    """Return the context for the system prompt, with each hook's part truncated; empty if there is none."""
    if not outcome.context:
        return ""
    parts = [step.injected for step in outcome.trail if step.injected]
    # A hook may have replaced the context of earlier hooks: skip those whose text is no longer there.
    first = next((index for index, texts in enumerate(parts) if texts[0].startswith(outcome.context[0])), 0)
    texts = [text for part in parts[first:] for text in truncate_texts(part, MAX_HOOK_LENGTH)]
    return "\n".join((CONTEXT_HEADER, *dict.fromkeys(texts)))
