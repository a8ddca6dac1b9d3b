"""Effects that learn from a session after a turn or at its end, also by the user's helper command."""

from __future__ import annotations

from msgspec.structs import asdict

from hookline.core.events import Event, Stop
from hookline.core.response import Enrich, Learn, Response, SummaryPart, effect, remember
from hookline.core.state import State

ENRICHED_NOTE = "memory.enriched"
"""Name of the note that holds the time of the last call of the helper command."""


def request_learning(event: Event, state: State, enrich: str, within: float, every: float) -> Response:
    """Request learning from the transcript; the helper command runs at intervals, and always at an end."""
    request = Learn(session=event.session, host=event.host, transcript=event.transcript)
    parts = (SummaryPart(part="memory"),) if isinstance(event, Stop) else ()
    last = state.memory.get(ENRICHED_NOTE)
    if not enrich or (isinstance(event, Stop) and last and 0 <= state.now - last < every):
        return effect(*parts, request)
    enrichment = Enrich(command=enrich, within=within, **asdict(request))
    return effect(*parts, request, enrichment).plus(remember(**{ENRICHED_NOTE: state.now}))
