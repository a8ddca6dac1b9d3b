"""What is to be learnt once a turn or a session has ended, and whether a command is asked to help."""

from __future__ import annotations

from msgspec.structs import asdict

from hookline.core.events import Event, Stop
from hookline.core.response import Enrich, Learn, Response, Stage, effect, remember
from hookline.core.state import State

ASKED = "memory.enriched"
"""The note of when the command was last asked."""


def lessons(event: Event, state: State, enrich: str, within: float, every: float) -> Response:
    """Whatever the recording tells; the command is asked after some turns, and always before an end."""
    lesson = Learn(session=event.session, host=event.host, transcript=event.transcript)
    shown = (Stage(part="memory"),) if isinstance(event, Stop) else ()
    last = state.memory.get(ASKED)
    if not enrich or (isinstance(event, Stop) and last and 0 <= state.now - last < every):
        return effect(*shown, lesson)
    asked = Enrich(command=enrich, within=within, **asdict(lesson))
    return effect(*shown, lesson, asked).plus(remember(**{ASKED: state.now}))
