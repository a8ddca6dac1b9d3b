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
from hookline.handoff.anchors import Anchor, find_anchors, format_list, measure_retention
from hookline.handoff.content import Content, Delivery, from_details, to_details, to_markdown
from hookline.redact import redact

COMPACTING_NOTE = "handoff.compacting"
ROTATE_NOTE, LOOP_ENDED_NOTE = "handoff.rotate", "loop-breaker.ended"
ROTATION = "rotation"
"""Trigger of a compaction that really ends a session, and the reason of its handoff."""
_GUIDANCE = "Keep these in the summary, word for word as far as you can:"
_ROTATION_REQUEST = (
    "This run goes on in a fresh session. Start nothing new: commit what is done if it may be, then end your "
    "turn with one line each, `Blockers: …` and `Next step: …`; the fresh session reads them."
)
_KEPT_WARNING = "what this session leaves is kept: `hookline rotate`, then a fresh session goes on from it"


def before_compaction(event: PreCompact, state: State, cap: int) -> Response | None:
    """Hand over for the session after the compaction, and guide the summary."""
    content: Content | None = state.facts.get("handoff_content")
    if content is None:
        return None
    if event.trigger == ROTATION:
        return _hand_over(content, ROTATION, cap).plus(remember(**{ROTATE_NOTE: True}))
    used = state.usage.used
    measured = effect(Measure(name="tokens.before", value=used)) if used else Response()
    anchors = find_anchors(content)
    guidance = (
        inject(f"{_GUIDANCE}\n{format_list(anchors)}")
        if anchors and state.facts.get("reads_compaction_guidance")
        else Response()
    )
    return (
        guidance.plus(_hand_over(content, "compaction", cap))
        .plus(measured)
        .plus(remember(**{COMPACTING_NOTE: True}))
    )


def on_budget_exceeded(event: OnBudgetExceeded, state: State, at: int, cap: int) -> Response | None:
    if event.threshold == "tokens" and event.percent < at:
        return None
    content: Content | None = state.facts.get("handoff_content")
    rotates = event.threshold == "tokens" and bool(state.facts.get("in_run"))
    handed_over = _hand_over(content, ROTATION if rotates else "budget", cap) if content else Response()
    if event.threshold != "tokens":
        return handed_over
    if not rotates:
        return handed_over.plus(warn(_KEPT_WARNING)) if content else None
    rotation = remember(**{ROTATE_NOTE: True}).plus(effect(Measure(name="budget.rotations", value=1)))
    return (
        handed_over.plus(inject(_ROTATION_REQUEST))
        .plus(warn("this session is rotated: a fresh one goes on"))
        .plus(rotation)
    )


def at_end(state: State, cap: int) -> Response | None:
    content: Content | None = state.facts.get("handoff_content")
    if content is None:
        return None
    rotates = state.memory.get(ROTATE_NOTE) or (
        state.memory.get(LOOP_ENDED_NOTE) and state.facts.get("in_run")
    )
    return _hand_over(content, ROTATION if rotates else "end", cap)


def _hand_over(content: Content, why: str, cap: int) -> Response:
    text = to_markdown(content, cap)
    size = Measure(name="handoff.size", value=len(text.encode("utf-8", "replace")))
    return effect(HandOver(why=why, text=text, details=to_details(content)), size)


FROM_NOTE, EXPECTED_NOTE, RETAINED_NOTE = "handoff.from", "handoff.expected", "handoff.retained"
_COMPACTED_TITLE = (
    "[Handoff] What this session is about, as its recording has it; the summary may lack some of it:"
)
_ROTATED_TITLE = (
    "[Handoff] You go on for a session that was rotated. This is what it left, taken from its recording; "
    "check what may have changed since, and do not begin anew:"
)
_FIRST_ANSWER_REQUEST = (
    "Begin your first answer with one line each: issue, branch, blockers, next step. "
    "Then go on from the next step."
)
_OFFER_TITLE = (
    "[Handoff] The session before this one ended on this branch with work left over. It may have nothing to "
    "do with what you are asked now; if it has, go on from there:"
)
_SUMMARY_LACKS = "[Handoff] The summary of this session lacks this:"


def at_start(
    event: SessionStart | UserPromptSubmit, state: State, cap: int, *, offer: bool
) -> Response | None:
    delivery: Delivery | None = state.facts.get("delivery")
    if delivery is None:
        return None
    content = delivery.content
    if delivery.occasion == "rotation":
        return _inject_rotated(delivery, content, cap)
    if delivery.occasion == "compaction":
        return _inject_compacted(content, state, cap)
    if delivery.occasion == "resume":
        return _inject_branch_change(content, state)
    return _inject_offer(content) if offer else None


def _inject_rotated(delivery: Delivery, content: Content, cap: int) -> Response:
    pairs = [[anchor.name, anchor.text] for anchor in find_anchors(content)]
    notes = remember(**{FROM_NOTE: delivery.handoff.id, EXPECTED_NOTE: {"anchors": pairs}})
    return inject(f"{_ROTATED_TITLE}\n{to_markdown(content, cap)}\n{_FIRST_ANSWER_REQUEST}").plus(notes)


def _inject_compacted(content: Content, state: State, cap: int) -> Response | None:
    """Inject the handoff once, as some hosts report the end of the compaction before the session start."""
    if not state.memory.get(COMPACTING_NOTE) and state.facts.get("reports_compaction"):
        return None
    return inject(f"{_COMPACTED_TITLE}\n{to_markdown(content, cap)}").plus(
        remember(**{COMPACTING_NOTE: False})
    )


def _inject_branch_change(content: Content, state: State) -> Response | None:
    if not content.branch or not state.branch or content.branch == state.branch:
        return None
    text = f"[Handoff] This session was on the branch {content.branch}; now {state.branch} is checked out."
    return inject(text)


def _inject_offer(content: Content) -> Response:
    task = [Anchor(name="task", text=content.task)] if content.task else []
    return inject(f"{_OFFER_TITLE}\n{format_list([*task, *find_anchors(content)])}")


def after_compaction(event: PostCompact, state: State, cap: int) -> Response | None:
    """Report how much the summary kept, and inject what it lacks unless that was already injected."""
    own = state.facts.get("own_handoff")
    if own is None or not state.facts.get("reports_compaction"):
        return None
    content = from_details(own.details)
    anchors, pending = find_anchors(content), bool(state.memory.get(COMPACTING_NOTE))
    if not event.summary:
        injected = inject(f"{_COMPACTED_TITLE}\n{to_markdown(content, cap)}").plus(
            remember(**{COMPACTING_NOTE: False})
        )
        return injected if pending else None
    retention = measure_retention(anchors, event.summary)
    warning = (
        warn(f"of what must be known to go on, the summary has {retention.summary}")
        if anchors
        else Response()
    )
    notes = remember(**{RETAINED_NOTE: retention.share, COMPACTING_NOTE: False})
    measured = effect(Measure(name="anchors.retained", value=retention.share))
    missing = (
        inject(f"{_SUMMARY_LACKS}\n{format_list(retention.missing)}")
        if retention.missing and pending
        else Response()
    )
    return missing.plus(warning).plus(notes).plus(measured)


CHECKED_NOTE, LAST_TEXT_NOTE = "handoff.checked", "handoff.last"
MAX_LAST_TEXT = 4_000
_ANSWER_LACKS = (
    "[Handoff] Your first answer left out what the session before this one left you. Take it into account:"
)


def check_first_answer(event: PostToolUse | TurnEnd, state: State) -> Response | None:
    """Check the agent's first text against the handoff; None while there is no text in its turn."""
    text = str(state.facts.get("agent_text") or "")
    if isinstance(event, TurnEnd):
        text = f"{text}\n{event.last_text}".strip()
    elif not text:
        return None
    retention = measure_retention(
        _parse_anchors((state.memory.get(EXPECTED_NOTE) or {}).get("anchors") or ()), text
    )
    missing = [anchor.name for anchor in retention.missing]
    notes = remember(**{EXPECTED_NOTE: None, CHECKED_NOTE: {"share": retention.share, "missing": missing}})
    if not retention.missing:
        return notes
    warning = warn(f"of what was handed on, the first answer knew {retention.summary}")
    return inject(f"{_ANSWER_LACKS}\n{format_list(retention.missing)}").plus(warning).plus(notes)


def _parse_anchors(values: Sequence[Any]) -> list[Anchor]:
    pairs = [
        value
        for value in values
        if isinstance(value, list | tuple) and [type(part) for part in value] == [str, str]
    ]
    return [Anchor(name=name, text=text) for name, text in pairs]


def remember_last_text(event: TurnEnd, state: State) -> Response | None:
    """Remember the agent's last text, for a host without a transcript that we can read."""
    if not event.last_text or state.facts.get("has_transcript"):
        return None
    # The end is kept, because the next step stands there.
    return remember(**{LAST_TEXT_NOTE: redact(event.last_text)[-MAX_LAST_TEXT:]})
