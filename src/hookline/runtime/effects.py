"""Effects of responses, collected without secrets and run after the reply is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hookline.core.audit import quiet
from hookline.core.events import Event
from hookline.core.outcome import Outcome
from hookline.core.response import Effect, Enrich, ErrorSeen, HandOver, Keep, Learn, Mirror, Notify, Post
from hookline.core.state import TRIAL
from hookline.core.store import Store
from hookline.handoff import handoffs
from hookline.memory.known_errors import learn
from hookline.memory.learn import Attempt, all_of
from hookline.redact import redact, redact_json
from hookline.runtime import memory_helper
from hookline.system import notify, state_file, webhook
from hookline.system.paths import Places


class Wanted:
    """Effects of answers, with the events that they are about."""

    def __init__(self) -> None:
        self._all: list[tuple[Effect, Event]] = []

    def take(self, said: Outcome, *, shown: bool = False) -> None:
        """Gather those of an answer; with *shown* its reply has carried what a terminal is to show."""
        if said.event.session.startswith(TRIAL):
            return
        wanted = [one for one in said.effects if not isinstance(one, Keep)]
        self._all += [(quiet(one), said.event) for one in wanted if not (shown and isinstance(one, Notify))]

    def notices(self) -> tuple[Notify, ...]:
        """What is to be shown on the terminal of whoever called, handed over once."""
        found = tuple(effect for effect, _ in self._all if isinstance(effect, Notify))
        self._all = [one for one in self._all if not isinstance(one[0], Notify)]
        return found

    def lessons(self) -> list[ErrorSeen | Learn]:
        """What is to be learnt, handed over once."""
        found = [effect for effect, _ in self._all if isinstance(effect, ErrorSeen | Learn)]
        self._all = [one for one in self._all if not isinstance(one[0], ErrorSeen | Learn)]
        return found

    def carry_out(self, places: Places, env: Mapping[str, str]) -> tuple[str, ...]:
        """Do what is left of it; what could not be done, in sentences."""
        wanted, self._all = self._all, []
        found = [(_done(effect, event, places, env)) for effect, event in wanted]
        return tuple(problem for problem in found if problem)


def keep_at_once(said: Outcome, store: Store, places: Places, now: float, attempt: Attempt) -> None:
    """Have the store know what the next event has to find there, before the answer is out."""
    session = said.event.session
    if said.memory:
        attempt(lambda: store.note(session, redact_json(said.memory)), usual=None)
    if said.kept:
        attempt(lambda: store.keep(session, [redact(text) for text in said.kept]), usual=None)
    if any(isinstance(one, HandOver) for one in said.effects):
        attempt(lambda: handoffs.keep(said, store, places, now), usual=None)


def _done(effect: Effect, event: Event, places: Places, env: Mapping[str, str]) -> str:
    if isinstance(effect, Notify):
        return "".join(notify.carry_out([effect]))
    if isinstance(effect, Mirror):
        return state_file.reflect(effect, env)
    if isinstance(effect, Post):
        return webhook.post(effect, event, places, env)
    if isinstance(effect, Enrich):
        return memory_helper.begin(effect, event, places, env)
    return ""


def learn_all(lessons: Sequence[ErrorSeen | Learn], store: Store, places: Places, at: float) -> None:
    """Learn from each."""
    met = [one for one in lessons if isinstance(one, ErrorSeen)]
    if met:
        learn(store, met, places.root, at)
    told = [one for one in lessons if isinstance(one, Learn)]
    if told:
        all_of(told, store, places, at)
