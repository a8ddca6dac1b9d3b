"""Request learning from prompts and transcripts, and the user's helper command."""

from __future__ import annotations

from hookline.core.events import Event, Stop, UserPromptSubmit
from hookline.core.response import Enrich, Learn, Response, SummaryPart, block, effect, remember
from hookline.core.state import State
from hookline.language.statements import find_statements, may_have_statement

AGENT_HINT = (
    "If the user stated a lasting rule in this turn, call the hookline tool `remember` once, with its kind "
    "(`convention`, `preference`, `decision` or `blocker`), then end the turn."
)
"""Text for an agent at the end of a turn whose prompt may have a lasting statement that was not found."""
UNSURE_NOTE = "memory.unsure"
"""Name of the note that the prompt of this turn may contain a lasting statement."""
ENRICHED_NOTE = "memory.enriched"
"""Name of the note that holds the time of the last call of the helper command."""


def add_learning(
    response: Response | None, event: UserPromptSubmit, state: State, *, ask_agent: bool
) -> Response | None:
    """Add to *response* the learning of a lasting statement, so that the end of the turn can report it."""
    lasting = bool(find_statements(event.prompt))
    unsure = ask_agent and not lasting and may_have_statement(event.prompt)
    if lasting:
        request = build_request(event, state, prompt=event.prompt)
        response = (response or Response()).plus(effect(request))
    if unsure != bool(state.memory.get(UNSURE_NOTE)):
        response = (response or Response()).plus(remember(**{UNSURE_NOTE: unsure}))
    return response


def build_request(event: Event, state: State, *, transcript: str = "", prompt: str = "") -> Learn:
    """Return the request to learn from a transcript or a prompt of the event's session."""
    by_agent = bool(state.facts.get("prompted_by_agent"))
    return Learn(
        session=event.session, host=event.host, transcript=transcript, prompt=prompt, by_agent=by_agent
    )


def request_learning(event: Event, state: State, enrich: str, within: float, every: float) -> Response:
    """Request learning from the transcript; the helper command runs at intervals, and always at an end."""
    parts = (SummaryPart(part="memory"),) if isinstance(event, Stop) else ()
    hint = ask_agent_once(event, state)
    if not event.transcript:
        return effect(*parts).plus(hint)
    request = build_request(event, state, transcript=event.transcript)
    last = state.memory.get(ENRICHED_NOTE)
    if not enrich or (isinstance(event, Stop) and last and 0 <= state.now - last < every):
        return effect(*parts, request).plus(hint)
    enrichment = Enrich(
        command=enrich,
        within=within,
        session=event.session,
        host=event.host,
        transcript=event.transcript,
    )
    enriched = remember(**{ENRICHED_NOTE: state.now})
    return effect(*parts, request, enrichment).plus(enriched).plus(hint)


def ask_agent_once(event: Event, state: State) -> Response:
    """Continue the turn with the hint if its prompt may contain a lasting statement."""
    if not isinstance(event, Stop) or not state.memory.get(UNSURE_NOTE):
        return Response()
    return block(AGENT_HINT).plus(remember(**{UNSURE_NOTE: False}))
