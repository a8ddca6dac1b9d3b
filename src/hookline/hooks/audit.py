"""Record every event and its outcome in the store.

Records are redacted, and written after the reply is sent.
"""

from hookline.core.events import Event
from hookline.core.hook import hook
from hookline.core.response import RecordEvent, Response, effect
from hookline.core.state import State


@hook(priority=95, nature="observer")
def audit(event: Event, state: State) -> Response:
    return effect(RecordEvent())
