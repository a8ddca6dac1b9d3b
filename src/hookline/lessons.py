"""What answers want learnt: of errors that were met, and of what the recording of a session tells."""

from __future__ import annotations

from collections.abc import Sequence

from hookline.known_errors import learn
from hookline.learning import all_of
from hookline.response import ErrorSeen, Learn
from hookline.store import Store
from hookline.system.places import Places


def keep(lessons: Sequence[ErrorSeen | Learn], store: Store, places: Places, at: float) -> None:
    """Learn from each."""
    met = [one for one in lessons if isinstance(one, ErrorSeen)]
    if met:
        learn(store, met, places.root, at)
    told = [one for one in lessons if isinstance(one, Learn)]
    if told:
        all_of(told, store, places, at)
