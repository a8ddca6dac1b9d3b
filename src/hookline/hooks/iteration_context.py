"""Remind the agent, every few prompts, of the last rows of the journal it works on, and of the best so far.

The journal is the one that an engine names to the session (`AUTORESEARCH_JOURNAL`), else the newest
`autoresearch/*/*.tsv` that was written to within half an hour. Without one it is silent.
"""

from __future__ import annotations

from hookline.core.events import UserPromptSubmit
from hookline.core.frozen import Frozen
from hookline.core.hook import hook
from hookline.core.response import Response, effect, inject, remember
from hookline.core.state import State
from hookline.core.values import replace
from hookline.hooks._context import NOTE, SPOKE, begun, is_known, mirror, rows

JOURNAL = "AUTORESEARCH_JOURNAL"


@hook(priority=58, nature="advice")
def iteration_context(event: UserPromptSubmit, state: State, *, every: int = 5) -> Response:
    prompts = state.facts.get("prompts", 0)
    said = _said(state, prompts, every)
    now = replace(state, memory=Frozen({**state.memory, SPOKE: state.now})) if said else state
    begin = begun(event, state)
    kept = effect(mirror(event, now, begin, prompts=prompts))
    kept = kept if is_known(state) else kept.plus(remember(**{NOTE: begin.noted}))
    return inject(said).plus(remember(**{SPOKE: state.now})).plus(kept) if said else kept


def _said(state: State, prompts: int, every: int) -> str:
    first = prompts == 1 and bool(state.env.get(JOURNAL))
    if not first and not due(prompts, every):
        return ""
    journal = state.facts.get("journal")
    return rows(journal, state.root) if journal else ""


def due(prompts: int, every: int) -> bool:
    """Whether it is time again; never where *every* is nothing."""
    return every > 0 and prompts > 0 and prompts % every == 0
