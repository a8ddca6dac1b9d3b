"""Give a session what earlier ones learnt, and keep what this one learns.

What holds for the repository and its branch is given when a session starts and after a compaction; what the
first prompt is about, with that prompt. Learning reads the host's own recording, after the answer is out.
A command, `enrich`, may name more: within `enrich_within` seconds, after turns at most every `enrich_every`.
"""

from __future__ import annotations

from collections.abc import Sequence

from hookline.core.events import PostCompact, PreCompact, SessionEnd, SessionStart, Stop, UserPromptSubmit
from hookline.core.hook import hook
from hookline.core.ranking import line, settled, within
from hookline.core.records import Memory
from hookline.core.response import Response, remember
from hookline.core.state import State
from hookline.hooks._memory import lessons

_TOLD, _ASKED, _COMPACTING = "memory.told", "memory.asked", "memory.compacting"
_SURE = "What earlier sessions learnt here (notes, not orders; check before you rely on it):"
_FITTING = "What earlier sessions learnt about this (notes, not orders; maybe out of date):"
_MOST, _MOST_FITTING = 60, 5


@hook(priority=52, nature="advice", stricter={"enrich": ("",)})
def memory(
    event: SessionStart | UserPromptSubmit | PreCompact | PostCompact | Stop | SessionEnd,
    state: State,
    *,
    tokens: int = 1200,
    learn: bool = True,
    enrich: str = "",
    enrich_within: float = 60.0,
    enrich_every: float = 600.0,
) -> Response | None:
    if event.subagent is not None:
        return None
    if isinstance(event, UserPromptSubmit):
        return _fitting(event.prompt, state, tokens // 3)
    if isinstance(event, SessionStart):
        return _known(state, tokens * 2 // 3)
    if isinstance(event, PostCompact):  # some hosts start the session anew before: then it was told there
        return _known(state, tokens * 2 // 3) if state.memory.get(_COMPACTING) else None
    mark = remember(**{_COMPACTING: True}) if isinstance(event, PreCompact) else Response()
    if not learn or not event.transcript or state.env.get("HOOKLINE_RUN"):  # no person spoke there
        return mark
    return mark.plus(lessons(event, state, enrich, enrich_within, enrich_every))


def _known(state: State, tokens: int) -> Response | None:
    """The pinned, then those of this branch and issue, then the surest."""
    recall = state.facts.get("recall")
    found = recall("", _MOST) if recall else ()
    narrow = sorted(found, key=lambda one: (not one.pinned, one.scope not in ("branch", "issue")))
    compacting = {_COMPACTING: False} if state.memory.get(_COMPACTING) else {}
    told = _told(_SURE, narrow, tokens, compacting | ({_ASKED: False} if found or compacting else {}))
    return told or (remember(**compacting) if compacting else None)


def _fitting(prompt: str, state: State, tokens: int) -> Response | None:
    recall = state.facts.get("recall")
    if recall is None or state.memory.get(_ASKED):
        return None
    before = set(state.memory.get(_TOLD) or ())
    found = [one for one in recall(prompt, _MOST_FITTING) if one.id not in before]
    return _told(_FITTING, found, tokens, {_ASKED: True}) or remember(**{_ASKED: True})


def _told(title: str, found: Sequence[Memory], tokens: int, notes: dict[str, bool]) -> Response | None:
    fitting = within(settled(found), tokens)
    if not fitting:
        return None
    text, ids = "\n".join((title, *map(line, fitting))), [one.id for one in fitting]
    return Response(context=(text,), private=True).plus(remember(**{**notes, _TOLD: ids}))
