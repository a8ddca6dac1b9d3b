"""Judge a payload as the host's own call would be, with nothing kept: no store, no record, no effect.

Every payload is a moment in the middle of a session that nobody has seen before and in which nothing has
happened yet. Observers are left out: they can change nothing, and exist to record.
"""

import os
import time
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from hookline.core.events import Event
from hookline.core.hook import Hook
from hookline.core.host import Host, Reply, Said
from hookline.core.outcome import Outcome
from hookline.core.payload import decode
from hookline.core.store import Recorder
from hookline.core.values import replace
from hookline.runtime.apply_grants import Passes
from hookline.runtime.runtime import Runtime
from hookline.runtime.setup import Setup, load


class Judged(Struct, frozen=True, kw_only=True):
    """What a host would be told about one payload."""

    event: Event
    """As the host sent it."""
    outcome: Outcome
    """As the host can express it."""

    @property
    def reason(self) -> str:
        outcome = self.outcome
        told = next((r for r in (outcome.blocked, outcome.asked, outcome.allowed) if r is not None), None)
        return told if told is not None else "\n".join(dict.fromkeys(self._changes()))

    def _changes(self) -> list[str]:
        return [step.reason for step in self.outcome.trail if step.said == "modify" and step.reason]

    @property
    def context(self) -> tuple[str, ...]:
        """What the agent is told, now or at the next moment that can take it."""
        return (*self.outcome.context, *self.outcome.kept)


class Judge:
    """The hooks of a project, as they would answer one host; must be closed."""

    def __init__(
        self,
        host: Host,
        cwd: str = "",
        only: Sequence[str] = (),
        without: Sequence[str] = (),
        watched: Callable[[Hook], Hook] = lambda hook: hook,
    ) -> None:
        self.cwd = os.path.abspath(cwd or os.getcwd())
        if not os.path.isdir(self.cwd):
            raise NotADirectoryError(20, "is no folder", self.cwd)
        self.setup = load(dict(os.environ), self.cwd, host)
        self.hooks = _chosen(self.setup, only, without)
        self._quiet = _quiet(self.setup, self.hooks, watched)
        self._said: list[Said] = []
        self._host = replace(host, encode=self._listen)

    def judge(self, payload: Any) -> Judged | None:
        """None for a moment that is none of ours; raises `Unreadable`."""
        found = decode(self._host, payload)
        if found is None:
            return None
        name, event = found
        event = event if event.cwd else replace(event, cwd=self.cwd)
        runtime = Runtime(setup=self._quiet)
        runtime.recorder = Recorder(keep=lambda record: None)
        runtime.store.begin(event.session, host=event.host, cwd=event.cwd, at=runtime.now())
        runtime.answer(self._host, name, event)
        return Judged(event=event, outcome=self._said.pop().outcome)

    def off_until(self) -> float | None:
        """Until when a person switched the guards off; they are asked here all the same."""
        places = self.setup.places
        return Passes(file=places.passes, root=places.root, now=time.time).off_until()

    def still_on(self, judged: Judged) -> list[Hook]:
        """The hooks that look and may stop something while the guards are switched off."""
        on = [hook for hook in self.hooks if hook.enabled and hook.nature == "policy"]
        return [hook for hook in on if hook.source != "built-in" and hook.listens(judged.event)]

    def _listen(self, said: Said) -> Reply:
        self._said.append(said)
        return Reply()

    def close(self) -> None:
        self.setup.kept.close()


def _chosen(setup: Setup, only: Sequence[str], without: Sequence[str]) -> tuple[Hook, ...]:
    """The hooks that would look; raises `LookupError` for a name that there is not."""
    runtime = Runtime(setup=setup)
    runtime.limit_to(only, without)
    return tuple(runtime.hooks)


def _quiet(setup: Setup, hooks: Sequence[Hook], watched: Callable[[Hook], Hook]) -> Setup:
    """The setup without what belongs to a session's start and to the record: said once, not at every line."""
    judging = tuple(watched(hook) for hook in hooks if hook.enabled and not hook.observer)
    return replace(setup, settled=replace(setup.settled, hooks=judging, problems=(), waiting=()))
