"""Effects of responses, collected without secrets and run after the reply is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hookline.core.audit import redact_effect
from hookline.core.events import Event
from hookline.core.outcome import Outcome
from hookline.core.response import (
    Effect,
    Enrich,
    ErrorSeen,
    HandOver,
    Learn,
    Mirror,
    Notify,
    Post,
    RecordEvent,
)
from hookline.core.state import TEST_SESSION_PREFIX
from hookline.core.store import Attempt, Store
from hookline.handoff import handoffs
from hookline.memory.known_errors import store_errors
from hookline.memory.learn import learn_from_transcripts
from hookline.redact import redact, redact_json
from hookline.runtime import memory_helper
from hookline.system import notify, state_file, webhook
from hookline.system.paths import Places


class Effects:
    """Pending effects, each with its event."""

    def __init__(self) -> None:
        self._pending: list[tuple[Effect, Event]] = []

    def add(self, outcome: Outcome, *, shown: bool = False) -> None:
        """Collect the effects of an outcome; without notices if the host's reply has *shown* them."""
        if outcome.event.session.startswith(TEST_SESSION_PREFIX):
            return
        effects = [effect for effect in outcome.effects if not isinstance(effect, RecordEvent)]
        self._pending += [
            (redact_effect(effect), outcome.event)
            for effect in effects
            if not (shown and isinstance(effect, Notify))
        ]

    def take_notices(self) -> tuple[Notify, ...]:
        """Remove and return the notices for the caller's terminal."""
        notices = tuple(effect for effect, _ in self._pending if isinstance(effect, Notify))
        self._pending = [item for item in self._pending if not isinstance(item[0], Notify)]
        return notices

    def take_learning(self) -> list[ErrorSeen | Learn]:
        """Remove and return the effects from which memories and known errors are learnt."""
        effects = [effect for effect, _ in self._pending if isinstance(effect, ErrorSeen | Learn)]
        self._pending = [item for item in self._pending if not isinstance(item[0], ErrorSeen | Learn)]
        return effects

    def run(self, places: Places, env: Mapping[str, str]) -> tuple[str, ...]:
        """Run the remaining effects; return the problems as sentences."""
        pending, self._pending = self._pending, []
        problems = [(_run_effect(effect, event, places, env)) for effect, event in pending]
        return tuple(problem for problem in problems if problem)


def store_at_once(outcome: Outcome, store: Store, places: Places, now: float, attempt: Attempt) -> None:
    """Store everything that the next event needs, before the reply is written."""
    session = outcome.event.session
    if outcome.memory:
        attempt(lambda: store.set_notes(session, redact_json(outcome.memory)), default=None)
    if outcome.held_context:
        attempt(
            lambda: store.hold_context(session, [redact(text) for text in outcome.held_context]), default=None
        )
    if any(isinstance(effect, HandOver) for effect in outcome.effects):
        attempt(lambda: handoffs.store_handoffs(outcome, store, places, now), default=None)


def _run_effect(effect: Effect, event: Event, places: Places, env: Mapping[str, str]) -> str:
    if isinstance(effect, Notify):
        return "".join(notify.show([effect]))
    if isinstance(effect, Mirror):
        return state_file.write_or_remove(effect, env)
    if isinstance(effect, Post):
        return webhook.post(effect, event, places, env)
    if isinstance(effect, Enrich):
        return memory_helper.start(effect, event, places, env)
    return ""


def learn_all(effects: Sequence[ErrorSeen | Learn], store: Store, places: Places, at: float) -> None:
    """Store the errors, and learn from the transcripts."""
    errors = [effect for effect in effects if isinstance(effect, ErrorSeen)]
    if errors:
        store_errors(store, errors, places.root, at)
    requests = [effect for effect in effects if isinstance(effect, Learn)]
    if requests:
        learn_from_transcripts(requests, store, places, at)
