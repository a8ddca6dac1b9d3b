"""Give a session what it was left: after a compaction, when it goes on for another, or when it begins."""

from __future__ import annotations

from hookline.anchors import Anchor, anchors, kept, listed
from hookline.events import PostCompact, SessionStart, UserPromptSubmit
from hookline.hooks._handoff.leaving import COMPACTING
from hookline.leaving import Handed, Left, from_details, markdown
from hookline.response import Measure, Response, effect, inject, remember, warn
from hookline.state import State

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
