"""What hooks may ask a store about: errors that were met before, and what earlier sessions learnt."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from hookline.assembly import Setup
    from hookline.events import Event
    from hookline.knowledge import Signature
    from hookline.learning import Attempt
    from hookline.store import Store


HANDED_ON = (
    *("leaves", "handed", "own_handoff", "agent_words"),
    *("in_a_run", "can_guide", "tells_compaction", "talks"),
)
"""Facts of what a session leaves and was left; `handing.FACTS` finds each."""


def known(
    event: Event, store: Store, setup: Setup, now: float, attempt: Attempt
) -> Mapping[str, Callable[[], Any]]:
    """Suppliers of facts, by name: each looks only when a hook asks."""
    root = setup.places.root

    def errors(**wanted: Any) -> Any:
        from hookline.known_errors import known as found  # noqa: PLC0415 -- few events are about an error

        none: Sequence[Signature] = ()
        return attempt(lambda: found(store, root, **wanted), usual=none)

    def recall() -> Any:
        from hookline.learning import recaller  # noqa: PLC0415 -- where a session begins

        return recaller(store, root, now, attempt)

    def handed_on(name: str) -> Callable[[], Any]:
        def find() -> Any:
            from hookline.handing import FACTS, Asked  # noqa: PLC0415 -- where a session begins or ends

            state = setup.places.state
            asked = Asked(event=event, store=store, root=root, now=now, env=setup.env, state=state)
            return attempt(lambda: FACTS[name](asked), usual=None)

        return find

    return {
        "known_error": lambda: lambda key: errors(key=key),
        "fixed_errors": lambda: errors(fixed=True),
        "recall": recall,
        **{name: handed_on(name) for name in HANDED_ON},
    }
