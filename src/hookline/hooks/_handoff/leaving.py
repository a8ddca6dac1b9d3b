"""Make a handoff: before a compaction, where something runs short, and at the end."""

from __future__ import annotations

from hookline.anchors import anchors, listed
from hookline.events import OnBudgetExceeded, PreCompact
from hookline.leaving import Left, as_details, markdown
from hookline.response import HandOver, Measure, Response, effect, inject, remember, warn
from hookline.state import State

COMPACTING = "handoff.compacting"
WANTED, LOOP = "handoff.rotate", "loop-breaker.ended"
ROTATION = "rotation"
"""The trigger of a compaction that is really the end of a session, and why its handoff was made."""
_GUIDANCE = "Keep these in the summary, word for word as far as you can:"
_ROTATE = (
    "This run goes on in a fresh session. Start nothing new: commit what is done if it may be, then end your "
    "turn with one line each, `Blockers: …` and `Next step: …`; the fresh session reads them."
)
_KEPT = "what this session leaves is kept: `hookline rotate`, then a fresh session goes on from it"


def compacting(event: PreCompact, state: State, cap: int) -> Response | None:
    """Kept for the session that goes on with the summary; whoever makes that reads what must be in it."""
    left: Left | None = state.facts.get("leaves")
    if left is None:
        return None
    if event.trigger == ROTATION:
        return _handed(left, ROTATION, cap).plus(remember(**{WANTED: True}))
    used = state.usage.used
    measured = effect(Measure(name="tokens.before", value=used)) if used else Response()
    wanted = anchors(left)
    guidance = (
        inject(f"{_GUIDANCE}\n{listed(wanted)}") if wanted and state.facts.get("can_guide") else Response()
    )
    return guidance.plus(_handed(left, "compaction", cap)).plus(measured).plus(remember(**{COMPACTING: True}))


def short_of(event: OnBudgetExceeded, state: State, at: int, cap: int) -> Response | None:
    if event.threshold == "tokens" and event.percent < at:
        return None
    left: Left | None = state.facts.get("leaves")
    rotates = event.threshold == "tokens" and bool(state.facts.get("in_a_run"))
    kept = _handed(left, ROTATION if rotates else "budget", cap) if left else Response()
    if event.threshold != "tokens":
        return kept
    if not rotates:
        return kept.plus(warn(_KEPT)) if left else None
    asked = remember(**{WANTED: True}).plus(effect(Measure(name="budget.rotations", value=1)))
    return kept.plus(inject(_ROTATE)).plus(warn("this session is rotated: a fresh one goes on")).plus(asked)


def ended(state: State, cap: int) -> Response | None:
    left: Left | None = state.facts.get("leaves")
    if left is None:
        return None
    rotates = state.memory.get(WANTED) or (state.memory.get(LOOP) and state.facts.get("in_a_run"))
    return _handed(left, ROTATION if rotates else "end", cap)


def _handed(left: Left, why: str, cap: int) -> Response:
    text = markdown(left, cap)
    size = Measure(name="handoff.size", value=len(text.encode("utf-8", "replace")))
    return effect(HandOver(why=why, text=text, details=as_details(left)), size)
