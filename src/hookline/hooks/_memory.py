"""Effects that learn from a session after a turn or at its end, also by the user's helper command."""

from __future__ import annotations

from hookline.core.events import Event, Stop, UserPromptSubmit
from hookline.core.response import Enrich, Learn, Response, SummaryPart, effect, inject, remember
from hookline.core.state import State
from hookline.language.classify import find_statements, is_unsure

AGENT_HINT = (
    "If the user states a lasting rule here, call the hookline tool `remember` once before you end the turn."
)
"""Context for an agent where the classifier is unsure."""
ENRICHED_NOTE = "memory.enriched"
"""Name of the note that holds the time of the last call of the helper command."""


def add_learning(response: Response | None, event: UserPromptSubmit, *, ask_agent: bool) -> Response | None:
    """Also learn from a prompt with a lasting statement, so that the end of the turn can name it."""
    if not find_statements(event.prompt):
        unsure = ask_agent and is_unsure(event.prompt)
        return (response or Response()).plus(inject(AGENT_HINT)) if unsure else response
    request = Learn(session=event.session, host=event.host, transcript="", prompt=event.prompt)
    return (response or Response()).plus(effect(request))


def request_learning(event: Event, state: State, enrich: str, within: float, every: float) -> Response:
    """Request learning from the transcript; the helper command runs at intervals, and always at an end."""
    request = Learn(session=event.session, host=event.host, transcript=event.transcript)
    parts = (SummaryPart(part="memory"),) if isinstance(event, Stop) else ()
    if not event.transcript:
        return effect(*parts)
    last = state.memory.get(ENRICHED_NOTE)
    if not enrich or (isinstance(event, Stop) and last and 0 <= state.now - last < every):
        return effect(*parts, request)
    enrichment = Enrich(
        command=enrich,
        within=within,
        session=event.session,
        host=event.host,
        transcript=event.transcript,
    )
    return effect(*parts, request, enrichment).plus(remember(**{ENRICHED_NOTE: state.now}))
