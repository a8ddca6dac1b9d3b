"""An event and its outcome as a record of the audit trail: redacted, and short."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from hookline.core.events import Event
from hookline.core.hook_counters import counted
from hookline.core.outcome import Outcome, Step
from hookline.core.response import Count, Effect, Mirror, Notify, Post
from hookline.core.store import Record
from hookline.core.values import replace
from hookline.redact import redact, redact_json

TELLING = (Notify, Mirror, Post)
"""Effects that let text out."""
LINE = 300
"""Characters of a summary or of a changed value that are kept."""
REASON = 4_000
MOST = 10**12
"""What one event may add to a counter, so that none outgrows a store's numbers."""


def recorded(id: str, outcome: Outcome, *, at: float, ms: float) -> Record:  # noqa: A002 -- it is the record's id
    """What is kept of *outcome*."""
    event, action, name = outcome.event, outcome.action, outcome.event.name
    reason = outcome.blocked or outcome.asked or outcome.allowed
    counts = {"events": 1, f"events:{name}": 1, f"actions:{action}": 1, **counted(outcome)}
    for effect in outcome.effects:
        if isinstance(effect, Count):
            what = _named(effect.name)
            counts[what] = counts.get(what, 0) + max(-MOST, min(MOST, effect.by))
    return Record(
        id=id,
        at=at,
        session=event.session,
        host=event.host,
        event=name,
        cwd=_named(event.cwd),
        tool=_cut(_named(getattr(event, "tool", "")), LINE),
        summary=summary(event),
        action=action,
        rules=outcome.rules,
        reason=_cut(redact(reason), REASON) if reason else "",
        warnings=tuple(
            [_cut(redact(warning), REASON) for warning in outcome.warnings if warning not in outcome.private]
        ),
        trail=tuple([_step(step) for step in outcome.trail]),
        ms=_thousandths(ms),
        counts=counts,
    )


@lru_cache(maxsize=256)
def _named(text: str) -> str:
    """The name of a folder, a tool or a counter, which comes again and again."""
    return redact(text)


def spoken(outcome: Outcome) -> Outcome:
    """The outcome as it may be told to an agent or a person: without the secrets that hooks repeat."""
    texts = [*outcome.context, *outcome.warnings, outcome.blocked, outcome.asked, outcome.allowed]
    noted = [step for step in outcome.trail if step.reason or step.note]
    if not any(texts) and not noted and not any(isinstance(one, TELLING) for one in outcome.effects):
        return outcome
    return replace(
        outcome,
        blocked=_spoken(outcome.blocked),
        asked=_spoken(outcome.asked),
        allowed=_spoken(outcome.allowed),
        context=tuple(map(redact, outcome.context)),
        warnings=tuple(map(redact, outcome.warnings)),
        private=tuple(map(redact, outcome.private)),
        effects=tuple(map(quiet, outcome.effects)),
        trail=tuple(map(_spoken_step, outcome.trail)),
    )


def quiet(effect: Effect) -> Effect:
    """What is to be shown, written or sent, without the secrets in it."""
    if isinstance(effect, Notify):
        return replace(effect, title=redact(effect.title), text=redact(effect.text))
    return replace(effect, says=redact_json(effect.says)) if isinstance(effect, Mirror | Post) else effect


def _spoken_step(step: Step) -> Step:
    if not step.reason and not step.note:
        return step
    return replace(step, reason=redact(step.reason), note=redact(step.note))


def _spoken(text: str | None) -> str | None:
    return None if text is None else redact(text)


def summary(event: Event) -> str:
    """What the event was about, in a line."""
    for name in ("command", "path", "pattern", "prompt", "error", "text", "source", "reason", "trigger"):
        value = getattr(event, name, None)
        if isinstance(value, str) and value:
            # Of more than is kept: what a cut leaves of a secret is not always told for one.
            return _cut(redact(value[: LINE * 40]).replace("\n", " ⏎ "), LINE)
    return ""


def _step(step: Step) -> dict[str, Any]:
    """Only what says something."""
    if step.said == "pass" and not (step.rule or step.reason or step.note or step.told or step.after):
        return {"hook": step.hook, "said": "pass", "ms": _thousandths(step.ms)}
    whole = {
        "hook": step.hook,
        "said": step.said,
        "rule": step.rule,
        "reason": _cut(redact(step.reason), REASON) if step.reason else "",
        "note": _cut(redact(step.note), REASON) if step.note else "",
        "told": [_cut(redact(text), LINE) for text in step.told],
        "before": _changed(step.before),
        "after": _changed(step.after),
        "ms": _thousandths(step.ms),
    }
    return {key: value for key, value in whole.items() if value not in ("", {}, [], None)}


def _thousandths(ms: float) -> float:
    """As `round` does, in a third of its time."""
    return int(ms * 1000 + 0.5) / 1000


def _changed(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _short(redact_json(value)) for name, value in values.items()}


def _short(value: Any) -> Any:
    """A changed value without its bulk: raw output is not kept."""
    if isinstance(value, str):
        return _cut(value, LINE)
    if isinstance(value, Mapping):
        return {key: _short(item) for key, item in value.items()}
    return [_short(item) for item in value] if isinstance(value, list | tuple) else value


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"
