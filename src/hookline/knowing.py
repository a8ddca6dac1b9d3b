"""What hooks may ask for: of the machine, of the session, of errors met before and of what was learnt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from hookline import handing
from hookline.assembly import Setup
from hookline.events import Event
from hookline.guarding import guarded
from hookline.knowledge import Signature
from hookline.known_errors import known
from hookline.learning import Attempt, recaller
from hookline.spending import Purse
from hookline.store import Store
from hookline.surroundings import PROMPTS, headless, journal, tells_start
from hookline.system import facts
from hookline.system.places import Places

HANDED_ON = (
    *("leaves", "handed", "own_handoff", "agent_words"),
    *("in_a_run", "can_guide", "tells_compaction", "talks"),
)
"""Facts of what a session leaves and was left; `handing.FACTS` finds each."""


class Looking(NamedTuple):
    """Where a hook asks, and of what."""

    event: Event
    store: Store
    setup: Setup
    purse: Purse
    attempt: Attempt


def _errors(at: Looking, **wanted: Any) -> Any:
    none: Sequence[Signature] = ()
    return at.attempt(lambda: known(at.store, at.setup.places.root, **wanted), usual=none)


def _recall(at: Looking) -> Any:
    return recaller(at.store, at.setup.places.root, at.purse.now, at.attempt)


def _handed_on(name: str, at: Looking) -> Any:
    places, env = at.setup.places, at.setup.env
    asked = handing.Asked(
        event=at.event, store=at.store, root=places.root, now=at.purse.now, env=env, state=places.state
    )
    return at.attempt(lambda: handing.FACTS[name](asked), usual=None)


def _of_machine(find: Callable[[Places], Any], at: Looking) -> Any:
    return find(at.setup.places)


FACTS: Mapping[str, Callable[[Looking], Any]] = {
    **{name: partial(_of_machine, find) for name, find in facts.FACTS.items()},
    **{name: partial(_handed_on, name) for name in HANDED_ON},
    "guarded": lambda at: guarded(at.setup.places),
    "usage": lambda at: at.purse.usage,
    "prompts": lambda at: at.attempt(lambda: at.store.count(at.event.session, PROMPTS), usual=0),
    "journal": lambda at: journal(at.setup.places, at.setup.env, at.purse.now),
    "headless": lambda at: headless(at.event.host, at.setup.env),
    "tells_start": lambda at: tells_start(at.event.host),
    "known_error": lambda at: lambda key: _errors(at, key=key),
    "fixed_errors": lambda at: _errors(at, fixed=True),
    "recall": _recall,
}
"""All that a hook may ask for by name; made once, because at most events few are asked for."""
