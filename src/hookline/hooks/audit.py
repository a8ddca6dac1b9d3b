"""Keep every event with its outcome in the store, redacted, off the answer's path."""

from hookline.events import Event
from hookline.hook import hook
from hookline.response import Keep, Response, effect
from hookline.state import State


@hook(priority=95, nature="observer")
def audit(event: Event, state: State) -> Response:
    return effect(Keep())
