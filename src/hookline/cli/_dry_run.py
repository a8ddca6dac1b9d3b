"""Judge a payload like a call of the host, without a store, records or effects.

Each payload is an event of a new session. Observers do not run, because they only record.
"""

import os
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from hookline.cli._grant import open_grants
from hookline.core.events import Event
from hookline.core.hook import Hook
from hookline.core.host import Host, Reply, ReplyContext
from hookline.core.outcome import Outcome
from hookline.core.payload import decode
from hookline.core.store import Recorder
from hookline.core.values import replace
from hookline.runtime.runtime import Runtime
from hookline.runtime.setup import Setup, load_setup


class Judged(Struct, frozen=True, kw_only=True):
    """The outcome of one payload."""

    event: Event
    """The event as the host sent it."""
    outcome: Outcome
    """The outcome, reduced to what the host can express."""

    @property
    def reason(self) -> str:
        outcome = self.outcome
        text = next(
            (reason for reason in (outcome.blocked, outcome.asked, outcome.allowed) if reason is not None),
            None,
        )
        return text if text is not None else "\n".join(dict.fromkeys(self._changes()))

    def _changes(self) -> list[str]:
        return [step.reason for step in self.outcome.trail if step.action == "modify" and step.reason]

    @property
    def context(self) -> tuple[str, ...]:
        """Texts for the agent, delivered now or at the next moment that can carry them."""
        return (*self.outcome.context, *self.outcome.held_context)


class Judge:
    """The hooks of a project, run as one host would call them; must be closed."""

    def __init__(
        self,
        host: Host,
        cwd: str = "",
        only: Sequence[str] = (),
        without: Sequence[str] = (),
        wrap: Callable[[Hook], Hook] = lambda hook: hook,
    ) -> None:
        self.cwd = os.path.abspath(cwd or os.getcwd())
        if not os.path.isdir(self.cwd):
            raise NotADirectoryError(20, "not a folder", self.cwd)
        self.setup = load_setup(dict(os.environ), self.cwd, host)
        self.hooks = _select_hooks(self.setup, only, without)
        self._quiet_setup = _quiet_setup(self.setup, self.hooks, wrap)
        self.grants = open_grants(self.setup.places)
        """The project's grants; this judge runs all guards nevertheless, and uses no grant up."""
        self._answers: list[ReplyContext] = []
        self._host = replace(host, encode=self._capture)

    def judge(self, payload: Any, home: str = "") -> Judged | None:
        """Judge a payload; return None for an unsupported event, and raise `Unreadable`.

        *home* is the folder that `~` means in the payload, if not this user's.
        """
        decoded = decode(self._host, payload)
        if decoded is None:
            return None
        name, event = decoded
        event = event if event.cwd else replace(event, cwd=self.cwd)
        places = self._quiet_setup.places
        runtime = Runtime(setup=replace(self._quiet_setup, places=replace(places, home=home or places.home)))
        runtime.grants = replace(self.grants, kinds=("path",))
        runtime.recorder = Recorder(record=lambda record: None)
        runtime.store.begin_session(event.session, host=event.host, cwd=event.cwd, at=runtime.now())
        runtime.answer(self._host, name, event)
        return Judged(event=event, outcome=self._answers.pop().outcome)

    def still_on(self, judged: Judged) -> list[Hook]:
        """Return the hooks that may stop something while the built-in guards are switched off."""
        policies = [hook for hook in self.hooks if hook.enabled and hook.nature == "policy"]
        return [hook for hook in policies if hook.source != "built-in" and hook.listens(judged.event)]

    def _capture(self, answer: ReplyContext) -> Reply:
        self._answers.append(answer)
        return Reply()

    def close(self) -> None:
        self.setup.resources.close()


def _select_hooks(setup: Setup, only: Sequence[str], without: Sequence[str]) -> tuple[Hook, ...]:
    """Return the hooks that would run; raise `LookupError` for an unknown name."""
    runtime = Runtime(setup=setup)
    runtime.limit_to(only, without)
    return tuple(runtime.hooks)


def _quiet_setup(setup: Setup, hooks: Sequence[Hook], wrap: Callable[[Hook], Hook]) -> Setup:
    """Return the setup without observers, and without the problems that a session reports at its start."""
    judging = tuple(wrap(hook) for hook in hooks if hook.enabled and not hook.observer)
    return replace(setup, config=replace(setup.config, hooks=judging, problems=(), waiting=()))
