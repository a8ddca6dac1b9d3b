"""What answers want learnt: of errors that were met, and of what the recording of a session tells."""

from __future__ import annotations

from hookline.response import ErrorSeen, Learn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookline.store import Store
    from hookline.system.places import Places


def keep(lessons: Sequence[ErrorSeen | Learn], store: Store, places: Places, at: float) -> None:
    """Learn from each."""
    met = [one for one in lessons if isinstance(one, ErrorSeen)]
    if met:
        from hookline.known_errors import learn  # noqa: PLC0415 -- where something failed

        learn(store, met, places.root, at)
    told = [one for one in lessons if isinstance(one, Learn)]
    if told:
        from hookline.learning import all_of  # noqa: PLC0415 -- once a turn

        all_of(told, store, places, at)
