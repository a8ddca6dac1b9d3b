"""Hold the first answer of a session that goes on for another against what it was left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hookline.anchors import Anchor, kept, listed
from hookline.events import PostToolUse, TurnEnd
from hookline.hooks._handoff.giving import EXPECTED
from hookline.redact import redact
from hookline.response import Response, inject, remember, warn
from hookline.state import State

CHECKED, LAST = "handoff.checked", "handoff.last"
LONGEST = 4_000
_MISSED = (
    "[Handoff] Your first answer left out what the session before this one left you. Take it into account:"
)


def checked(event: PostToolUse | TurnEnd, state: State) -> Response | None:
    """None as long as the agent has said nothing; at the end of its turn it is looked at in any case."""
    said = str(state.facts.get("agent_words") or "")
    if isinstance(event, TurnEnd):
        said = f"{said}\n{event.last_text}".strip()
    elif not said:
        return None
    found = kept(_anchors((state.memory.get(EXPECTED) or {}).get("anchors") or ()), said)
    missing = [one.name for one in found.missing]
    noted = remember(**{EXPECTED: None, CHECKED: {"share": found.share, "missing": missing}})
    if not found.missing:
        return noted
    told = warn(f"of what was handed on, the first answer knew {found.told}")
    return inject(f"{_MISSED}\n{listed(found.missing)}").plus(told).plus(noted)


def _anchors(kept: Sequence[Any]) -> list[Anchor]:
    pairs = [
        one for one in kept if isinstance(one, list | tuple) and [type(part) for part in one] == [str, str]
    ]
    return [Anchor(name=name, text=text) for name, text in pairs]


def heard(event: TurnEnd, state: State) -> Response | None:
    """What the agent said last, where its host keeps no recording that we read."""
    if not event.last_text or state.facts.get("talks"):
        return None
    return remember(**{LAST: redact(event.last_text)[-LONGEST:]})  # the next step is said at the end
