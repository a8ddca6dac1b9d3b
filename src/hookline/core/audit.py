"""Records of the audit trail: an event and its outcome, redacted and shortened."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from hookline.core.events import Event
from hookline.core.outcome import Outcome, Step, count_outcome
from hookline.core.response import Count, Effect, Mirror, Notify, Post
from hookline.core.store import Record
from hookline.core.values import replace
from hookline.redact import redact, redact_json

TEXT_EFFECTS = (Notify, Mirror, Post)
"""Effects that show or send text outside the process."""
MAX_SUMMARY_CHARS = 300
"""Maximum characters kept of a summary or of a changed value."""
MAX_CHANGE_CHARS = 1 << 16
"""Maximum characters of a change that are redacted, so that its values can be kept."""
MAX_REASON_CHARS = 4_000
MAX_COUNT = 10**12
"""Maximum that one event adds to a counter, so that no counter overflows a store's integers."""


def build_record(id: str, outcome: Outcome, *, at: float) -> Record:  # noqa: A002 -- it is the record's id
    """Return the record of *outcome*: redacted, shortened, and with its counts."""
    event, action, name = outcome.event, outcome.action, outcome.event.name
    reason = outcome.blocked or outcome.asked or outcome.allowed
    counts = {"events": 1, f"events:{name}": 1, f"actions:{action}": 1, **count_outcome(outcome)}
    for effect in outcome.effects:
        if isinstance(effect, Count):
            counter = _redact_name(effect.name)
            counts[counter] = counts.get(counter, 0) + max(-MAX_COUNT, min(MAX_COUNT, effect.by))
    return Record(
        id=id,
        at=at,
        session=event.session,
        host=event.host,
        event=name,
        cwd=_redact_name(event.cwd),
        tool=_shorten_name(getattr(event, "tool", "")),
        summary=summarize_event(event),
        action=action,
        rules=outcome.rules,
        reason=_truncate(redact(reason), MAX_REASON_CHARS) if reason else "",
        warnings=tuple(
            [
                _truncate(redact(warning), MAX_REASON_CHARS)
                for warning in outcome.warnings
                if warning not in outcome.private
            ]
        ),
        trail=tuple([_encode_step(step) for step in outcome.trail]),
        ms=_round_ms(sum([step.ms for step in outcome.trail])),
        counts=counts,
        subagent=_shorten_name(event.subagent.id or event.subagent.type) if event.subagent else "",
        subagent_type=_shorten_name(event.subagent.type) if event.subagent else "",
    )


@lru_cache(maxsize=256)
def _redact_name(text: str) -> str:
    # Names of folders, tools and counters repeat, so the cache saves most redactions.
    return redact(text)


def _shorten_name(text: str) -> str:
    return _truncate(_redact_name(text), MAX_SUMMARY_CHARS)


def redact_outcome(outcome: Outcome) -> Outcome:
    """Return *outcome* with secrets redacted from every text that an agent or a person may see."""
    texts = [*outcome.context, *outcome.warnings, outcome.blocked, outcome.asked, outcome.allowed]
    noted_steps = [step for step in outcome.trail if step.reason or step.note]
    if (
        not any(texts)
        and not noted_steps
        and not any(isinstance(effect, TEXT_EFFECTS) for effect in outcome.effects)
    ):
        return outcome
    return replace(
        outcome,
        blocked=_redact_optional(outcome.blocked),
        asked=_redact_optional(outcome.asked),
        allowed=_redact_optional(outcome.allowed),
        context=tuple(map(redact, outcome.context)),
        warnings=tuple(map(redact, outcome.warnings)),
        private=tuple(map(redact, outcome.private)),
        effects=tuple(map(redact_effect, outcome.effects)),
        trail=tuple(map(_redact_step, outcome.trail)),
    )


def redact_effect(effect: Effect) -> Effect:
    """Return *effect* with secrets redacted from the text that it shows, writes or sends."""
    if isinstance(effect, Notify):
        return replace(effect, title=redact(effect.title), text=redact(effect.text))
    return (
        replace(effect, content=redact_json(effect.content)) if isinstance(effect, Mirror | Post) else effect
    )


def _redact_step(step: Step) -> Step:
    if not step.reason and not step.note:
        return step
    return replace(step, reason=redact(step.reason), note=redact(step.note))


def _redact_optional(text: str | None) -> str | None:
    return None if text is None else redact(text)


def summarize_event(event: Event) -> str:
    """Return one redacted line that describes *event*, or an empty string."""
    for name in ("command", "path", "pattern", "prompt", "error", "text", "source", "reason", "trigger"):
        value = getattr(event, name, None)
        if isinstance(value, str) and value:
            # Redact more text than is kept: a secret that is cut in half may no longer be recognised.
            return _truncate(redact(value[: MAX_SUMMARY_CHARS * 40]).replace("\n", " ⏎ "), MAX_SUMMARY_CHARS)
    return ""


def _encode_step(step: Step) -> dict[str, Any]:
    if step.action == "pass" and not (step.rule or step.reason or step.note or step.injected or step.after):
        return {"hook": step.hook, "said": "pass", "ms": _round_ms(step.ms)}
    entry = {
        "hook": step.hook,
        "said": step.action,
        "rule": step.rule,
        "reason": _truncate(redact(step.reason), MAX_REASON_CHARS) if step.reason else "",
        "note": _truncate(redact(step.note), MAX_REASON_CHARS) if step.note else "",
        "told": [_truncate(redact(text), MAX_SUMMARY_CHARS) for text in step.injected],
        "before": _redact_changes(step.before),
        "after": _redact_changes(step.after),
        "ms": _round_ms(step.ms),
    }
    return {key: value for key, value in entry.items() if value not in ("", {}, [], None)}


def _round_ms(ms: float) -> float:
    # Three times as fast as `round`.
    return int(ms * 1000 + 0.5) / 1000


def _redact_changes(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _truncate_value(redact_json(value, max_chars=MAX_CHANGE_CHARS))
        for name, value in values.items()
    }


def _truncate_value(value: Any) -> Any:
    if isinstance(value, str):
        return _truncate(value, MAX_SUMMARY_CHARS)
    if isinstance(value, Mapping):
        return {key: _truncate_value(item) for key, item in value.items()}
    return [_truncate_value(item) for item in value] if isinstance(value, list | tuple) else value


def _truncate(text: str, max_chars: int) -> str:
    return text if len(text) <= max_chars else f"{text[:max_chars]}… ({len(text):,} characters)"
