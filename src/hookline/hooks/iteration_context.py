"""Remind the agent of the last journal rows and the best result so far.

A reminder is injected every `every` prompts. The journal is the file in `HOOKLINE_JOURNAL`, or else the
newest `autoresearch/*/*.tsv` modified within 30 minutes.
"""

from __future__ import annotations

from hookline.core.events import UserPromptSubmit
from hookline.core.frozen import Frozen
from hookline.core.hook import hook
from hookline.core.response import Response, effect, inject, remember
from hookline.core.state import State
from hookline.core.values import replace
from hookline.core.variables import JOURNAL
from hookline.hooks._context import (
    INJECTED_NOTE,
    SESSION_NOTE,
    build_mirror,
    format_journal,
    has_session_info,
    load_session_info,
)


@hook(priority=58, nature="advice")
def iteration_context(event: UserPromptSubmit, state: State, *, every: int = 5) -> Response:
    prompts = state.facts.get("prompts", 0)
    text = _format_context(state, prompts, every)
    new_state = replace(state, memory=Frozen({**state.memory, INJECTED_NOTE: state.now})) if text else state
    info = load_session_info(event, state)
    effects = effect(build_mirror(event, new_state, info, prompts=prompts))
    effects = effects if has_session_info(state) else effects.plus(remember(**{SESSION_NOTE: info.as_note}))
    return inject(text).plus(remember(**{INJECTED_NOTE: state.now})).plus(effects) if text else effects


def _format_context(state: State, prompts: int, every: int) -> str:
    first = prompts == 1 and bool(state.env.get(JOURNAL))
    if not first and not is_due(prompts, every):
        return ""
    journal = state.facts.get("journal")
    return format_journal(journal, state.root) if journal else ""


def is_due(prompts: int, every: int) -> bool:
    """Return whether a reminder is due at this prompt; never if *every* is 0."""
    return every > 0 and prompts > 0 and prompts % every == 0
