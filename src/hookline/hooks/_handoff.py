"""Create handoffs, deliver them to sessions, and check the first answer of a session that got one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hookline.core.events import (
    OnBudgetExceeded,
    PostCompact,
    PostToolUse,
    PreCompact,
    SessionStart,
    TurnEnd,
    UserPromptSubmit,
)
from hookline.core.response import HandOver, Measure, Response, effect, inject, remember, warn
from hookline.core.state import State
from hookline.handoff.anchors import Anchor, anchors, kept, listed
from hookline.handoff.content import Handed, Left, as_details, from_details, markdown
from hookline.redact import redact

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


FROM, EXPECTED, RETAINED = "handoff.from", "handoff.expected", "handoff.retained"
_COMPACTED = "[Handoff] What this session is about, as its recording has it; the summary may lack some of it:"
_ROTATED = (
    "[Handoff] You go on for a session that was rotated. This is what it left, taken from its recording; "
    "check what may have changed since, and do not begin anew:"
)
_FIRST = (
    "Begin your first answer with one line each: issue, branch, blockers, next step. "
    "Then go on from the next step."
)
_OFFERED = (
    "[Handoff] The session before this one ended on this branch with work left over. It may have nothing to "
    "do with what you are asked now; if it has, go on from there:"
)
_MISSING = "[Handoff] The summary of this session lacks this:"


def at_start(
    event: SessionStart | UserPromptSubmit, state: State, cap: int, *, offer: bool
) -> Response | None:
    handed: Handed | None = state.facts.get("handed")
    if handed is None:
        return None
    left = handed.left
    if handed.way == "rotation":
        return _rotated(handed, left, cap)
    if handed.way == "compaction":
        return _compacted(left, state, cap)
    if handed.way == "resume":
        return _resumed(left, state)
    return _offered(left) if offer else None


def _rotated(handed: Handed, left: Left, cap: int) -> Response:
    pairs = [[one.name, one.text] for one in anchors(left)]
    noted = remember(**{FROM: handed.handoff.id, EXPECTED: {"anchors": pairs}})
    return inject(f"{_ROTATED}\n{markdown(left, cap)}\n{_FIRST}").plus(noted)


def _compacted(left: Left, state: State, cap: int) -> Response | None:
    """Once: some hosts tell of the end of a compaction first, and then it was said there."""
    if not state.memory.get(COMPACTING) and state.facts.get("tells_compaction"):
        return None
    return inject(f"{_COMPACTED}\n{markdown(left, cap)}").plus(remember(**{COMPACTING: False}))


def _resumed(left: Left, state: State) -> Response | None:
    if not left.branch or not state.branch or left.branch == state.branch:
        return None
    told = f"[Handoff] This session was on the branch {left.branch}; now {state.branch} is checked out."
    return inject(told)


def _offered(left: Left) -> Response:
    told = [Anchor(name="task", text=left.task)] if left.task else []
    return inject(f"{_OFFERED}\n{listed([*told, *anchors(left)])}")


def after_compaction(event: PostCompact, state: State, cap: int) -> Response | None:
    """Say how much of what matters the summary has, and give what it lacks unless that was given already."""
    own = state.facts.get("own_handoff")
    if own is None or not state.facts.get("tells_compaction"):
        return None
    left = from_details(own.details)
    wanted, pending = anchors(left), bool(state.memory.get(COMPACTING))
    if not event.summary:
        again = inject(f"{_COMPACTED}\n{markdown(left, cap)}").plus(remember(**{COMPACTING: False}))
        return again if pending else None
    found = kept(wanted, event.summary)
    told = warn(f"of what must be known to go on, the summary has {found.told}") if wanted else Response()
    noted = remember(**{RETAINED: found.share, COMPACTING: False})
    measured = effect(Measure(name="anchors.retained", value=found.share))
    lacks = inject(f"{_MISSING}\n{listed(found.missing)}") if found.missing and pending else Response()
    return lacks.plus(told).plus(noted).plus(measured)


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
